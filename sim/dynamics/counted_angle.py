"""CountedAngle: AX, AY or AZ of two markers whose whole turns a solver counts.

An arctangent determines an angle up to whole turns. The rate of the angle is integrated with the
motion, and of all possible angles the one nearest to that integral is taken: at each state of the
solver, at each sample and from the files of a run, with the accuracy of the arctangent itself. If
all joints are prescribed, the angle is followed from sample to sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import structs

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force_element import ElementState, ForceElement
from sim.kinematics.forward import Kinematics, marker_place
from sim.kinematics.moving_frame import MovingFrame, projected_angle
from sim.kinematics.state_reading import hinges_between
from sim.maths.arrays import Array
from sim.maths.rotations import whole_turns
from sim.robots.marker import Angle, Marker
from sim.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class CountedAngle(ForceElement):
    """``dα/dt`` of AX, AY or AZ, integrated with the motion; it exerts no force.

    Parameters
    ----------
    function : {"AX", "AY", "AZ"}
    i, j : Marker
        Angle of i relative to j, about x, y or z of j.
    at_start : float
        Angle at the start of the run, in (-π, π] [rad].

    References
    ----------
    MSC Adams Solver, functions AX, AY and AZ, which count whole turns.
    """

    function: str
    i: Marker
    j: Marker
    at_start: float

    @property
    def angle(self) -> Angle:
        """Function and markers of the angle."""
        return self.function, self.i, self.j

    @property
    def is_steady(self) -> bool:
        """True: forces read the angle, and it exerts none."""
        return True

    def title(self, robot: Robot) -> str:
        """Return the text for a message."""
        return f"turns of {self.function}({self.i.name}, {self.j.name}) are counted"

    def require_usable(self, robot: Robot, duration: float) -> None:
        """Check that the links of both markers exist; raises as `marker_place`."""
        for marker in (self.i, self.j):
            marker_place(robot, marker)

    def start(self, robot: Robot) -> Array:
        """Return the angle at the start, shape (1,) [rad]."""
        return np.array([self.at_start])

    @property
    def state_names(self) -> tuple[Angle]:
        """Angle as the name of the state."""
        return (self.angle,)

    def rate(self, at: ElementState) -> Array:
        """Return dα/dt, shape (1, N) [rad/s]."""
        rate = _angle(self.angle, at.kinematics)[1]
        return np.reshape(np.broadcast_to(rate, at.t.shape), (1, -1))

    def along(self, t: Array, kinematics: Kinematics) -> tuple[Array, Array]:
        """Return the angle along a motion from the start on, and its rate, (N,) each.

        Whole turns between samples are found from the mean rate, to within half a turn.
        """
        value, rate = (np.broadcast_to(x, t.shape) for x in _angle(self.angle, kinematics))
        step = np.diff(value)
        step += whole_turns(0.5 * (rate[1:] + rate[:-1]) * np.diff(t) - step)
        return self.at_start + np.concatenate([[0.0], np.cumsum(step)]), rate


def _angle(angle: Angle, kinematics: Kinematics) -> tuple[Array, Array]:
    """Return the angle in (-π, π] and its rate [rad], [rad/s]."""
    function, i, j = angle
    axis = "XYZ".index(function[1])
    frames = (MovingFrame.in_time(kinematics.marker(marker)) for marker in (i, j))
    projected = projected_angle(axis, *frames)
    return projected.value, projected.first


def counted_in(elements: Iterable[ForceElement]) -> tuple[CountedAngle, ...]:
    """Return the counted angles among force elements."""
    return tuple(one for one in elements if isinstance(one, CountedAngle))


def turned_to(elements: ElementSum, angles: Mapping[str | Angle, Array]) -> ElementSum:
    """Return the elements with their counted angles started at these values, () each [rad]."""
    placed = (
        replace(one, at_start=float(angles[one.angle])) if isinstance(one, CountedAngle) else one
        for one in elements.elements
    )
    return structs.replace(elements, elements=tuple(placed))


def angles_along(
    counted: Sequence[CountedAngle], t: Array, kinematics: Kinematics
) -> tuple[Array, Array]:
    """Return angles along a motion from the start on, and their rates, (k, N) each."""
    angles, rates = zip(*(one.along(t, kinematics) for one in counted), strict=True)
    return np.stack(angles), np.stack(rates)


def counted_angles(angles: Iterable[Angle], robot: Robot, q: Array) -> tuple[CountedAngle, ...]:
    """Return the angles that expressions read and that are no hinge's own angle, each once.

    Parameters
    ----------
    angles : iterable of Angle
        Angles read by forces, requests and motors.
    robot : Robot
    q : ndarray, shape (n, 1)
        Independent joints at the start [rad or m].
    """
    if not (angles := tuple(angles)):
        return ()
    from sim.dynamics.request_reading import FLICKER

    kinematics, counted = Kinematics(robot, q, np.zeros_like(q)), dict[Angle, CountedAngle]()
    for angle in angles:
        function, i, j = angle
        if angle in counted or hinges_between(robot, i, j, "XYZ".index(function[1])) is not None:
            continue
        value = float(_angle(angle, kinematics)[0][0])
        value += 2 * np.pi if value <= FLICKER - np.pi else 0.0
        counted[angle] = CountedAngle(function, i, j, value)
    return tuple(counted.values())
