"""Clearance: settings of the distances between links, and to a floor."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sim.errors import ScenarioError
from sim.maths.arguments import checked
from sim.robots.robot import Robot
from sim.showing.one_line import ChangesShown

FLOOR = "floor"


@checked
@dataclass(frozen=True, repr=False)
class Clearance(ChangesShown):
    """Required distance of links from each other, and from a floor.

    Parameters
    ----------
    wanted : float
        Smallest allowed distance [m]; 0: links must not touch.
    floor : float, optional
        Height of a floor in the world [m], to which moving links must keep the same distance
        (default: no floor).
    exclude : iterable of pairs of str
        Pairs of links that are not checked, in addition to those that touch by design; one link may
        be ``"floor"``.

    Raises
    ------
    ScenarioError
        If a number is not finite, the distance is negative, or a pair is not two names.
    """

    wanted: float = 0.0
    floor: float | None = None
    exclude: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        distance = _metres("wanted", self.wanted)
        if distance < 0:
            raise ScenarioError(
                f"clearance: the required distance must not be negative, got {distance:g} m"
            )
        object.__setattr__(self, "wanted", distance)
        if self.floor is not None:
            object.__setattr__(self, "floor", _metres("floor", self.floor))
        object.__setattr__(self, "exclude", tuple(_pairs(self.exclude)))

    def require_links(self, robot: Robot) -> None:
        """Check that the excluded links are those of a robot.

        Raises
        ------
        ScenarioError
            Names the pair, and the existing links.
        """
        links = [link.name for link in robot.links]
        for pair in self.exclude:
            for name in pair:
                if name not in (*links, FLOOR):
                    raise ScenarioError(
                        f"clearance: robot {robot.name!r} has no link {name!r}, which is to be "
                        f"excluded with {pair[pair[0] == name]!r}; links: {', '.join(links)}"
                    )


def _metres(name: str, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise ScenarioError(f"clearance: {name} must be a finite number of metres, got {value!r}")


def _pairs(excluded: object) -> Iterable[tuple[str, str]]:
    if not isinstance(excluded, Iterable) or isinstance(excluded, str):
        raise ScenarioError(f"clearance: exclude must be pairs of links, got {excluded!r}")
    for pair in excluded:
        names = () if isinstance(pair, str) or not isinstance(pair, Iterable) else tuple(pair)
        if len(names) != 2 or not all(isinstance(name, str) and name for name in names):
            raise ScenarioError(f"clearance: exclude takes pairs of two links, got {pair!r}")
        if names[0] == names[1]:
            raise ScenarioError(f"clearance: exclude names link {names[0]!r} with itself")
        yield names
