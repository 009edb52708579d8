"""Functions of the state: DM, DX … WZ between markers, VARVAL and SFORCE, at N states.

Displacements and angles are jets with value and rate, which determines the side of an IF or a STEP
of them; velocities have values only. Optional arguments of ADAMS default to the world.

Source: MSC Adams Solver function reference, displacement and velocity functions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Protocol, cast

import numpy as np

from sim.errors import ScenarioError
from sim.functions import jet
from sim.functions.jet import Jet
from sim.functions.state_functions import GROUND
from sim.functions.syntax import Reading, evaluate
from sim.kinematics.forward import FrameMotion, Kinematics, body_poses, marker_place
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.maths.rotations import cross, whole_turns
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
    """Jets of functions of the state, each computed once."""

    def __init__(self) -> None:
        self._jets: dict[tuple[str, tuple[str, ...], tuple[float, ...]], Jet] = {}

    def __call__(self, reading: Reading) -> Jet:
        """Return value and rate of a function of the state.

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

    @abstractmethod
    def _read(self, reading: Reading) -> Jet:
        """Compute the jet."""


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
        self,
        t: Array,
        kinematics: Kinematics,
        names: Names,
        z: Mapping[str, Array] | None = None,
    ) -> None:
        super().__init__()
        self.t, self.kinematics, self.names = t, kinematics, names
        self.z = z or {}

    def _read(self, reading: Reading) -> Jet:
        name, labels = reading.name, reading.labels
        if name in ("VARVAL", "DIF"):
            return self._variable(name, labels[0])
        if name == "SFORCE":
            return self._force(reading)
        if name == "VR":
            return Jet.constant(self(Reading("DM", labels, (), reading.position)).first)
        if name[0] == "A":
            return self._angle(name, labels)
        axis = "XYZ".find(name[1]) if name[0] == "W" else -1
        rate = None if axis < 0 else self._hinge_rate(axis, labels)
        if rate is None:
            return FORMULAS[name](*(self._motion(label) for label in labels))
        return Jet.constant(rate)

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

    def _force(self, reading: Reading) -> Jet:
        force = cast("ReadForce", self.names.force_by_label[reading.labels[0]])
        side, component = (int(number) for number in reading.numbers)
        pair = force.on_marker(side, self.t, self.kinematics)
        wrench = pair[0 if component < 5 else 1]
        axis = (component - 1) % 4
        if axis == 0:
            return Jet.constant(np.sqrt(np.sum(wrench**2, axis=0)))
        R = self._motion(reading.labels[1]).R
        return Jet.constant(np.sum(R[:, axis - 1] * wrench, axis=0))

    def _angle(self, name: str, labels: tuple[str, ...]) -> Jet:
        """Return AX, AY or AZ: for hinges about that axis the sum of their angles, with turns."""
        i, j = (self.names.marker(label) for label in (*labels, GROUND)[:2])
        axis = "XYZ".index(name[1])
        hinges = hinges_between(self.kinematics.robot, i, j, axis)
        if hinges is not None:
            at_zero, signs = hinges
            q, qd = self.kinematics.on_tree
            return Jet(at_zero + signs @ q, signs @ qd, jet.ZERO)
        angle = projected_angle(axis, self.kinematics.marker(i), self.kinematics.marker(j))
        counted = self.kinematics.states.get((name, i, j))
        if counted is not None:
            return Jet(angle.value + whole_turns(counted - angle.value), angle.first, jet.ZERO)
        near = np.abs(angle.value) > np.pi - HALF_TURN
        if np.any(near):
            time = float(np.broadcast_to(self.t, near.shape)[near][0])
            raise ScenarioError(
                f"{name}({i.name}, {j.name}) comes to half a turn at t = {time:.6g} s, where it "
                "jumps: whole turns are counted of markers that hinges along their "
                f"{'xyz'[axis]} axes join, and for the strings of a run; turn one marker, or "
                "read the angle otherwise"
            )
        return angle

    def _hinge_rate(self, axis: int, labels: tuple[str, ...]) -> Array | None:
        """Return WX, WY or WZ of markers with hinges along that axis, which k shares; or None."""
        i, j, k = (self.names.marker(label) for label in (*labels, GROUND, GROUND)[:3])
        robot = self.kinematics.robot
        hinges = hinges_between(robot, i, j, axis)
        if hinges is None or (j != k and hinges_between(robot, j, k, axis) is None):
            return None
        return np.asarray(hinges[1] @ self.kinematics.on_tree[1])


def dot(a: tuple[Array, Array], b: tuple[Array, Array]) -> Jet:
    """Return the jet of a · b of two vectors with their rates."""
    value, first = np.sum(a[0] * b[0], axis=0), np.sum(a[1] * b[0] + a[0] * b[1], axis=0)
    return Jet(value, first, jet.ZERO)


def _axis(k: FrameMotion | None, axis: int) -> tuple[Array, Array]:
    """Return a unit vector of a marker, or of the world, and its rate."""
    if k is None:
        return np.eye(3)[:, axis, None], np.zeros((3, 1))
    e = k.R[:, axis]
    return e, cross(k.w, e)


def _separation(i: FrameMotion, j: FrameMotion | None) -> tuple[Array, Array]:
    """Return the vector from j to i, and its rate, in the world [m], [m/s]."""
    return (i.p, i.v) if j is None else (i.p - j.p, i.v - j.v)


def distance(i: FrameMotion, j: FrameMotion | None = None) -> Jet:
    """Return DM: |p_i - p_j|, with rate VR [m], [m/s]; at zero length its rate is |v_i - v_j|."""
    d, v = _separation(i, j)
    length = np.sqrt(np.sum(d * d, axis=0))
    coincide = length == 0.0
    along = np.sum(d * v, axis=0) / np.where(coincide, 1.0, length)
    rate = np.where(coincide, np.sqrt(np.sum(v * v, axis=0)), along)
    return Jet(length, rate, jet.ZERO)


def included_angle(i: FrameMotion, j: FrameMotion, k: FrameMotion) -> Jet:
    """Return INCANG: the angle at j between the lines to i and to k, in [0, π], with rate [rad].

    It is undefined for a line of zero length.
    """
    (d, v), (e, w) = _separation(i, j), _separation(k, j)
    normal, turning = cross(d, e), cross(v, e) + cross(d, w)
    across, along = np.sqrt(np.sum(normal * normal, axis=0)), np.sum(d * e, axis=0)
    is_line = across == 0.0
    faster = np.sum(normal * turning, axis=0) / np.where(is_line, 1.0, across)
    rate = np.where(is_line, np.sqrt(np.sum(turning * turning, axis=0)), faster)
    return jet.atan2(
        Jet(across, rate, jet.ZERO), Jet(along, np.sum(v * e + d * w, axis=0), jet.ZERO)
    )


def seen_velocity(
    i: FrameMotion, j: FrameMotion | None = None, seen_from: FrameMotion | None = None
) -> Array:
    """Return v_i - v_j as observed from a third marker, world axes, shape (3, N) [m/s]."""
    d, v = _separation(i, j)
    return v if seen_from is None else v - cross(seen_from.w, d)


def _speed(
    i: FrameMotion, j: FrameMotion | None = None, seen_from: FrameMotion | None = None
) -> Jet:
    return Jet.constant(np.sqrt(np.sum(seen_velocity(i, j, seen_from) ** 2, axis=0)))


def _turning(i: FrameMotion, j: FrameMotion | None) -> Array:
    return i.w if j is None else i.w - j.w


def _turning_speed(i: FrameMotion, j: FrameMotion | None = None) -> Jet:
    return Jet.constant(np.sqrt(np.sum(_turning(i, j) ** 2, axis=0)))


def _of_axis(axis: int) -> Mapping[str, Callable[..., Jet]]:
    """Return DX, VX and WX, or those of y or z."""

    def displacement(
        i: FrameMotion, j: FrameMotion | None = None, k: FrameMotion | None = None
    ) -> Jet:
        return dot(_separation(i, j), _axis(k, axis))

    def velocity(
        i: FrameMotion,
        j: FrameMotion | None = None,
        k: FrameMotion | None = None,
        seen_from: FrameMotion | None = None,
    ) -> Jet:
        e, _ = _axis(k, axis)
        return Jet.constant(np.sum(seen_velocity(i, j, seen_from) * e, axis=0))

    def turning(i: FrameMotion, j: FrameMotion | None = None, k: FrameMotion | None = None) -> Jet:
        e, _ = _axis(k, axis)
        return Jet.constant(np.sum(_turning(i, j) * e, axis=0))

    letter = "XYZ"[axis]
    return {f"D{letter}": displacement, f"V{letter}": velocity, f"W{letter}": turning}


FORMULAS: Mapping[str, Callable[..., Jet]] = {
    "DM": distance,
    "INCANG": included_angle,
    "VM": _speed,
    "WM": _turning_speed,
    **_of_axis(0),
    **_of_axis(1),
    **_of_axis(2),
}


def projected_angle(axis: int, i: FrameMotion, j: FrameMotion) -> Jet:
    """Return AX, AY or AZ in (-π, π]: the angle of a projected axis of i, with rate [rad]."""
    if axis == 2:
        x = _axis(i, 0)
        return jet.atan2(dot(x, _axis(j, 1)), dot(x, _axis(j, 0)))
    z = _axis(i, 2)
    aside = -dot(z, _axis(j, 1)) if axis == 0 else dot(z, _axis(j, 0))
    return jet.atan2(aside, dot(z, _axis(j, 2)))


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
    at_zero = projected_angle(axis, *(FrameMotion(R, zero, zero, zero) for R in (R_i, R_j)))
    return float(at_zero.value[0]), signs
