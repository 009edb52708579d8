"""The cases of the verification manual, a folder a chapter, a file a case."""

__all__ = ()
