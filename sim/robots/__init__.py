"""Robots: what a URDF and its card say, as frozen values."""

from typing import TYPE_CHECKING

from sim.robots.catalogue import load_robot, shipped_robots
from sim.robots.model import Inertia, Joint, Limits, Link, Mimic, Robot
from sim.robots.payload import Payload
from sim.robots.urdf import read_urdf

if TYPE_CHECKING:
    from sim.robots.card import Card

__all__ = [
    "Card",
    "Inertia",
    "Joint",
    "Limits",
    "Link",
    "Mimic",
    "Payload",
    "Robot",
    "load_robot",
    "read_urdf",
    "shipped_robots",
]


def __getattr__(name: str) -> object:
    if name == "Card":  # its module needs msgspec, which a robot without a card does not
        from sim.robots.card import Card

        return Card
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
