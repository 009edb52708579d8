"""What is installed here and what works: the examinations of `sim doctor`."""

__all__: list[str] = []
