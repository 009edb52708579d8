"""Cases whose answer is a closed form."""

__all__ = ()
