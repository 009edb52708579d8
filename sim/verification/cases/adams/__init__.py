"""Cases of ADAMS: its printed formulas and what it computed."""

__all__: list[str] = []
