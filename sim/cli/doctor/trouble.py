"""One item of the diagnosis: its state and the remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

FINE = "nothing to do"


@dataclass(frozen=True)
class HealthItem:
    """One item of the diagnosis.

    Parameters
    ----------
    name : str
        Name of the item.
    works : bool
    found : str
        Version, path, or description of the fault.
    remedy : str
        Remedy, a command where possible.
    needed : bool
        Whether a run requires it; otherwise `remedy` states its use.
    """

    name: str
    works: bool
    found: str
    remedy: str = FINE
    needed: bool = False


def guard(name: str, examine: Callable[[], Iterable[HealthItem]]) -> list[HealthItem]:
    """Run a diagnosis; if it fails itself, return an item with its error.

    A diagnosis may import the very package that is missing.
    """
    try:
        return list(examine())
    except Exception as error:
        message = " ".join(f"{type(error).__name__}: {error}".split())
        remedy = "reinstall (pip install -e .) and check the other lines; otherwise report this"
        return [HealthItem(name, False, message, remedy, needed=True)]
