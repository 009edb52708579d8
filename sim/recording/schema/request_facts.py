"""Requests, as a run's description keeps them."""

from __future__ import annotations

from sim.recording.schema.base import Facts
from sim.recording.schema.element_facts import MarkerFacts, NamesFacts


class JointEndsFacts(Facts, frozen=True, kw_only=True):
    """A joint that functions read, between two markers; see `sim.dynamics.request.JointEnds`."""

    label: str
    joints: tuple[str, ...]
    i: MarkerFacts
    j: MarkerFacts


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
    def channels(self) -> dict[str, str]:
        """Unit of each of its channels."""
        return {f"request.{self.name}.{own}": unit for own, unit in self.units.items()}
