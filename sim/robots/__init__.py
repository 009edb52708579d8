"""Robots: what a URDF and its card say, as frozen values."""

from typing import TYPE_CHECKING

from sim.robots.catalogue import load_robot, shipped_robots
from sim.robots.model import Inertia, Joint, Limits, Link, Mimic, Robot
from sim.robots.payload import Payload
from sim.robots.urdf import read_urdf

if TYPE_CHECKING:
    from sim.robots.card import Card
    from sim.robots.loops import Loop

__all__ = [
    "Card",
    "Inertia",
    "Joint",
    "Limits",
    "Link",
    "Loop",
    "Mimic",
    "Payload",
    "Robot",
    "load_robot",
    "read_urdf",
    "shipped_robots",
]


def __getattr__(name: str) -> object:
    # Their modules need msgspec, which a robot without a card and loops does not.
    if name == "Card":
        from sim.robots.card import Card

        return Card
    if name == "Loop":
        from sim.robots.loops import Loop

        return Loop
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
