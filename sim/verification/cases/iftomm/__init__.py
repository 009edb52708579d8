"""Benchmarks of the IFToMM library of multibody dynamics."""

__all__ = ()
