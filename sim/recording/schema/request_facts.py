"""Requests, as a run's description keeps them."""

from __future__ import annotations

import re
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from sim.recording.schema.base import Facts
from sim.recording.schema.element_facts import MarkerFacts, NamesFacts


class JointEndsFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """A joint that functions read, between two markers; see `sim.dynamics.request.JointEnds`."""

    label: str
    joints: tuple[str, ...]
    i: MarkerFacts
    j: MarkerFacts
    loop: str = ""


class ModelNamesFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """What another program calls parts and joints; see `sim.dynamics.model_names.ModelNames`."""

    parts: dict[str, MarkerFacts] = msgspec.field(default_factory=dict)
    joints: dict[str, JointEndsFacts] = msgspec.field(default_factory=dict)
    motions: dict[str, str] = msgspec.field(default_factory=dict)


class RequestFacts(Facts, frozen=True, kw_only=True):
    """Curves that a scenario asks for; see `sim.dynamics.request.Request`.

    Parameters
    ----------
    units : mapping of str to str
        Of each component, by its function.
    group : {"variable", "part", "result"}
        Of its channels, if not ``request``.
    """

    name: str
    functions: dict[str, str]
    names: NamesFacts
    joints: tuple[JointEndsFacts, ...]
    units: dict[str, str]
    group: Literal["variable", "part", "result"] | UnsetType = UNSET

    def channel(self, component: str) -> str:
        """The channel of a component."""
        return request_channel(self.group or "request", self.name, component)

    @property
    def quaternions(self) -> tuple[tuple[str, ...], ...]:
        """The channels e0 to e3 of each orientation that it has whole."""
        found: dict[str, dict[str, str]] = {}
        for component, text in self.functions.items():
            if match := re.fullmatch(r"\s*ORIENT\(27,\s*([1-4]),(.*)\)\s*", text, re.IGNORECASE):
                four = found.setdefault(match[2].replace(" ", "").upper(), {})
                four[match[1]] = self.channel(component)
        return tuple(tuple(four[k] for k in "1234") for four in found.values() if len(four) == 4)

    @property
    def channels(self) -> dict[str, str]:
        """Unit of each of its channels."""
        return {self.channel(own): unit for own, unit in self.units.items()}


def request_channel(group: str, name: str, component: str) -> str:
    """Channel of a request's component; variables have no name between."""
    return f"variable.{component}" if group == "variable" else f"{group}.{name}.{component}"
