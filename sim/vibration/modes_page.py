"""The page of modes: one HTML file in which the robot swings, and that loads nothing else."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from sim.recording.files.named_file import write_named
from sim.recording.files.whole_files import json_text
from sim.reports.page.clip import animate
from sim.reports.page.glb_scene import GlbScene, scene_of
from sim.reports.page.page import asset, notices, pack_bytes, pack_script, page_style, policy
from sim.reports.page.page_meta import bounds_of
from sim.reports.page.poster import poster_of
from sim.reports.page.standalone import environment_of, provenance_rows, within_script
from sim.vibration.frequency_chart import frequency_chart
from sim.vibration.load_step import LoadStep
from sim.vibration.modes import Mode, Modes
from sim.vibration.run_modes import RunModes
from sim.vibration.swings import at_rest_of, swings_of
from sim.vibration.to_terminal import Second, agrees, sentences, table_rows

if TYPE_CHECKING:
    from sim.dynamics.statics import Equilibrium

TEMPLATE = Path(__file__).with_name("template")
LEAST = 1e-3  # of the largest: a smaller share of a shape is not listed


def write_modes_page(path: Path, html: str) -> None:
    """Write the page of modes.

    Raises
    ------
    RecordingError
        If the file cannot be written, or one is there that sim did not write.
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
    """HTML of the page; arguments as of `sim.vibration.to_terminal.to_terminal`."""
    robot = modes.drives.robot
    scene = GlbScene.read(scene_of(robot))
    table = swings_of(modes, scene)
    data = {
        "bounds": msgspec.to_builtins(bounds_of(scene, [table])),
        "tool": robot.tool,
        "modes": [_facts(mode) for mode in modes.modes],
    }
    style, script = page_style() + asset("charts.css") + _text("modes.css"), _text("modes.js")
    lines = sentences(modes, load, second, rest)
    return (
        environment_of(TEMPLATE)
        .get_template("modes.html.j2")
        .render(
            style=style,
            script=script,
            policy=policy([script, asset("vendor/robot.min.js")], style),
            title=f"Modes of {robot.name}",
            where=where,
            ok=agrees(second),
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
    )


def _facts(mode: Mode) -> dict[str, object]:
    """Facts of a mode for the page's script: its pace, and its shape joint by joint."""
    shares = sorted(mode.shape.items(), key=lambda item: -abs(item[1]))
    return {
        "frequency": mode.frequency,
        "kind": "swings" if mode.oscillates else "grows" if mode.runs_away else "decays",
        "time": math.inf if not mode.root.real else abs(1.0 / mode.root.real),
        "shape": [[name, abs(x), _phase(x)] for name, x in shares if abs(x) >= LEAST],
    }


def _phase(x: complex) -> float:
    """Angle of a share, above -180° to 180°, without what rounding leaves."""
    degrees = round(math.degrees(np.angle(x)), 6) + 0.0
    return 180.0 if degrees == -180.0 else degrees


def _text(name: str) -> str:
    return (TEMPLATE / name).read_text(encoding="utf-8")
