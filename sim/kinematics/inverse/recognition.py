"""Recognition of the closed-form family that fits a robot."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sim.errors import ModelError
from sim.kinematics.inverse import five_axis, palletizer, spherical_wrist, ur
from sim.kinematics.inverse.family import Family
from sim.kinematics.inverse.lines import Lines, lines_of
from sim.kinematics.poe import screws_of
from sim.robots.robot import Robot

NUMERICAL = "numerical"

FITS: dict[str, Callable[[Lines], Family | None]] = {
    "ur": ur.fit,
    "spherical_wrist": spherical_wrist.fit,
    "five_axis": five_axis.fit,
    "palletizer": palletizer.fit,
}


@lru_cache(maxsize=64)
def family_of(robot: Robot, frame: str | None = None) -> Family | None:
    """Return the family of a robot's chain to a link; None if it requires a numerical solution.

    The card's ``ik`` names the family, or ``numerical``; by default the geometry of the screw axes
    determines it.

    Raises
    ------
    ModelError
        If the robot has no such link, or the card names a family that does not exist or does not
        match the axes.
    """
    named = None if robot.card is None else robot.card.ik
    if named == NUMERICAL:
        return None
    if named is not None and named not in FITS:
        raise ModelError(
            f"Card of robot {robot.name!r}: ik {named!r} is no family of inverse kinematics; "
            f"allowed: {', '.join(FITS)}, {NUMERICAL}"
        )
    lines = lines_of(screws_of(robot, frame), robot.T_0b[:3, 2])
    family = None if lines is None else _fitting_family(lines, named)
    if family is None and named is not None and frame in (None, robot.tool):
        raise ModelError(
            f"Card of robot {robot.name!r}: ik is {named!r}, but the axes of the chain to "
            f"{frame or robot.tool!r} do not have that geometry; correct the URDF or leave ik out"
        )
    return family


def _fitting_family(lines: Lines, named: str | None) -> Family | None:
    names = FITS if named is None else (named,)
    fits = (FITS[name](lines) for name in names)
    return next((family for family in fits if family is not None), None)
