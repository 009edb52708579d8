"""Checked pairs of links, and pairs that touch by design.

Excluded are links of one body, and links that are tied by a joint and touch with all joints at
zero. Tied are parent and child, the two links of a loop, and several bodies about one axis, such as
crank, rod and arm on one pin. Without the second condition the rule would hide possible collisions:
of the lower arm of an IRB 460 and its levelling rod, 12 to 128 mm apart, or of a payload and the
link before its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from sim.clearance.request import FLOOR
from sim.kinematics.tree import Tree, tree_of
from sim.robots.robot import Robot

Pair = tuple[str, str]

TOUCHING = 1e-3  # [m] at zero: links tied by a joint and nearer than this touch by design
PARALLEL, ON_AXIS = 1e-9, 1e-6  # of the cosine; [m]


def pairs_of_links(
    robot: Robot, links: Iterable[str], distance_at_zero: Callable[[Pair], float]
) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Return checked pairs, and pairs of different bodies that touch by design.

    Parameters
    ----------
    links : iterable of str
        Links that have shapes.
    distance_at_zero : callable
        Signed distance of two links with all joints at zero [m].
    """
    tree = tree_of(robot)
    tied = set(_tied_bodies(robot, tree))
    judged: list[Pair] = []
    left_out: list[Pair] = []
    for pair in itertools.combinations(links, 2):
        a, b = (tree.frames[link][0] for link in pair)
        if a == b:
            continue
        is_tied = (a, b) in tied or (b, a) in tied
        by_design = is_tied and distance_at_zero(pair) < TOUCHING
        (left_out if by_design else judged).append(pair)
    return tuple(judged), tuple(left_out)


def over_floor(robot: Robot, links: Iterable[str]) -> tuple[Pair, ...]:
    """Return pairs of each link moved by a joint, and the floor."""
    frames = tree_of(robot).frames
    return tuple((FLOOR, link) for link in links if frames[link][0] >= 0)


def _tied_bodies(robot: Robot, tree: Tree) -> Iterator[tuple[int, int]]:
    bodies = {name: body for name, (body, _) in tree.frames.items()}
    tied = [(tree.parent[b], b) for b in range(tree.n)]
    touching = (loop for loop in robot.loops if loop.closure.along)  # no rod, no direction alone
    tied += [(bodies[loop.link_a], bodies[loop.link_b]) for loop in touching]
    on_axis = [_same_axis(np.eye(4), T) for T in tree.T_pi]
    for b, parent in enumerate(tree.parent):
        body, above = b, parent
        while above >= 0 and on_axis[body]:  # the pin of a whole chain of bodies
            body, above = above, tree.parent[above]
            tied += [(above, c) for c in range(tree.n) if (body, c) in tied]
    yield from tied
    for a, b in itertools.combinations(range(tree.n), 2):
        if tree.parent[a] == tree.parent[b] and _same_axis(tree.T_pi[a], tree.T_pi[b]):
            yield a, b


def _same_axis(A: np.ndarray, B: np.ndarray) -> bool:
    """Whether the z axes of two frames are on one line."""
    away = np.cross(A[:3, 2], A[:3, 3] - B[:3, 3])
    return bool(abs(A[:3, 2] @ B[:3, 2]) > 1 - PARALLEL and np.linalg.norm(away) < ON_AXIS)
