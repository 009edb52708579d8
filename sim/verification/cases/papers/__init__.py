"""Numbers that the four papers print."""

__all__ = ()
