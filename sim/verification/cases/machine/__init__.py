"""A log of a real machine, which gates nothing but arithmetic."""

__all__ = ()
