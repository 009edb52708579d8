"""One thing that was examined: what is there, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

FINE = "nothing to do"


@dataclass(frozen=True)
class HealthItem:
    """One line of the examination.

    Parameters
    ----------
    name : str
        What was looked at.
    works : bool
    found : str
        What is there: a version, a path, or what went wrong.
    remedy : str
        What to do, a command where there is one.
    needed : bool
        Whether a run needs it; else it is for what `remedy` states.
    """

    name: str
    works: bool
    found: str
    remedy: str = FINE
    needed: bool = False


def guard(name: str, examine: Callable[[], Iterable[HealthItem]]) -> list[HealthItem]:
    """The findings of an examination; where it breaks down itself, a finding that reports how.

    That which is missing on a machine may be just what an examination imports.
    """
    try:
        return list(examine())
    except Exception as error:
        message = " ".join(f"{type(error).__name__}: {error}".split())
        remedy = "install again, pip install -e ., and look at the other lines; else report this"
        return [HealthItem(name, False, message, remedy, needed=True)]
