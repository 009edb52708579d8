"""Requests, in a run's description."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from msgspec import UNSET, UnsetType

from sim.dynamics.request_kinds import request_channel
from sim.recording.schema.base import Facts
from sim.recording.schema.element_facts import JointEndsFacts, NamesFacts, facts_of, value_of

if TYPE_CHECKING:
    from sim.dynamics.request import Request


class RequestFacts(Facts, frozen=True, kw_only=True):
    """Curves requested by a scenario; see `sim.dynamics.request.Request`.

    Parameters
    ----------
    units : mapping of str to str
        Unit of each component, by its function.
    group : {"variable", "part", "result"}
        Group of its channels, if not ``request``.
    """

    name: str
    functions: dict[str, str]
    names: NamesFacts
    joints: tuple[JointEndsFacts, ...]
    units: dict[str, str]
    group: Literal["variable", "part", "result"] | UnsetType = UNSET

    def channel(self, component: str) -> str:
        """Return the channel of a component."""
        return request_channel(self.group or "request", self.name, component)

    @property
    def quaternions(self) -> tuple[tuple[str, ...], ...]:
        """Channels e0 to e3 of each complete orientation."""
        turns: dict[str, dict[str, str]] = {}
        for component, text in self.functions.items():
            if match := re.fullmatch(r"\s*ORIENT\(27,\s*([1-4]),(.*)\)\s*", text, re.IGNORECASE):
                four = turns.setdefault(match[2].replace(" ", "").upper(), {})
                four[match[1]] = self.channel(component)
        return tuple(tuple(four[k] for k in "1234") for four in turns.values() if len(four) == 4)

    @property
    def channels(self) -> dict[str, str]:
        """Unit of each of its channels."""
        return {self.channel(component): unit for component, unit in self.units.items()}


def request_facts(request: Request) -> RequestFacts:
    """Return a request in the form of a description."""
    return RequestFacts(
        name=request.name,
        functions={component: one.text for component, one in request.expressions.items()},
        names=facts_of(request.names),
        joints=tuple(map(facts_of, request.joints)),
        units={channel.rpartition(".")[2]: unit for channel, unit in request.units.items()},
        group=UNSET if request.group == "request" else request.group,  # type: ignore[arg-type]
    )


def request_of(facts: RequestFacts) -> Request:
    """Return the request in a description; raises as `value_of`."""
    from sim.dynamics.request import Request

    joints, group = tuple(map(value_of, facts.joints)), facts.group or "request"
    names = value_of(facts.names)
    return Request(facts.name, facts.functions, names=names, joints=joints, group=group)
