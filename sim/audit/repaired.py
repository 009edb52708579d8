"""What a reader repaired in a file by itself, as findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from sim.audit.finding import Finding


class Repaired(Protocol):
    """One thing that a reader took otherwise than the file says it."""

    @property
    def link(self) -> str:
        """The link or joint that it concerns."""
        ...

    @property
    def says(self) -> str:
        """What the file says."""
        ...

    @property
    def taken(self) -> str:
        """What was taken instead."""
        ...

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints whose torques depend on it."""
        ...

    @property
    def why(self) -> str:
        """Why what the file says cannot be."""
        ...


def repaired(repairs: Iterable[Repaired]) -> Iterator[Finding]:
    """A warning for each repair: the torques rest on what the file does not say."""
    for one in repairs:
        touched = ", ".join(one.joints) or "no joint"
        text = f"the file says {one.says}; taken was {one.taken}: {one.why}; it touches {touched}"
        yield Finding("warning", "repaired", one.link, None, text, "write what is meant")
