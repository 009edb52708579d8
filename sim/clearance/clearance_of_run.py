"""Pairs to judge, the smallest distance of each over a run, and curves of the nearest pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from sim.clearance.between_samples import (
    Least,
    PlacedPieces,
    Window,
    least_distance,
    smallest_at_samples,
)
from sim.clearance.coal_queries import CoalQueries, coal_version
from sim.clearance.link_pairs import Corners, JudgedPair, LinkPair, OverFloor, Queries
from sim.clearance.pairs import Pair, over_floor, pairs_of_links
from sim.clearance.pieces import ConvexPiece, pieces_of
from sim.clearance.request import Clearance
from sim.clearance.sampled_motion import SampledMotion
from sim.errors import ScenarioError
from sim.kinematics.forward import body_poses
from sim.kinematics.pair_motion import pair_motion
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask
from sim.recording.schema.base import Vector
from sim.recording.schema.clearance_facts import ClearanceFacts, PairFacts
from sim.robots.robot import Robot

POINT_CHANNELS = tuple(f"nearest_{side}.{c}" for side in "ab" for c in "xyz")
MOST_PAIRS = 3  # nearest pairs that have a channel

# Queries of the same pieces by another library, and its name and version.
Second = tuple[Callable[[Sequence[ConvexPiece]], Queries], str]

LINKS_CHANNEL, FLOOR_CHANNEL = "clearance.links", "clearance.floor"


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


@dataclass(frozen=True, eq=False)
class ClearanceResult:
    """Distances of a run: columns and facts.

    Parameters
    ----------
    facts : ClearanceFacts
    columns : list of mapping of str to ndarray, shape (N,)
        Channels of each motion [m].
    """

    facts: ClearanceFacts
    columns: list[dict[str, Array]]


def clearance_of_run(
    robot: Robot,
    request: Clearance,
    runs: Sequence[SampledMotion],
    windows: Mapping[str, Sequence[Window]],
    second: Second | None = None,
) -> ClearanceResult:
    """Return the distances between a robot's links, and to a floor, along a run.

    Parameters
    ----------
    robot : Robot
    request : Clearance
    runs : sequence of SampledMotion
        The engine's motion, in which distances are searched, and motions near it, also with curves.
    windows : mapping of str to sequence of (float, float)
        Times at which links with events are attached [s].
    second : (callable, str), optional
        Another library, which recomputes every smallest distance.

    Raises
    ------
    ScenarioError
        If the request names an unknown link, or leaves nothing to check.
    ModelError
        If a shape cannot be read, or has a part without volume.
    SimError
        If coal is not installed.
    """
    run = runs[0]
    judged = judged_pairs(robot, request, run.q)
    if not judged.links and not judged.floor:
        raise ScenarioError(
            f"clearance: robot {robot.name!r} has no two links to judge: "
            f"{len(judged.left_out)} pairs touch by design, {len(request.exclude)} are excluded, "
            "and there is no floor"
        )
    whole = (float(run.t[0]), float(run.t[-1]))
    pairs: list[JudgedPair] = [*judged.links, *judged.floor]
    times = {one.pair: _common_windows(one.pair, windows, whole) for one in pairs}
    nearest = [least_distance(one, run, times[one.pair]) for one in pairs if times[one.pair]]
    nearest.sort(key=lambda least: least.distance)
    columns = _columns(judged, nearest, runs, times)
    again = {} if second is None else _second_answers(judged, nearest, run, second[0])
    facts = ClearanceFacts(
        wanted=request.wanted,
        floor=request.floor,
        excluded=request.exclude,
        left_out=judged.left_out,
        pieces=len(judged.pieces),
        lever=max(float(one.motion.reach.sum()) for one in pairs),
        channels=tuple(columns[0]),
        by=coal_version(),
        second_by=None if second is None else second[1],
        pairs=tuple(_facts(least, again.get(least.pair)) for least in nearest),
    )
    return ClearanceResult(facts, columns)


def _common_windows(
    pair: Pair, windows: Mapping[str, Sequence[Window]], whole: Window
) -> tuple[Window, ...]:
    """Return the windows of time in which both links are attached."""
    sides = (windows.get(link, (whole,)) for link in pair)
    both = ((max(a[0], b[0]), min(a[1], b[1])) for a, b in product(*sides))
    return tuple((first, last) for first, last in both if first < last)


def _columns(
    judged: JudgedPairs,
    nearest: Sequence[Least],
    runs: Sequence[SampledMotion],
    times: Mapping[Pair, Sequence[Window]],
) -> list[dict[str, Array]]:
    """Return the channels of each motion: of all links, of the nearest pairs, and of the floor."""
    t, columns = runs[0].t, [dict[str, Array]() for _ in runs]

    def add(channel: str, curves: Sequence[Array]) -> None:
        for table, curve in zip(columns, curves, strict=True):
            table[channel] = curve

    active = {pair: _during(t, windows) for pair, windows in times.items()}
    links = {one.pair: one for one in judged.links}
    if links and any(active[pair].all() for pair in links):
        masks = [active[pair] for pair in links]
        queries = judged.links[0].queries
        placed = [PlacedPieces(run, judged.pieces, queries) for run in runs]
        of_all = smallest_at_samples(judged.links, masks, placed)
        add(LINKS_CHANNEL, [one.distance for one in of_all])
        for row, channel in enumerate(POINT_CHANNELS):
            add(channel, [one.points[row] for one in of_all])
        always = [one.pair for one in nearest if one.pair in links and active[one.pair].all()]
        for pair in always[:MOST_PAIRS]:
            of_pair = smallest_at_samples([links[pair]], [active[pair]], placed)
            add(pair_channel(pair), [one.distance for one in of_pair])
    if judged.floor and any(active[one.pair].all() for one in judged.floor):
        add(FLOOR_CHANNEL, [_least_height(judged, active, run) for run in runs])
    return columns


def pair_channel(pair: Pair) -> str:
    """Return the channel of two links."""
    return f"clearance.{pair[0]}-{pair[1]}"


def _least_height(judged: JudgedPairs, active: Mapping[Pair, Mask], run: SampledMotion) -> Array:
    rows = [np.where(active[one.pair], one.heights(run.poses), np.inf) for one in judged.floor]
    return np.asarray(np.min(rows, axis=0))


def _during(t: Array, windows: Sequence[Window]) -> Mask:
    """Return the samples in windows, without the end of a window that ends before the run."""
    mask = np.zeros(t.size, dtype=bool)
    for first, last in windows:
        mask |= (t >= first) & ((t < last) | (last >= t[-1]))
    return mask


def _second_answers(
    judged: JudgedPairs,
    nearest: Sequence[Least],
    run: SampledMotion,
    make: Callable[[Sequence[ConvexPiece]], Queries],
) -> dict[Pair, float]:
    """Return the smallest distances of links by a second library, at the same times."""
    links: dict[Pair, LinkPair] = {one.pair: one for one in judged.links}
    if not links:
        return {}
    queries = make(judged.pieces)
    return {
        least.pair: replace(links[least.pair], queries=queries).nearest(
            run.poses_at(np.array([least.at]))
        )[0]
        for least in nearest
        if least.pair in links
    }


def _facts(least: Least, again: float | None) -> PairFacts:
    first, second = least.pair
    return PairFacts(
        first=first,
        second=second,
        distance=least.distance,
        at=least.at,
        left_over=least.left_over,
        points=(_vector(least.points[0]), _vector(least.points[1])),
        first_touch=least.first_touch,
        second_answer=again,
    )


def _vector(point: Array) -> Vector:
    x, y, z = map(float, point)
    return x, y, z
