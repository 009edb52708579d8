"""Cases of ADAMS: its printed formulas and what it computed."""

__all__ = ()
