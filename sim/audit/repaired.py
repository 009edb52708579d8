"""What a reader repaired in a file by itself, as findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from sim.audit.finding import Finding


class Repaired(Protocol):
    """One thing that a reader took otherwise than the file says it."""

    @property
    def part(self) -> str:
        """The link or joint that it concerns: ``link 'hand'``."""
        ...

    @property
    def says(self) -> str:
        """What is wrong, with the numbers of the file."""
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
        """Why it was taken so."""
        ...


def repaired(repairs: Iterable[Repaired]) -> Iterator[Finding]:
    """A warning for each repair: a run would rest on what the file does not say."""
    for one in repairs:
        quoted = one.part.partition("'")[2].removesuffix("'")
        touched = f"the torque of {', '.join(one.joints)}" if one.joints else "no torque"
        text = f"{one.says}; taken was {one.taken}: {one.why}; it can touch {touched}"
        yield Finding("warning", "repaired", quoted or one.part, None, text, "write what is meant")
