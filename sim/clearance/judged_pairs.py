"""Checked pairs of a robot, and the excluded ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.clearance.coal_queries import CoalQueries
from sim.clearance.link_pairs import Corners, LinkPair, OverFloor
from sim.clearance.pairs import Pair, over_floor, pairs_of_links
from sim.clearance.pieces import ConvexPiece, pieces_of
from sim.clearance.request import Clearance
from sim.kinematics.forward import body_poses
from sim.kinematics.pair_motion import pair_motion
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """Pairs of a robot's links that a request checks.

    Parameters
    ----------
    pieces : tuple of ConvexPiece
    links : tuple of LinkPair
    floor : tuple of OverFloor
    left_out : tuple of pairs of str
        Links that touch by design.
    """

    pieces: tuple[ConvexPiece, ...]
    links: tuple[LinkPair, ...]
    floor: tuple[OverFloor, ...]
    left_out: tuple[Pair, ...]


def judged_pairs(robot: Robot, request: Clearance, q_tree: Array) -> JudgedPairs:
    """Return the pairs of a robot that moves through `q_tree` (n_tree, N).

    Raises
    ------
    ScenarioError
        If the request names an unknown link.
    ModelError
        If a shape cannot be read, or has a part without volume.
    SimError
        If coal is not installed.
    """
    request.require_links(robot)
    pieces = pieces_of(robot)
    queries = CoalQueries(pieces)
    of_link: dict[str, list[int]] = {}
    for k, piece in enumerate(pieces):
        of_link.setdefault(piece.link, []).append(k)
    poses = body_poses(tree_of(robot), robot.q_tree(np.zeros((len(robot.coordinates), 1))))

    def link_pair(pair: Pair) -> LinkPair:
        return _link_pair(robot, pair, pieces, queries, of_link, q_tree)

    judged, left_out = pairs_of_links(
        robot, of_link, lambda pair: link_pair(pair).nearest(poses)[0]
    )
    excluded = {frozenset(pair) for pair in request.exclude}
    floor = () if request.floor is None else over_floor(robot, of_link)
    return JudgedPairs(
        pieces,
        tuple(link_pair(pair) for pair in judged if frozenset(pair) not in excluded),
        tuple(
            _over_floor(robot, pair, pieces, of_link, q_tree, request.floor or 0.0)
            for pair in floor
            if frozenset(pair) not in excluded
        ),
        left_out,
    )


def _link_pair(
    robot: Robot,
    pair: Pair,
    pieces: Sequence[ConvexPiece],
    queries: CoalQueries,
    of_link: dict[str, list[int]],
    q_tree: Array,
) -> LinkPair:
    numbers: Any = np.meshgrid(*(of_link[link] for link in pair), indexing="ij")
    first, second = (pieces[of_link[link][0]].body for link in pair)
    points = np.concatenate([pieces[k].outline for k in of_link[pair[1]]])
    motion = pair_motion(tree_of(robot), first, second, points, q_tree)
    a, b = (side.ravel() for side in numbers)
    return LinkPair(pair, a, b, pieces, queries, motion)


def _over_floor(
    robot: Robot,
    pair: Pair,
    pieces: Sequence[ConvexPiece],
    of_link: dict[str, list[int]],
    q_tree: Array,
    height: float,
) -> OverFloor:
    link_pieces = [pieces[k] for k in of_link[pair[1]]]
    motion = pair_motion(
        tree_of(robot),
        -1,
        link_pieces[0].body,
        np.concatenate([one.outline for one in link_pieces]),
        q_tree,
    )
    return OverFloor(pair, link_pieces[0].body, Corners.of(link_pieces), height, motion)
