"""Cases whose answer another program gives or has printed."""

__all__ = ()
