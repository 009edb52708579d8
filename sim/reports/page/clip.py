"""A run's motion as key frames of a scene's nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.maths.pieces import PIECE
from sim.maths.rotation_vectors import quaternions_of_vectors
from sim.maths.rotations import continuous_quaternions
from sim.recording.files.table_files import Table
from sim.recording.schema.facts import EventFacts
from sim.reports.page.glb import Document, Json
from sim.reports.page.glb_scene import GlbScene, positions, positions_of, turn_quaternions

TOLERANCE = 5e-5  # [rad or m]; a tenth of a millimetre at two metres
GONE = 1e-6  # scale of a hidden node; a scale of zero has no normals
WIDEST = 1.5  # [rad]; a rotation between two key frames must stay below half a turn


def animate(scene: GlbScene, table: Table, events: Sequence[EventFacts] = ()) -> bytes:
    """Return the scene with the motion of a run; payloads are visible while they are carried.

    Parameters
    ----------
    events : sequence of EventFacts
        The payload events of the run.
    """
    document = Document(scene.document.tree, bytes(scene.document.block))
    _add_motion(document, scene, table, {k: k for k, _ in scene.moving()})
    _add_payloads(document, scene, float(table.index[0]), events)
    return document.to_bytes()


def clip(scene: GlbScene, table: Table) -> bytes:
    """Return the motion alone: nodes of the same names, without shapes."""
    moving = [k for k, _ in scene.moving()]
    document = Document(
        {
            "asset": {"version": "2.0", "generator": "sim"},
            "scene": 0,
            "scenes": [{"nodes": list(range(len(moving)))}],
            "nodes": [{"name": scene.nodes[k]["name"]} for k in moving],
        }
    )
    _add_motion(document, scene, table, {k: place for place, k in enumerate(moving)})
    return document.to_bytes()


def _add_motion(document: Document, scene: GlbScene, table: Table, place: dict[int, int]) -> None:
    t = table.index.to_numpy(dtype=np.float64)
    samplers: list[Json] = []
    channels: list[Json] = []
    for k, link in scene.moving():
        rows = link.rows
        if len(rows) == 3:
            turned = quaternions_of_vectors(positions_of(table, rows))
            turned = continuous_quaternions(turned)
            keys = key_rotations(t, turned)
            values = turned[:, keys]
        else:
            q, axis = positions(table, rows[0].name), np.asarray(rows[0].axis)[:, None]
            keys = key_samples(t, q)
            values = turn_quaternions(axis, q[keys]) if rows[0].is_angle else axis * q[keys]
        target = {"node": place[k], "path": "rotation" if rows[0].is_angle else "translation"}
        channels.append({"sampler": len(samplers), "target": target})
        samplers.append(
            {
                "input": document.add((t[keys] - t[0]).astype("f4"), bounds=True),
                "output": document.add(values.T.astype("f4")),
                "interpolation": "LINEAR",
            }
        )
    if samplers:
        document.tree["animations"] = [{"name": "run", "samplers": samplers, "channels": channels}]


def _add_payloads(
    document: Document, scene: GlbScene, start: float, events: Sequence[EventFacts]
) -> None:
    """Show and hide payloads at their events."""
    run = document.tree.get("animations", [{"samplers": [], "channels": []}])[0]
    for link in dict.fromkeys(event.link for event in events):
        if (node := scene.node_of(link)) is None:
            continue
        keys = {0.0: GONE}
        for event in events:
            if event.link == link:
                keys[event.t - start] = 1.0 if event.kind == "pick up" else GONE
        times, sizes = np.array([*keys], dtype="f4"), np.array([*keys.values()], dtype="f4")
        target = {"node": node, "path": "scale"}
        run["channels"].append({"sampler": len(run["samplers"]), "target": target})
        run["samplers"].append(
            {
                "input": document.add(times, bounds=True),
                "output": document.add(np.repeat(sizes[:, None], 3, axis=1)),
                "interpolation": "STEP",
            }
        )


def key_samples(t: Array, q: Array) -> NDArray[np.int64]:
    """Return samples between which `q` is linear in `t` to within the tolerance.

    The interval is split where the curve is farthest from its chord, then both halves recursively
    (Ramer 1972; Douglas and Peucker 1973).
    """

    def leaves(a: int, b: int) -> tuple[Array, float]:
        share = (t[a + 1 : b] - t[a]) / (t[b] - t[a])
        chord = q[a] + (q[b] - q[a]) * share
        return np.abs(q[a + 1 : b] - chord), float(abs(q[b] - q[a]))

    return _keys(t.size, leaves)


def key_rotations(t: Array, turned: Array) -> NDArray[np.int64]:
    """Return samples between which quaternions (4, N) of one sign are slerped to the tolerance.

    Players interpolate rotations between keys in this manner (Shoemake 1985, "slerp").
    """

    def leaves(a: int, b: int) -> tuple[Array, float]:
        share = (t[a + 1 : b] - t[a]) / (t[b] - t[a])
        half = float(np.arccos(np.clip(turned[:, a] @ turned[:, b], -1.0, 1.0)))
        if half < TOLERANCE:
            weights = 1.0 - share, share
        else:
            weights = np.sin((1.0 - share) * half), np.sin(share * half)
            weights = weights[0] / np.sin(half), weights[1] / np.sin(half)
        between = weights[0] * turned[:, a, None] + weights[1] * turned[:, b, None]
        return 2.0 * np.linalg.norm(turned[:, a + 1 : b] - between, axis=0), 2.0 * half

    return _keys(t.size, leaves)


def _keys(count: int, leaves: Callable[[int, int], tuple[Array, float]]) -> NDArray[np.int64]:
    """Return the kept samples; `leaves` gives distances from the chord and its length."""
    cuts = [*range(0, count - 1, PIECE), count - 1]  # the time is linear in the duration
    keep = set(cuts)
    waiting = [*pairwise(cuts)]
    while waiting:
        a, b = waiting.pop()
        if b - a < 2:
            continue
        away, length = leaves(a, b)
        k = int(np.argmax(away))
        if away[k] <= TOLERANCE:
            if length <= WIDEST:
                continue
            k = (b - a) // 2 - 1
        cut = a + 1 + k
        keep.add(cut)
        waiting += [(a, cut), (cut, b)]
    return np.array(sorted(keep), dtype=np.int64)
