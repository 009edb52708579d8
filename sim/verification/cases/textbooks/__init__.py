"""Cases that textbooks solve."""

__all__: list[str] = []
