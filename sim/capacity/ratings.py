"""Ratings: what the drives of a robot may give, and how fast its joints may move."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sim.errors import ScenarioError
from sim.maths.arrays import Array, frozen
from sim.robots.robot import Robot
from sim.showing.one_line import one_line

PerJoint = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Ratings:
    """Largest torque and power of each drive, largest speed of each joint; infinite if not rated.

    Parameters
    ----------
    torque, power : ndarray, shape (n,)
        Of the joints that follow no other [N·m or N], [W].
    speed : ndarray, shape (n_tree,)
        Of all joints that move [rad/s or m/s].
    """

    torque: Array
    speed: Array
    power: Array

    def __repr__(self) -> str:
        counts = (int(np.isfinite(x).sum()) for x in (self.torque, self.speed, self.power))
        return one_line("Ratings:", *map("{} {}".format, counts, ("torques", "speeds", "powers")))

    @classmethod
    def of(
        cls,
        robot: Robot,
        torque: PerJoint | None = None,
        speed: PerJoint | None = None,
        power: PerJoint | None = None,
    ) -> Ratings:
        """Ratings of the URDF, with others in their place by joint; a URDF rates no power.

        Parameters
        ----------
        torque, speed, power : mapping of str to float, optional
            [N·m or N], [rad/s or m/s], [W]

        Raises
        ------
        ScenarioError
            If a joint is not there or follows another, a rating is not above 0, or nothing is
            rated at all.
        """
        efforts = [row.limits.effort for row in robot.coordinates]
        tree = [row.limits.velocity for row in robot.tree_coordinates]
        names = robot.row_names
        ratings = cls(
            _with(efforts, names, torque, "torque", robot),
            _with(tree, robot.tree_row_names, speed, "speed", robot),
            _with([math.inf] * len(names), names, power, "power", robot),
        )
        if not any(np.isfinite(x).any() for x in (ratings.torque, ratings.speed, ratings.power)):
            raise ScenarioError(
                f"Robot {robot.name!r} has no ratings: no joint has effort or velocity in its "
                "URDF's <limit>; write them there, or give torque, speed or power by joint"
            )
        return ratings

    def missing(self, robot: Robot) -> tuple[str, ...]:
        """Missing ratings, which are not judged, such as ``elbow torque``; power is optional."""
        rows = (
            (robot.row_names, self.torque, "torque"),
            (robot.tree_row_names, self.speed, "speed"),
        )
        return tuple(
            f"{name} {what}"
            for names, values, what in rows
            for name, value in zip(names, values.tolist(), strict=True)
            if math.isinf(value)
        )


def _with(
    usual: list[float], names: tuple[str, ...], stated: PerJoint | None, what: str, robot: Robot
) -> Array:
    """Ratings of the URDF, where 0 is none, with those that are given."""
    values = [x if x > 0 else math.inf for x in usual]
    for name, value in (stated or {}).items():
        if name not in names:
            raise ScenarioError(
                f"{what} of {name!r}: robot {robot.name!r} has no such driven joint; driven: "
                f"{', '.join(names)}"
            )
        if not (isinstance(value, int | float) and value > 0):
            raise ScenarioError(f"{what} of {name!r} must be a number above 0, got {value!r}")
        values[names.index(name)] = float(value)
    return frozen(values)
