"""Parts of an ADAMS model: links with mass at their poses at the start of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sim.functions.write_expression import number
from sim.kinematics.forward import frame_pose
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose
from sim.reports.exports.adams_frames import frame_arguments, marker, name_last
from sim.reports.exports.adams_statements import comment, number_list, statement
from sim.robots.inertia import Link
from sim.robots.joint import Joint
from sim.robots.robot import Robot

GROUND = 1  # id of the fixed part; its frame is the world frame


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
            yield comment(f"The {root.inertia.mass:g} kg of {root.name} stand still: left out")
        yield from name_last(root.name, statement(f"PART/{GROUND}, GROUND"))
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
        joint = carrying.get(link.name)
        if joint is None or joint.is_movable:
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
        yield from name_last(part.link.name, statement(f"PART/{part.id}", *place))
        return
    if speeds is not None:
        along = part.T_0l[:3, :3].T @ speeds[1]  # along the axes of CM
        keys = ("VX", "VY", "VZ", "WX", "WY", "WZ")
        values = np.concatenate([length * speeds[0], along]).tolist()
        start = [f"{key} = {number(value)}" for key, value in zip(keys, values, strict=True)]
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = (length**2 * inertia.tensor).tolist()
    cm = 100 * part.id + 3
    products = [0.0 - xy, 0.0 - xz, 0.0 - yz] if any((xy, xz, yz)) else []
    yield from name_last(
        part.link.name,
        statement(
            f"PART/{part.id}",
            number_list("MASS", [inertia.mass]),
            f"CM = {cm}",
            number_list("IP", [xx, yy, zz, *products]),
            *frame_arguments("G", part.T_0l, length),
            *start,
        ),
    )
    T = np.eye(4)
    T[:3, 3] = inertia.com
    yield marker(cm, part.id, T, length)
