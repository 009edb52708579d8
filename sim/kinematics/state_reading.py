"""Functions of the state: DM, DX … WZ between markers, VARVAL and SFORCE, at N states.

Displacements and angles are jets with value and rate, which determines the side of an IF or a STEP
of them; in time velocities have values only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol, cast

import numpy as np

from sim.errors import ScenarioError
from sim.functions import jet
from sim.functions.jet import Jet
from sim.functions.state_functions import GROUND
from sim.functions.syntax import Reading, evaluate
from sim.kinematics.forward import FrameMotion, Kinematics, body_poses, marker_place
from sim.kinematics.moving_frame import (
    FORMULAS,
    VELOCITIES,
    MovingFrame,
    Pair,
    dot,
    length_of,
    projected_angle,
)
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.maths.rotations import whole_turns
from sim.robots.marker import Marker
from sim.robots.names import Names
from sim.robots.robot import Robot

PARALLEL = 1e-12  # 1 - cos of the angle between axes that coincide: 1.4e-6 rad
HALF_TURN = 1e-2  # rad; distance that an arctangent must keep from it


class ReadForce(Protocol):
    """A force that SFORCE reads."""

    def on_marker(self, side: int, t: Array, kinematics: Kinematics) -> tuple[Array, Array]:
        """Return force and torque at the marker of side i (0) or j (1), world axes, (3, N) each."""
        ...


class JetsOfReadings(ABC):
    """Jets of functions of the state, each computed once, by time or along a small motion.

    Parameters
    ----------
    kinematics : Kinematics
    names : Names
        Names of the labels.
    """

    def __init__(self, kinematics: Kinematics, names: Names) -> None:
        self.kinematics, self.names = kinematics, names
        self._jets: dict[tuple[str, tuple[str, ...], tuple[float, ...]], Jet] = {}

    def __call__(self, reading: Reading) -> Jet:
        """Return value and derivative of a function of the state.

        Raises
        ------
        ScenarioError
            If an uncounted angle comes near half a turn, beyond which it would jump, or a state
            does not exist.
        """
        key = reading.name, reading.labels, reading.numbers
        if key not in self._jets:
            self._jets[key] = self._read(reading)
        return self._jets[key]

    def _read(self, reading: Reading) -> Jet:
        """Compute the jet."""
        name, labels = reading.name, reading.labels
        if name in ("VARVAL", "DIF"):
            return self._variable(name, labels[0])
        if name == "SFORCE":
            return self._force(reading)
        if name[0] == "A":
            return self._angle(name, labels)
        axis = "XYZ".find(name[1]) if name[0] == "W" else -1
        signs = None if axis < 0 else self._signs_of_hinges(axis, labels)
        if signs is not None:
            return Jet(*self._hinges(signs)[1], jet.ZERO)
        return FORMULAS[name](*(self._frame(self.names.marker(label)) for label in labels))

    @abstractmethod
    def _frame(self, marker: Marker) -> MovingFrame:
        """Return the frame of a marker."""

    @abstractmethod
    def _variable(self, name: str, label: str) -> Jet:
        """Return VARVAL or DIF."""

    @abstractmethod
    def _wrench(self, label: str, side: int) -> tuple[Pair, Pair]:
        """Return force and torque of a named force at its marker i (0) or j (1), world axes."""

    @abstractmethod
    def _hinges(self, signs: Array) -> tuple[Pair, Pair]:
        """Return the sum of tree joints' positions by signs (n_tree,), and that of velocities."""

    def _force(self, reading: Reading) -> Jet:
        side, component = (int(number) for number in reading.numbers)
        pair = self._wrench(reading.labels[0], side)[0 if component < 5 else 1]
        axis = (component - 1) % 4
        if axis == 0:
            return length_of(pair)
        return dot(pair, self._frame(self.names.marker(reading.labels[1])).axis(axis - 1))

    def _angle(self, name: str, labels: tuple[str, ...]) -> Jet:
        """Return AX, AY or AZ: for hinges about that axis the sum of their angles, with turns."""
        i, j = (self.names.marker(label) for label in (*labels, GROUND)[:2])
        axis = "XYZ".index(name[1])
        if (hinges := hinges_between(self.kinematics.robot, i, j, axis)) is not None:
            angle, rate = self._hinges(hinges[1])[0]
            return Jet(hinges[0] + angle, rate, jet.ZERO)
        projected = projected_angle(axis, self._frame(i), self._frame(j))
        counted = self.kinematics.states.get((name, i, j))
        if counted is None:
            return self._principal_angle(name, i, j, projected)
        turns = whole_turns(counted - projected.value)
        return Jet(projected.value + turns, projected.first, jet.ZERO)

    def _principal_angle(self, name: str, i: Marker, j: Marker, angle: Jet) -> Jet:
        """Return an angle whose turns are not counted."""
        return angle

    def _signs_of_hinges(self, axis: int, labels: tuple[str, ...]) -> Array | None:
        """Return the hinges of WX, WY or WZ if all are along that axis, which k shares; or None."""
        i, j, k = (self.names.marker(label) for label in (*labels, GROUND, GROUND)[:3])
        robot = self.kinematics.robot
        hinges = hinges_between(robot, i, j, axis)
        if hinges is None or (j != k and hinges_between(robot, j, k, axis) is None):
            return None
        return hinges[1]


class StateReading(JetsOfReadings):
    """Values of functions of the state at N times and states, each computed once.

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    kinematics : Kinematics
    names : Names
        Names of the labels.
    z : mapping of str to ndarray, shape (N,), optional
        Further states for DIF, besides those of `kinematics`, by name in capitals.
    """

    def __init__(
        self, t: Array, kinematics: Kinematics, names: Names, z: Mapping[str, Array] | None = None
    ) -> None:
        super().__init__(kinematics, names)
        self.t, self.z = t, z or {}

    def _read(self, reading: Reading) -> Jet:
        value = super()._read(reading)
        return Jet.constant(value.value) if reading.name in VELOCITIES else value

    def _variable(self, name: str, label: str) -> Jet:
        if name == "VARVAL":
            time = Jet.time(self.t)
            for other in self.names.order_of(label):  # each once, before its readers
                key = name, (other,), ()
                if key not in self._jets:
                    self._jets[key] = evaluate(self.names.expressions[other].tree, time, self)
            return evaluate(self.names.expressions[label].tree, time, self)
        state = self.z.get(label, self.kinematics.states.get(label))
        if state is None:
            raise ScenarioError(
                f"DIF({label.lower()}): no state has this name; torques read the states of their "
                "own law, and all strings those of a sim.States among the forces of a run (modes "
                "have no states)"
            )
        return Jet.constant(state)

    def _motion(self, label: str) -> FrameMotion:
        return self.kinematics.marker(self.names.marker(label))

    def _frame(self, marker: Marker) -> MovingFrame:
        return MovingFrame.in_time(self.kinematics.marker(marker))

    def _wrench(self, label: str, side: int) -> tuple[Pair, Pair]:
        force, none = cast("ReadForce", self.names.force_by_label[label]), np.zeros((3, 1))
        F, T = force.on_marker(side, self.t, self.kinematics)
        return (F, none), (T, none)

    def _hinges(self, signs: Array) -> tuple[Pair, Pair]:
        q, qd = self.kinematics.on_tree
        return (signs @ q, signs @ qd), (signs @ qd, jet.ZERO)

    def _principal_angle(self, name: str, i: Marker, j: Marker, angle: Jet) -> Jet:
        near = np.abs(angle.value) > np.pi - HALF_TURN
        if np.any(near):
            time = float(np.broadcast_to(self.t, near.shape)[near][0])
            raise ScenarioError(
                f"{name}({i.name}, {j.name}) comes to half a turn at t = {time:.6g} s, where it "
                "jumps: whole turns are counted of markers that hinges along their "
                f"{name[1].lower()} axes join, and for the strings of a run; rotate one marker, "
                "or measure the angle differently"
            )
        return angle


@lru_cache(maxsize=256)
def hinges_between(robot: Robot, i: Marker, j: Marker, axis: int) -> tuple[float, Array] | None:
    """Return the angle of two markers connected only by hinges about a common axis.

    Parameters
    ----------
    axis : int
        0, 1 or 2 for x, y or z, of both markers.

    Returns
    -------
    (float, ndarray of shape (n_tree,)) or None
        Angle at q = 0, and its rate per tree joint; None if another hinge is between the markers or
        their axes are not parallel.
    """
    return hinges_about(robot, marker_place(robot, i), marker_place(robot, j), axis)


def hinges_about(
    robot: Robot, i: tuple[int, Array], j: tuple[int, Array], axis: int
) -> tuple[float, Array] | None:
    """Return sense and angles of the hinges between two frames, by body and pose in it."""
    tree = tree_of(robot)
    poses = body_poses(tree, np.zeros((tree.n, 1)))
    (body_i, T_i), (body_j, T_j) = i, j
    R_i, R_j = poses.rotation(body_i, T_i[:3, :3]), poses.rotation(body_j, T_j[:3, :3])
    e = R_j[:, axis, 0]
    if R_i[:, axis, 0] @ e < 1 - PARALLEL:
        return None
    signs = np.zeros(tree.n)
    ways = tree.ancestors(body_i), tree.ancestors(body_j)
    for sense, one_way, other in ((1.0, *ways), (-1.0, *ways[::-1])):
        for joint in set(one_way) - set(other):
            if tree.prismatic[joint]:
                continue
            along = float(poses.axis(joint)[:, 0] @ e)
            if abs(along) < 1 - PARALLEL:
                return None
            signs[joint] = sense * np.sign(along)
    zero = np.zeros((3, 1))
    still = (MovingFrame.in_time(FrameMotion(R, zero, zero, zero)) for R in (R_i, R_j))
    at_zero = projected_angle(axis, *still)
    return float(at_zero.value[0]), signs
