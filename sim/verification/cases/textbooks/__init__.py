"""Cases that textbooks solve."""

__all__ = ()
