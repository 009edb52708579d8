"""What the page of a study shows: results as sentences, and drawings as SVG written as text."""

__all__ = ()
