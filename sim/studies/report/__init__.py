"""What a study shows: its page with drawings, its summary, its table."""

__all__ = ()
