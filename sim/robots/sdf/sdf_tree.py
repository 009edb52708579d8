"""Tree of an SDF model: the joint that carries each link, and the joints that close loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose
from sim.robots.document import Node
from sim.robots.loop import Loop
from sim.robots.loop_kinds import LoopKind
from sim.robots.sdf.sdf_frames import WORLD, Frames
from sim.robots.sdf.sdf_joints import SdfJoint

LOOPS: Mapping[str, LoopKind] = {
    "ball": "point", "revolute": "hinge", "continuous": "hinge", "prismatic": "slider",
    "fixed": "fixed", "universal": "universal",
}  # fmt: skip
ANCHORED = ("revolute", "continuous", "ball", "universal", "revolute2", "screw")


@dataclass(frozen=True, eq=False)
class Branch:
    """A link in the tree, with the joint that carries it.

    Parameters
    ----------
    joint : SdfJoint or None
        None if the file has none, and the base is fixed to the world.
    parent, child : str
    is_reversed : bool
        Whether the carried link is the joint's parent in the file.
    """

    joint: SdfJoint | None
    parent: str
    child: str
    is_reversed: bool = False


def branches_of(links: Mapping[str, Node], joints: Sequence[SdfJoint]) -> list[Branch]:
    """Return the links ordered from the world, each after its parent."""
    placed, branches = {WORLD}, list[Branch]()
    carried = {joint.child for joint in joints}
    bases = [name for name in links if name not in carried] + list(links)
    while True:
        if (step := next(_steps(joints, placed), None)) is None:
            base = next((name for name in bases if name not in placed), None)
            if base is None:
                return branches
            step = Branch(None, WORLD, base)
        placed.add(step.child)
        branches.append(step)


def _steps(joints: Sequence[SdfJoint], placed: set[str]) -> Iterator[Branch]:
    """Yield joints that lead from placed links to others; reversed ones last."""
    for joint in joints:
        if joint.parent in placed and joint.child not in placed:
            yield Branch(joint, joint.parent, joint.child)
    for joint in joints:
        if joint.child in placed and joint.parent not in placed:
            yield Branch(joint, joint.child, joint.parent, is_reversed=True)


def offsets_of(branches: Sequence[Branch], frames: Frames) -> dict[str, Array]:
    """Return the origin of each URDF link in its SDF frame: a point on its joint axis [m]."""
    offsets = {WORLD: np.zeros(3)}
    for branch in branches:
        joint, offset = branch.joint, np.zeros(3)
        if joint is not None and joint.kind in ANCHORED:
            offset = (inverse_pose(frames.pose(branch.child)) @ joint.T)[:3, 3]
        offsets[branch.child] = offset
    return offsets


def loops_of(
    joints: Sequence[SdfJoint],
    branches: Sequence[Branch],
    frames: Frames,
    offsets: Mapping[str, Array],
) -> tuple[list[Loop], list[SdfJoint]]:
    """Return the loops of the joints that carry no link, and joints whose type cannot close one."""
    carrying = {branch.joint.name for branch in branches if branch.joint is not None}
    loops, others = list[Loop](), list[SdfJoint]()
    for joint in joints:
        if joint.name in carrying:
            continue
        if joint.kind in LOOPS:
            loops.append(_loop(joint, branches, frames, offsets))
        else:
            others.append(joint)
    return loops, others


def _loop(
    joint: SdfJoint, branches: Sequence[Branch], frames: Frames, offsets: Mapping[str, Array]
) -> Loop:
    kind = LOOPS[joint.kind]
    T_a, T_b = frames.pose(joint.parent), frames.pose(joint.child)
    ends = [
        (inverse_pose(T) @ joint.T)[:3, 3] - offsets[link]
        for T, link in ((T_a, joint.parent), (T_b, joint.child))
    ]
    first = joint.axes[0].direction if joint.axes else joint.T[:3, 2]
    second = joint.axes[-1].direction if joint.axes else first
    across = np.linalg.svd(first[None])[2][1]  # any perpendicular direction
    has_axis, has_across = kind != "point", kind in ("slider", "fixed")
    return Loop(
        joint.name,
        joint.parent,
        ends[0],
        joint.child,
        ends[1],
        passive=_undriven_joints(joint, branches),
        kind=kind,
        axis_a=T_a[:3, :3].T @ first if has_axis else None,
        axis_b=T_b[:3, :3].T @ second if has_axis else None,
        across_a=T_a[:3, :3].T @ across if has_across else None,
        across_b=T_b[:3, :3].T @ across if has_across else None,
    )


def _undriven_joints(joint: SdfJoint, branches: Sequence[Branch]) -> tuple[str, ...]:
    """Return the undriven joints of a loop, with effort 0; none if all or no joints have it."""
    by_child = {branch.child: branch for branch in branches}
    paths = []
    for link in (joint.parent, joint.child):
        path, at = list[SdfJoint](), link
        while at in by_child:
            branch = by_child[at]
            path += [branch.joint] if branch.joint is not None else []
            at = branch.parent
        paths.append({one.name: one for one in path})
    around = {name: one for path in paths for name, one in path.items()}
    axes = [
        axis
        for name, one in around.items()
        if (name in paths[0]) != (name in paths[1])
        for axis in one.axes
        if axis.leader is None
    ]
    idle = tuple(axis.row for axis in axes if axis.effort == 0)
    return idle if len(idle) < len(axes) else ()
