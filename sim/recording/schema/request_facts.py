"""Requests, as a run's description keeps them."""

from __future__ import annotations

import re

from sim.recording.schema.base import Facts
from sim.recording.schema.element_facts import MarkerFacts, NamesFacts


class JointEndsFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """A joint that functions read, between two markers; see `sim.dynamics.request.JointEnds`."""

    label: str
    joints: tuple[str, ...]
    i: MarkerFacts
    j: MarkerFacts
    loop: str = ""


class RequestFacts(Facts, frozen=True, kw_only=True):
    """Curves that a scenario asks for; see `sim.dynamics.request.Request`.

    Parameters
    ----------
    units : mapping of str to str
        Of each component, by its function.
    """

    name: str
    functions: dict[str, str]
    names: NamesFacts
    joints: tuple[JointEndsFacts, ...]
    units: dict[str, str]

    @property
    def quaternions(self) -> tuple[tuple[str, ...], ...]:
        """The channels e0 to e3 of each orientation that it has whole."""
        found: dict[str, dict[str, str]] = {}
        for component, text in self.functions.items():
            if match := re.fullmatch(r"\s*ORIENT\(27,\s*([1-4]),(.*)\)\s*", text, re.IGNORECASE):
                four = found.setdefault(match[2].replace(" ", "").upper(), {})
                four[match[1]] = f"request.{self.name}.{component}"
        return tuple(tuple(four[k] for k in "1234") for four in found.values() if len(four) == 4)

    @property
    def channels(self) -> dict[str, str]:
        """Unit of each of its channels."""
        return {f"request.{self.name}.{own}": unit for own, unit in self.units.items()}
