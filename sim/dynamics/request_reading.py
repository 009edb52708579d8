"""Values for functions of a request: accelerations, orientations, forces of joints and drives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import msgspec
import numpy as np
from msgspec import Struct

from sim.dynamics.joint_ends import COMPONENTS, JointEnds
from sim.dynamics.marker_force import MarkerForce
from sim.errors import ModelError
from sim.functions.jet import Jet
from sim.functions.state_functions import EULER, EULER_PARAMETERS, GROUND
from sim.functions.syntax import Reading
from sim.kinematics.forward import Kinematics, marker_place
from sim.kinematics.jacobian import frame_acceleration
from sim.kinematics.state_reading import StateReading
from sim.maths.arrays import Array
from sim.maths.rotations import body_fixed_angles, cross, quaternion_xyzw, rpy_from_rotation
from sim.robots.joint import Joint
from sim.robots.loop import Loop
from sim.robots.marker import Marker
from sim.robots.names import Names
from sim.robots.robot import Robot

FLICKER = 1e-6  # rad within which an angle near -π is taken as +π, to be independent of rounding

ANGLES = {"PSI": ("ZXZ", 0), "THETA": ("ZXZ", 1), "PHI": ("ZXZ", 2)}
ANGLES |= {"YAW": ("ZYX", 0), "PITCH": ("ZYX", 1), "ROLL": ("ZYX", 2)}


class SolvedState(Struct, frozen=True, eq=False):
    """N states of a run and the solution there.

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    kinematics : Kinematics
    qdd : ndarray, shape (n, N)
        Accelerations of the independent joints [rad/s² or m/s²].
    reaction : mapping of str to ndarray, shape (6, N)
        Reaction on the child by joint, at and along its frame [N], [N·m].
    tau : mapping of str to ndarray, shape (N,)
        Effort of the drive of each joint that has one [N·m or N].
    loop_force : mapping of str to ndarray, shape (6, N)
        Force of link a on link b by loop, at point b, along the world's axes [N], [N·m].
    """

    t: Array
    kinematics: Kinematics
    qdd: Array
    reaction: Mapping[str, Array]
    tau: Mapping[str, Array]
    loop_force: Mapping[str, Array] = msgspec.field(default_factory=dict)


def ends_in(robot: Robot, joints: Sequence[JointEnds], label: str) -> JointEnds:
    """Return the joint with a name, in any case.

    Raises
    ------
    ModelError
        If there is none, or it does not move and no reaction of it is recorded.
    """
    for one in joints:
        if one.label.upper() == label.upper():
            for name in one.joints:
                robot.joint(name)
            return one
    moving = {joint.name.upper(): joint for joint in robot.tree_joints}
    if label.upper() in moving:
        joint = moving[label.upper()]
        rpy = rpy_from_rotation(joint.T_pc[:3, :3])
        j = Marker("j", joint.parent, joint.T_pc[:3, 3], rpy)
        return JointEnds(joint.name, (joint.name,), Marker("i", joint.child), j)
    for loop in robot.loops:
        if loop.name.upper() == label.upper():
            return loop_ends(loop)
    there = ", ".join(one.label for one in joints) or ", ".join(j.name for j in robot.tree_joints)
    if any(joint.name.upper() == label.upper() for joint in robot.joints):
        raise ModelError(
            f"joint {label.lower()!r} is fixed; a sim.Measure records its reaction, a request does "
            f"those of joints that move: {there}"
        )
    raise ModelError(f"joint {label.lower()!r} is not in robot {robot.name!r}; joints: {there}")


def loop_ends(loop: Loop) -> JointEnds:
    """Return a loop as a joint with its own name, between its two points."""
    i, j = Marker("i", loop.link_b, loop.point_b), Marker("j", loop.link_a, loop.point_a)
    return JointEnds(loop.name, (), i, j, loop.name)


class RequestReading(StateReading):
    """Values of functions of the state and its solution at N states, each computed once."""

    def __init__(self, at: SolvedState, names: Names, joints: Sequence[JointEnds]) -> None:
        super().__init__(at.t, at.kinematics, names)
        self.at, self.joints = at, joints
        self._accelerations: dict[str, Array] = {}

    def _read(self, reading: Reading) -> Jet:
        name = reading.name
        if name in ANGLES or name == "ORIENT":
            return Jet.constant(self._orientation(reading))
        if name in ("JOINT", "MOTION"):
            ends = ends_in(self.at.kinematics.robot, self.joints, reading.labels[0])
            side, component = (int(number) for number in reading.numbers)
            rows = (
                self._constraint_wrench(ends, side)
                if name == "JOINT"
                else self._drive_wrench(ends, side)
            )
            along = reading.labels[1]
            return Jet.constant(self._component(rows, component - 1, along))
        if name.startswith(("ACC", "WDT")):
            return Jet.constant(self._relative_acceleration(name, reading.labels))
        if name[0] in "FT" and len(name) == 2:
            i, j, *_ = (*reading.labels, GROUND)
            rows = self._action_only_wrench(i) if j == GROUND else self._wrench_between(i, j)
            place = "MXYZ".index(name[1]) + (4 if name[0] == "T" else 0)
            along = (*reading.labels, GROUND, GROUND)[2]
            return Jet.constant(self._component(rows, place, along))
        return super()._read(reading)

    def _component(self, rows: Array, place: int, along: str) -> Array:
        """Return component |F| Fx Fy Fz or |T| Tx Ty Tz along a marker's axes."""
        vector = rows[:3] if place < 4 else rows[3:]
        if place % 4 == 0:
            return np.asarray(np.sqrt(np.sum(vector**2, axis=0)))
        R = self._motion(along).R
        return np.asarray(np.sum(R[:, place % 4 - 1] * vector, axis=0))

    def _orientation(self, reading: Reading) -> Array:
        """Return an angle of i relative to j, or one of e0 to e3."""
        i, j = (self._motion(label) for label in (*reading.labels, GROUND)[:2])
        R = np.einsum("baN,bcN->acN", j.R, i.R)
        if reading.name in ANGLES:
            sequence, place = ANGLES[reading.name]
            # as for vehicles, PITCH is the negative of the second angle
            return (-1.0 if reading.name == "PITCH" else 1.0) * _angle(R, sequence, place)
        system, component = (int(number) for number in reading.numbers)
        if system == EULER_PARAMETERS:
            return quaternion_xyzw(R)[(component + 2) % 4]
        return _angle(R, EULER[system - 1], component - 1)

    def _acceleration(self, label: str) -> Array:
        """Return linear and angular acceleration of a marker, world axes, (6, N)."""
        if label not in self._accelerations:
            marker, at = self.names.marker(label), self.at
            kinematics = at.kinematics
            if marker_place(kinematics.robot, marker)[0] < 0:
                return np.zeros((6, at.t.size))
            state = kinematics.q, kinematics.qd, at.qdd
            of_link = frame_acceleration(kinematics.robot, marker.link, *state)
            arm = np.einsum("abN,b->aN", kinematics.rotation(marker.link), marker.point)
            w, turning = kinematics.marker(marker).w, of_link[3:]
            a = of_link[:3] + cross(turning, arm) + cross(w, cross(w, arm))
            self._accelerations[label] = np.concatenate([a, turning])
        return self._accelerations[label]

    def _relative_acceleration(self, name: str, labels: tuple[str, ...]) -> Array:
        """Return the acceleration of i relative to j, as observed from l, along k."""
        optional = 2 if name[-1] == "M" else 3  # a magnitude has no k
        i, j, *rest = (*labels, *[GROUND] * (optional + 1 - len(labels)))
        k, seen_from = (GROUND, rest[0]) if optional == 2 else rest
        one, other = self._motion(i), self._motion(j)
        relative = self._acceleration(i) - self._acceleration(j)
        w, dw = self._motion(seen_from).w, self._acceleration(seen_from)[3:]
        if name.startswith("WDT"):
            vector = relative[3:] - cross(w, one.w - other.w)
        else:
            d, v = one.p - other.p, one.v - other.v
            vector = relative[:3] - cross(dw, d) - 2 * cross(w, v) + cross(w, cross(w, d))
        if name[-1] == "M":
            return np.asarray(np.sqrt(np.sum(vector**2, axis=0)))
        return np.asarray(np.sum(self._motion(k).R[:, "XYZ".index(name[-1])] * vector, axis=0))

    def _constraint_wrench(self, ends: JointEnds, side: int) -> Array:
        """Return the wrench of a joint's constraint on a marker's link, at its origin, (6, N).

        It is all that passes through a screw, a slide that follows a hinge: no MOTION drives one.
        """
        whole = self._total_wrench(ends, side)
        each = map(self.at.kinematics.robot.joint, ends.joints)
        is_screw = any(one.joint in ends.joints for j in each if j.mimic for one in j.mimic.each)
        if not ends.joints or (is_screw and not ends.is_free_along):
            return whole
        return whole - self._along_freedoms(ends, side, self._of_tree(ends, side))

    def _drive_wrench(self, ends: JointEnds, side: int) -> Array:
        """Return the wrench of a joint's drives on the link of one marker, (6, N)."""
        if ends.along:
            return self._drive_between(ends, side)
        rows = np.zeros((6, self.at.t.size))
        for joint, a in self._axes(ends):
            if joint.name in self.at.tau:
                effort = a * self.at.tau[joint.name]
                rows += np.concatenate([effort, 0 * a] if joint.is_prismatic else [0 * a, effort])
        return self._sign(ends, side) * rows

    def _drive_between(self, ends: JointEnds, side: int) -> Array:
        """Return the wrench of a drive between markers on the link of one, at its origin, (6, N).

        By virtual work it acts on i along an axis of j, or about the vector normal to the axes of
        the other two angles.
        """
        i, j = map(self.at.kinematics.marker, (ends.i, ends.j))
        effort = self.at.tau.get(ends.joints[0], np.zeros(self.at.t.size))
        effort = -effort if ends.along.startswith("-") else effort
        component = COMPONENTS.index(ends.along.removeprefix("-"))
        if component < 3:
            force = effort * j.R[:, component]
            moment = np.zeros_like(force)
        else:
            first, last = j.R[:, 0], i.R[:, 2]
            second = cross(last, first)
            normal = (cross(second, last), second, cross(first, second))[component - 3]
            axis = (first, second / np.linalg.norm(second, axis=0), last)[component - 3]
            force, moment = 0 * normal, effort * normal / np.sum(axis * normal, axis=0)
        if side == 0:
            return np.concatenate([force, moment])
        return -np.concatenate([force, moment + cross(i.p - j.p, force)])

    def _total_wrench(self, ends: JointEnds, side: int) -> Array:
        """Return the total wrench through a joint on a marker's link, at its origin, (6, N)."""
        if ends.along:
            return self._drive_between(ends, side)
        tied = self._of_loop(ends, side) if ends.loop else 0.0
        return tied + self._of_tree(ends, side) if ends.joints else np.asarray(tied)

    def _of_tree(self, ends: JointEnds, side: int) -> Array:
        """Return the wrench of the tree's joints on a marker's link, at its origin, (6, N).

        Drives between markers are not part of it.
        """
        kinematics, last = self.at.kinematics, self._last_joint(ends)
        frame, rows = kinematics.frame(last.child), self.at.reaction[last.name]
        marker = (ends.i, ends.j)[side]
        force, moment = (np.einsum("abN,bN->aN", frame.R, v) for v in (rows[:3], rows[3:]))
        at = kinematics.marker(marker).p
        whole = np.concatenate([force, moment + cross(frame.p - at, force)])
        whole *= self._sign(ends, side)
        for drive in self.joints:
            if drive.along and drive.joints[0] in ends.joints:
                on = 0 if drive.i.link == marker.link else 1
                force, moment = np.split(self._drive_between(drive, on), 2)
                arm = kinematics.marker((drive.i, drive.j)[on]).p - at
                whole -= np.concatenate([force, moment + cross(arm, force)])
        return whole

    def _of_loop(self, ends: JointEnds, side: int) -> Array:
        """Return the wrench of a loop on the link of one marker, at its origin, (6, N)."""
        if ends.loop not in self.at.loop_force:
            there = ", ".join(self.at.loop_force) or "none"
            raise ModelError(f"loop {ends.loop!r} is not in the robot; loops: {there}")
        force, moment = np.split(self.at.loop_force[ends.loop], 2)
        if side == 0:
            return np.concatenate([force, moment])
        at_i, at_j = (self.at.kinematics.marker(one).p for one in (ends.i, ends.j))
        return -np.concatenate([force, moment + cross(at_i - at_j, force)])

    def _along_freedoms(self, ends: JointEnds, side: int, whole: Array) -> Array:
        """Return the part of it along the joint's freedoms, without a constraint, (6, N)."""
        kinematics, rows = self.at.kinematics, np.zeros_like(whole)
        at = kinematics.marker((ends.i, ends.j)[side]).p
        for joint, a in self._axes(ends):
            if joint.is_prismatic:
                rows[:3] += a * np.sum(a * whole[:3], axis=0)
            else:
                about = whole[3:] + cross(at - kinematics.frame(joint.child).p, whole[:3])
                rows[3:] += a * np.sum(a * about, axis=0)
        return rows

    def _axes(self, ends: JointEnds) -> Iterator[tuple[Joint, Array]]:
        """Yield its joints with an axis, and their axes in the world, (3, N)."""
        kinematics = self.at.kinematics
        for joint in map(kinematics.robot.joint, ends.joints):
            if joint.kind in ("revolute", "continuous", "prismatic"):
                yield joint, np.einsum("abN,b->aN", kinematics.rotation(joint.child), joint.axis)

    def _last_joint(self, ends: JointEnds) -> Joint:
        return self.at.kinematics.robot.joint(ends.joints[-1])

    def _sign(self, ends: JointEnds, side: int) -> float:
        """Return 1 for the marker on the child's side, on which a reaction acts, else -1."""
        return 1.0 if (ends.i, ends.j)[side].link == self._last_joint(ends).child else -1.0

    def _action_only_wrench(self, i: str) -> Array:
        """Return the wrench of action-only forces on a marker's link, at the marker, (6, N)."""
        wrenches = [np.zeros((6, self.at.t.size))]
        for force in self.names.forces:
            one = cast("MarkerForce", force)
            if one.i == self.names.marker(i) and not one.has_reaction:
                wrench = one.on_marker(0, self.at.t, self.at.kinematics)
                wrenches.append(
                    np.concatenate([np.broadcast_to(v, (3, self.at.t.size)) for v in wrench])
                )
        return np.asarray(np.sum(wrenches, axis=0))

    def _wrench_between(self, i: str, j: str) -> Array:
        """Return the sum of forces and joints between markers on the link of i, at i, (6, N)."""
        pair, wrenches = (self.names.marker(i), self.names.marker(j)), list[Array]()
        for force in self.names.forces:
            one = cast("MarkerForce", force)
            for side, ends in enumerate(((one.i, one.j), (one.j, one.i))):
                if ends == pair:
                    wrench = one.on_marker(side, self.at.t, self.at.kinematics)
                    rows = [np.broadcast_to(v, (3, self.at.t.size)) for v in wrench]
                    wrenches.append(np.concatenate(rows))
        for joint in self.joints:
            for side, ends in enumerate(((joint.i, joint.j), (joint.j, joint.i))):
                if ends == pair:
                    wrenches.append(self._total_wrench(joint, side))
        return np.asarray(np.sum(wrenches, axis=0))


def _angle(R: Array, sequence: str, place: int) -> Array:
    """Return an angle of rotations (3, 3, N) by a body-fixed sequence, in (-π, π] [rad]."""
    angle = body_fixed_angles(R, sequence)[place]
    return np.where(angle <= FLICKER - np.pi, angle + 2 * np.pi, angle)
