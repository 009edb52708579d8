"""What the page of a study shows: answers as sentences, and drawings as SVG written as text."""

__all__ = ()
