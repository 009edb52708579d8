"""Machine code of one state, by numba; `compiling` says how, and what there is without it."""

__all__ = ()
