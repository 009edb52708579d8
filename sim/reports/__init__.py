"""What a person sees of a run: the terminal summary, the figures and the page; see each file."""

__all__ = ()
