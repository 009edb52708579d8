"""Numbers that the four papers print."""

__all__: list[str] = []
