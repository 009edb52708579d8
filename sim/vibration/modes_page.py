"""Page of modes: one self-contained HTML file in which the robot oscillates."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from sim.dynamics.closed_positions import close_positions, loop_rank
from sim.dynamics.small_motions import displace
from sim.kinematics.loop_equations import joint_equations, passive_joints
from sim.maths.arrays import Array, Mask
from sim.recording.files.named_file import write_named
from sim.recording.files.whole_files import json_text
from sim.reports.page.clip import animate
from sim.reports.page.glb_scene import GlbScene, scene_of
from sim.reports.page.page import notices, pack_bytes, pack_script
from sim.reports.page.page_meta import bounds_of
from sim.reports.page.poster import poster_of
from sim.reports.page.standalone import asset, provenance_rows, render, within_script
from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import spread_labels, text
from sim.reports.svg.scales import decades
from sim.reports.terminal.tables import number
from sim.vibration.load_step import LoadStep
from sim.vibration.modes import Mode, Modes
from sim.vibration.run_modes import RunModes
from sim.vibration.to_terminal import Second, engines_agree, sentences, table_rows

if TYPE_CHECKING:
    import pandas as pd

    from sim.dynamics.statics import Equilibrium

TEMPLATE = Path(__file__).with_name("template")
LEAST = 1e-3  # relative to the largest: smaller components of a shape are not listed
SIZE = 640, 290  # [px]
LEFT, RIGHT, TOP, BOTTOM = 62, 74, 34, 46
POINTS = 400  # of a curve
WIDE = 30.0  # ratio of the largest to the smallest frequency from which the axis is logarithmic
GAP = 17  # [px] between two labels of curves, also on a phone
PHASES = np.linspace(0.0, 1.0, 49)
SEEN = 0.12  # of the robot's size, displacement of the point that moves most
LARGEST = 0.5  # rad, largest amplitude of a joint
SMALL = 1e-4  # of a shape, for finding the point that moves most
CLOSED = 1e-9  # m
FADES = 3.0  # powers of e shown of a mode that decays or grows


def write_modes_page(path: Path, html: str) -> None:
    """Write the page of modes.

    Raises
    ------
    RecordingError
        If the file cannot be written, or an existing file was not written by sim.
    """
    write_named(path, html.encode("utf-8"), ".html")


def modes_page(
    modes: Modes,
    load: LoadStep | None,
    run: RunModes | None,
    second: Second | None,
    where: str,
    rest: Equilibrium | None = None,
) -> str:
    """Return the HTML of the page; arguments as of `sim.vibration.to_terminal.to_terminal`."""
    robot = modes.drives.robot
    scene = GlbScene.read(scene_of(robot))
    table = swings_of(modes, scene)
    data = {
        "bounds": msgspec.to_builtins(bounds_of(scene, [table])),
        "tool": robot.tool,
        "modes": [_facts(mode) for mode in modes.modes],
    }
    script = asset("modes.js", TEMPLATE)
    lines = sentences(modes, load, second, rest)
    return render(
        "modes.html.j2",
        TEMPLATE,
        extra=asset("charts.css") + asset("modes.css", TEMPLATE),
        scripts=[script, asset("vendor/robot.min.js")],
        script=script,
        title=f"Modes of {robot.name}",
        where=where,
        ok=engines_agree(second),
        agreed=second is not None and not isinstance(second[1], str),
        rows=[row for _, row in zip(modes.modes, table_rows(modes), strict=True)],
        lines=lines,
        chart="" if run is None else frequency_chart(run),
        poster=poster_of(scene, at_rest_of(modes), 1.0, "The robot in the pose"),
        data=within_script(json_text(data)),
        scene=pack_bytes(animate(scene, table)),
        robot=pack_script("robot"),
        notices=notices(),
        provenance=provenance_rows(modes.drives.robot),
    )


def _facts(mode: Mode) -> dict[str, object]:
    """Return facts of a mode for the page's script: its speed, and its shape by joint."""
    shares = sorted(mode.shape.items(), key=lambda item: -abs(item[1]))
    return {
        "frequency": mode.frequency,
        "kind": "swings" if mode.oscillates else "grows" if mode.runs_away else "decays",
        "time": math.inf if not mode.root.real else abs(1.0 / mode.root.real),
        "shape": [[name, abs(x), _phase(x)] for name, x in shares if abs(x) >= LEAST],
    }


def _phase(x: complex) -> float:
    """Return the phase of a component, above -180° to 180°, without rounding."""
    degrees = round(math.degrees(np.angle(x)), 6) + 0.0
    return 180.0 if degrees == -180.0 else degrees


def frequency_chart(run: RunModes) -> str:
    """Plot all frequencies over t as SVG, with gaps where the motion is unstable."""
    every = max(1, run.t.size // POINTS)
    t, f = run.t[::every], run.frequency[:, ::every]
    is_known = np.isfinite(f) & (f > 0)
    if not is_known.any() or t.size < 2:
        return ""
    low, high = float(f[is_known].min()), float(f[is_known].max())
    is_log = high > WIDE * low
    powers = [value for value, _ in decades(low, high)]
    y = (powers[0], powers[-1]) if is_log else (0.0, 1.04 * high)
    chart = Chart(*SIZE, LEFT, RIGHT, TOP, BOTTOM, (float(t[0]), float(t[-1])), y, is_log)
    named = [k for k in range(len(f)) if is_known[k, -1]]
    places = spread_labels([chart.up(f[k, -1]) for k in named], GAP, chart.ends[3])
    marks = [
        chart.grid(6, 5, x_title="time [s]", y_title="frequency [Hz]"),
        [
            chart.path(_stretches(t, row, known), "curve strong", f"mode {k + 1}")
            for k, (row, known) in enumerate(zip(f, is_known, strict=True))
        ],
        [
            text(chart.ends[2] + 6, place + 4, f"mode {k + 1}", cls="tick")
            for k, place in zip(named, places, strict=True)
        ],
    ]
    words = f"{len(f)} natural frequencies over {number(t[-1] - t[0])} s"
    return chart.drawing(marks, words)


def _stretches(t: Array, row: Array, is_known: Mask) -> list[Array]:
    """Return points (N, 2) of a curve between its gaps."""
    edges = np.flatnonzero(np.diff(is_known.astype(int), prepend=0, append=0))
    points = np.stack([t, row], axis=1)
    return [points[a:b] for a, b in list(pairwise(edges))[::2]]


def swings_of(modes: Modes, scene: GlbScene) -> pd.DataFrame:
    """Return positions of all tree joints over t: mode k from 2 k to 2 k + 1, then a pause."""
    t = np.concatenate([2.0 * k + PHASES for k in range(len(modes.modes))])
    parts = [_swing(modes, mode, scene) for mode in modes.modes]
    return _table(modes, t, np.concatenate(parts, axis=1))


def at_rest_of(modes: Modes) -> pd.DataFrame:
    """Return the pose alone, as a table of one sample."""
    return _table(modes, np.zeros(1), modes.q[:, None])


def _table(modes: Modes, t: Array, q: Array) -> pd.DataFrame:
    import pandas as pd

    robot = modes.drives.robot
    names = [f"q.{row.name}" for row in robot.tree_coordinates]
    return pd.DataFrame(robot.q_tree(q).T, columns=names, index=pd.Index(t, name="t"))


def _swing(modes: Modes, mode: Mode, scene: GlbScene) -> Array:
    """Return positions over the phases, (n, phases), with an amplitude at which loops close."""
    shape = _shape(modes, mode)
    if mode.oscillates:
        weights = np.exp(2j * np.pi * PHASES)
    else:
        weights = np.exp(FADES * (PHASES - 1.0 if mode.runs_away else -PHASES))
    waves = np.real(shape[:, None] * weights)
    size, pose = _size(modes, shape, scene), np.repeat(modes.q[:, None], PHASES.size, axis=1)
    for _ in range(8):
        q = _close(modes, displace(modes.drives.robot, pose, size * waves))
        if q is not None:
            return q
        size *= 0.5
    return pose


def _shape(modes: Modes, mode: Mode) -> Array:
    """Return φ of all joints, (n,), complex."""
    names = modes.drives.robot.row_names
    return np.array([mode.shape.get(name, 0.0) for name in names], dtype=np.complex128)


def _size(modes: Modes, shape: Array, scene: GlbScene) -> float:
    """Return the display scale of a shape."""
    pose = modes.q[:, None]
    small = np.stack([0 * shape.real, SMALL * shape.real, SMALL * shape.imag], axis=1)
    poses = displace(modes.drives.robot, np.repeat(pose, 3, axis=1), small)
    table = _table(modes, np.arange(3.0), poses)
    link_poses = scene.poses(table, [0, 1, 2])
    points = {link: corners for link, (corners, _, _) in scene.shapes().items()}
    places = [
        np.einsum("abN,kb->kaN", link_poses[link][:3, :3], corners) + link_poses[link][:3, 3]
        for link, corners in points.items()
    ]
    every = np.concatenate([*places, np.zeros((1, 3, 3))])
    travel = float(np.linalg.norm(every[..., 1:] - every[..., :1], axis=1).max()) / SMALL
    extent = float(np.linalg.norm(np.ptp(every[..., 0], axis=0)))
    turns = [abs(x) for x, row in zip(shape, modes.drives.robot.coordinates, strict=True)
             if row.is_angle]  # fmt: skip
    most = LARGEST / max(turns, default=0.0) if any(turns) else np.inf
    return float(min(SEEN * extent / travel if travel else most, most, 1e6))


def _close(modes: Modes, q: Array) -> Array | None:
    """Return positions with closed loops; None if they do not close."""
    robot = modes.drives.robot
    if not passive_joints(robot).any():
        return q
    held = ~modes.drives.loose
    rank = loop_rank(robot, modes.q, held)
    closed = np.stack([close_positions(robot, one, held, rank).q for one in q.T], axis=1)
    gap = np.abs(joint_equations(robot, closed)[0]).max(initial=0.0)
    return closed if gap <= CLOSED else None
