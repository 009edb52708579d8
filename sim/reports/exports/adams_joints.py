"""Parts of an ADAMS model, at their poses at the start, and its joints with markers and couplers.

JOINT/k is the k-th movable joint; fixed joints follow. Its markers are k01 on the child and k02 on
the parent, with z along the axis of the URDF and equal x at zero, so that ADAMS's joint coordinate
is that of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sim.errors import RecordingError
from sim.functions.write_expression import number
from sim.kinematics.forward import frame_pose
from sim.kinematics.loop_equations import joint_equations
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose
from sim.reports.exports.adams_frames import about_z, frame_arguments, marker, rotation_to_axis
from sim.reports.exports.adams_functions import AdamsNames
from sim.reports.exports.adams_statements import (
    comment,
    function,
    named_statement,
    number_list,
    word_list,
)
from sim.reports.exports.adams_units import AdamsUnits, is_sliding
from sim.robots.inertia import Link
from sim.robots.joint import Joint
from sim.robots.loop import Loop
from sim.robots.robot import Robot

GROUND = 1  # id of the fixed part; its frame is the world frame

MOST_LEADERS = 2  # a COUPLER couples three joints
TOGETHER = 1e-9  # [m]; positions are rounded to 1e-16 of an arm


@dataclass(frozen=True, eq=False)
class AdamsPart:
    """A link as a PART; `T_0l` is its initial pose in the world [m].

    `held` is the fixed joint that attaches it to another part, if any.
    """

    id: int
    link: Link
    T_0l: Array
    held: Joint | None


@dataclass(frozen=True, eq=False)
class AdamsParts:
    """Parts, and for each link the id of its part and the link's pose in that part [m]."""

    robot: Robot
    parts: tuple[AdamsPart, ...]
    places: Mapping[str, tuple[int, Array]]

    def carrier(self, part: AdamsPart) -> tuple[int, Array]:
        """Return the part to which another is fixed by a joint, and its pose [m]."""
        assert part.held is not None
        id, T_ql = self.places[part.held.parent]
        return id, np.asarray(T_ql @ part.held.T_pc)

    def statements(self, length: float, speeds: Mapping[str, tuple[Array, Array]]) -> Iterator[str]:
        """Yield PART and MARKER statements; `length` is the number of model units per metre.

        `speeds` are initial velocities of mass centres and initial angular velocities of links,
        along the world axes [m/s], [rad/s].
        """
        root = self.robot.links[0]
        if root.inertia is not None:
            yield comment(
                f"The {root.inertia.mass:g} kg of {root.name} do not move and are omitted"
            )
        yield from named_statement(root.name, f"PART/{GROUND}, GROUND")
        for part in self.parts:
            yield from _part(part, length, speeds.get(part.link.name))


def parts_of(robot: Robot, q: Array) -> AdamsParts:
    """Return the parts of a robot at the joint positions `q` (n,).

    A link without mass belongs to a part that it is rigidly attached to; one that moves by itself
    is a part without mass.
    """
    carrying = {joint.child: joint for joint in robot.joints}
    bodies: dict[str, tuple[str, Array]] = {}  # first link of each rigid body, T of a link in it
    for link in robot.links:
        if (joint := carrying.get(link.name)) is None or joint.is_movable:
            bodies[link.name] = link.name, np.eye(4)
        else:
            first, T = bodies[joint.parent]
            bodies[link.name] = first, T @ joint.T_pc
    root = robot.links[0].name
    with_mass = {
        link.name for link in robot.links[1:] if link.inertia is not None and link.inertia.mass > 0
    }
    bare = {first for first, _ in bodies.values()}
    bare -= {root, *(bodies[name][0] for name in with_mass)}
    heavy = [link for link in robot.links[1:] if link.name in with_mass | bare]
    ids = {link.name: index for index, link in enumerate(heavy, start=GROUND + 1)}
    first_part = {root: (GROUND, inverse_pose(robot.T_0b))}
    for link in heavy:
        first, T = bodies[link.name]
        first_part.setdefault(first, (ids[link.name], T))
    places = {}
    for name, (first, T) in bodies.items():
        id, T_part = first_part[first]
        places[name] = (ids[name], np.eye(4)) if name in ids else (id, inverse_pose(T_part) @ T)
    parts = tuple(
        AdamsPart(
            ids[link.name],
            link,
            frame_pose(robot, q[:, None], link.name)[..., 0],
            None if first_part[bodies[link.name][0]][0] == ids[link.name] else carrying[link.name],
        )
        for link in heavy
    )
    return AdamsParts(robot, parts, places)


def _part(part: AdamsPart, length: float, speeds: tuple[Array, Array] | None) -> Iterator[str]:
    """Yield the PART; IP is about CM along its axes, with positive product integrals."""
    inertia, start = part.link.inertia, list[str]()
    if inertia is None or inertia.mass == 0:
        place = frame_arguments("G", part.T_0l, length)
        yield from named_statement(part.link.name, f"PART/{part.id}", *place)
        return
    if speeds is not None:
        along = part.T_0l[:3, :3].T @ speeds[1]  # along the axes of CM
        keys = ("VX", "VY", "VZ", "WX", "WY", "WZ")
        values = np.concatenate([length * speeds[0], along]).tolist()
        start = [f"{key} = {number(value)}" for key, value in zip(keys, values, strict=True)]
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = (length**2 * inertia.tensor).tolist()
    cm = 100 * part.id + 3
    products = [0.0 - xy, 0.0 - xz, 0.0 - yz] if any((xy, xz, yz)) else []
    yield from named_statement(
        part.link.name,
        f"PART/{part.id}",
        number_list("MASS", [inertia.mass]),
        f"CM = {cm}",
        number_list("IP", [xx, yy, zz, *products]),
        *frame_arguments("G", part.T_0l, length),
        *start,
    )
    T = np.eye(4)
    T[:3, 3] = inertia.com
    yield marker(cm, part.id, T, length)


@dataclass(frozen=True, eq=False)
class AdamsJoints:
    """Joints of a robot between its parts.

    Parameters
    ----------
    parts : AdamsParts
    units : AdamsUnits
    free : frozenset of str
        Joints whose motion is not prescribed.
    loops : sequence of Loop
    """

    parts: AdamsParts
    units: AdamsUnits
    free: frozenset[str]
    loops: Sequence[Loop]

    @property
    def robot(self) -> Robot:
        """Robot that has the joints."""
        return self.parts.robot

    @property
    def length(self) -> float:
        """Model's units of length per metre."""
        return self.units.length

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Numbers of the joints, movable ones first."""
        moving = [joint.name for joint in self.robot.tree_joints]
        fixed = [part.held.name for part in self.parts.parts if part.held is not None]
        return {name: index for index, name in enumerate((*moving, *fixed), start=1)}

    @cached_property
    def offsets(self) -> dict[str, float]:
        """Positions of movable joints where those that follow none are at 0 [rad or m]."""
        rows = zip(self.robot.tree_row_joints, self.robot.coupling[1].tolist(), strict=True)
        return {joint.name: offset for joint, offset in rows}

    @property
    def first_marker(self) -> int:
        """First number after the markers of joints and mass centres."""
        return 100 * (max(len(self.numbers), len(self.parts.parts) + 1) + 1)

    @property
    def after_loops(self) -> int:
        """First number after the markers of loops."""
        return self.first_marker + 2 * len(self.loops) + 1

    def statements(self, q: Array, qd: Array) -> Iterator[str]:
        """Yield JOINTs with their markers, and COUPLERs.

        Parameters
        ----------
        q, qd : ndarray, shape (n_tree,)
            Initial positions and velocities of all movable joints.
        """
        row = 0
        for joint in self.robot.tree_joints:
            yield from self._joint(joint, float(q[row]), float(qd[row]))
            row += len(joint.coordinates)
        for part in self.parts.parts:
            if part.held is not None:
                k = self.numbers[part.held.name]
                carrier, T = self.parts.carrier(part)
                yield from self._joint_statement(
                    k, part.held.name, "FIXED", (part.id, np.eye(4)), (carrier, T)
                )
        for joint in self.robot.tree_joints:
            if joint.mimic is not None:
                yield from self._coupler(joint)

    def _joint(self, joint: Joint, q: float, qd: float) -> Iterator[str]:
        """Yield a movable joint; the J marker of a follower is where its leaders are at 0."""
        is_ball = joint.name in self.robot.ball_names
        R = np.eye(4) if is_ball else pose(rotation_to_axis(joint.axis))
        (part, T_pl), (carrier, T_ql) = (
            self.parts.places[joint.child],
            self.parts.places[joint.parent],
        )
        T_j = T_ql @ joint.T_pc @ R
        offset = self.offsets[joint.name]
        T_j = about_z(T_j, *((0.0, offset) if is_sliding(joint) else (offset, 0.0)))
        start = []
        if joint.name in self.free and not is_ball:
            (row,) = joint.coordinates
            key = "ICTRAN" if is_sliding(joint) else "ICROT"
            start = [word_list(key, (self.units.position(row, x) for x in (q, qd)))]
        kind = "TRANSLATIONAL" if is_sliding(joint) else "REVOLUTE"
        kind = "SPHERICAL" if is_ball else kind
        k, ends = self.numbers[joint.name], ((part, T_pl @ R), (carrier, T_j))
        yield from self._joint_statement(k, joint.name, kind, *ends, *start)

    def _joint_statement(
        self, k: int, name: str, kind: str, i: tuple[int, Array], j: tuple[int, Array], *more: str
    ) -> Iterator[str]:
        yield marker(100 * k + 1, *i, self.length)
        yield marker(100 * k + 2, *j, self.length)
        yield from named_statement(name, f"JOINT/{k}, {kind}", f"I = {k}01", f"J = {k}02", *more)

    def _coupler(self, joint: Joint) -> Iterator[str]:
        """Yield the COUPLER ``q_follower - Σ multiplier q_leader = 0``, in the model's units."""
        assert joint.mimic is not None
        if len(joint.mimic.each) > MOST_LEADERS:
            raise RecordingError(
                f"Joint {joint.name!r} follows {joint.mimic.leaders}; a COUPLER of ADAMS has "
                f"{MOST_LEADERS} leaders at most"
            )
        unit = self._unit(joint)
        scales, ids = ["1.0"], [self.numbers[joint.name]]
        for one in joint.mimic.each:
            unit_of_leader = self._unit(self.robot.joint(one.joint))
            scales.append(number(-one.multiplier * unit / unit_of_leader))
            ids.append(self.numbers[one.joint])
        yield from named_statement(
            f"coupler_{joint.name}",
            f"COUPLER/{ids[0]}",
            word_list("JOINTS", map(str, ids)),
            word_list("SCALES", scales),
        )

    def _unit(self, joint: Joint) -> float:
        """Return the number of model units in a unit of the joint."""
        return self.length if is_sliding(joint) else 1.0

    def loop_statements(self) -> Iterator[str]:
        """Yield JPRIMs and GCONs of the loops that determine joints; COUPLERs close the others.

        Raises
        ------
        RecordingError
            If ADAMS has no such constraint; the message names the loop.
        """
        is_decided = any(loop.passive for loop in self.loops)
        count = 0
        for k, loop in enumerate(self.loops, start=1):
            if not is_decided:
                yield comment(
                    f"Loop {loop.name!r} is closed by COUPLERs, whose forces replace those of "
                    "its rods"
                )
                continue
            j = self.first_marker + 2 * k
            i = j - 1
            for id, link, point, R in (
                (i, loop.link_b, loop.point_b, loop.frame_b),
                (j, loop.link_a, loop.point_a, loop.frame_a),
            ):
                part, T_pl = self.parts.places[link]
                yield marker(id, part, T_pl @ pose(R, point), self.length)
            for place, (head, more) in enumerate(self._constraints(loop, i, j), start=1):
                count += 1
                label = loop.name if place == 1 else f"{loop.name}_{place}"
                yield from named_statement(label, head.format(count), *more)

    def _constraints(self, loop: Loop, i: int, j: int) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the statements, each with a place for its number, and arguments of a loop."""
        closure, ends = loop.closure, (f"I = {i}", f"J = {j}")
        if loop.length is not None:
            text = f"DM({i}, {j}) - {number(self.length * loop.length)}"
            yield "GCON/{}", (f"I = {i}", function(text))
        if loop.expression is not None and loop.length is None:
            markers = {"A": j, "B": i}
            names = AdamsNames(markers, {}, {}, {}, {}, lambda: 0, self.length)
            yield "GCON/{}", (f"I = {i}", function(names.text(loop.expression)))
        if closure.is_untwisted:
            if not (closure.along or self._are_joined(loop)):
                raise RecordingError(
                    f"Loop {loop.name!r} prevents twisting between separate points, which no "
                    "constraint of ADAMS does; a CONVEL requires two coincident points"
                )
            yield "JOINT/" + str(1 + len(self.numbers) + self.loops.index(loop)) + ", CONVEL", ends
            return
        along = {"xyz": "ATPOINT", "xy": "INLINE", "z": "INPLANE"}.get(closure.along)
        square = {1: "PERPENDICULAR", 2: "PARALLEL_AXES", 3: "ORIENTATION"}.get(len(closure.square))
        for kind in filter(None, (along, square)):
            yield f"JPRIM/{{}}, {kind}", ends

    def _are_joined(self, loop: Loop) -> bool:
        """Whether the tree alone keeps a loop's points together, tested at three positions."""
        points = Loop(loop.name, loop.link_a, loop.point_a, loop.link_b, loop.point_b)
        robot = replace(self.robot, loops=()).with_loops(points)
        q = np.outer(np.arange(1.0, len(robot.coordinates) + 1), (0.0, 0.3, 0.7))
        return bool(np.abs(joint_equations(robot, q)[0]).max() < TOGETHER)
