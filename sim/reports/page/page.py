"""Page of a run: one self-contained HTML file."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from sim.checks.judgement import Judgement
from sim.checks.sizing import motor_loads
from sim.checks.unjudged import unjudged_forces
from sim.disk_cache import Arrays, cached_arrays
from sim.engine_names import ENGINES
from sim.maths.pieces import is_one_piece, release_memory
from sim.maths.second_process import WORTH_A_COPY, second_process
from sim.recording.held_tables import recorded_of
from sim.recording.recording import Recording
from sim.reports.causes import causes
from sim.reports.load_cases import load_case_table, load_cases
from sim.reports.measured_rows import cutoff_sentence, facts_of, joints_of, measured_rows
from sim.reports.page import html_tables as tables
from sim.reports.page.check_rows import OPEN_CHECKS, check_rows, facts
from sim.reports.page.clearance_rows import clearance_table
from sim.reports.page.clip import animate, clip
from sim.reports.page.comparison_tables import comparison_tables, machine_rows
from sim.reports.page.contact_rows import contact_rows
from sim.reports.page.control_rows import control_table
from sim.reports.page.data import CurvesMeta, curves
from sim.reports.page.drives import (
    audit_table,
    drive_rows,
    peak_tables,
    power_table,
    sizing_rows,
    weight_rows,
    with_motors,
)
from sim.reports.page.glb_scene import GlbScene
from sim.reports.page.language import language_script
from sim.reports.page.overlay import Overlay
from sim.reports.page.page_meta import (
    RECORDED,
    VisibleChannels,
    groups_with_curves,
    in_degrees,
    meta_of,
)
from sim.reports.page.poster import poster
from sim.reports.page.quantity import ShownQuantity
from sim.reports.page.robot_file import RobotFile
from sim.reports.page.standalone import (
    asset,
    page_style,
    render,
    share_paths,
    within_script,
    write_html,
)
from sim.reports.page.what_if import WhatIf, what_if
from sim.reports.reproduced_claims import claims_title
from sim.reports.run_warnings import warnings
from sim.reports.verdict_numbers import effort_word

FILE = "report.html"

SECTIONS = {
    "sizing": "Sizing",
    "control": "Controller",
    "whatif": "What if",
    "checks": "Checks",
    "engines": "Engines",
    "comparison": "Compared",
    "measured": "Measured",
    "claims": "Published results",
    "clearance": "Clearance",
    "contacts": "Contacts",
    "scenario": "Scenario",
    "model": "Model",
    "file": "Robot file",
    "audit": "Energy",
    "power": "Power",
    "loads": "Load cases",
    "provenance": "Provenance",
}
KEYS = (
    ("space", "play or pause"),
    ("← →", "one sample; with shift ten"),
    ("Home End", "start, end"),
    ("[ ]", "slower, faster"),
    ("n p", "next, previous failure"),
    ("e", "values or errors"),
    ("c", "values or differences from the compared run"),
    ("r", "show the whole run"),
    ("f", "larger plot"),
    ("d", "degrees or radians"),
    ("m", "millimetres or metres"),
    ("s", "statistics of each channel, between A and B or over the time shown"),
    ("/", "search channels; Esc shows all again"),
    ("l", "loop"),
    ("a b x", "set mark A or B at this time, clear both"),
    ("g t", "ghost, torques"),
    ("v", "camera follows the tool"),
    ("1 2 3 4", "standard views"),
    ("drag", "on a plot: zoom all plots in time; double-click shows the whole run"),
    ("shift drag", "on a plot: zoom vertically, also shift + wheel; double-click resets"),
    ("Δ", "recorded − analytic, or − compared run, at the pointer or the time shown"),
)


def write_page(
    path: Path,
    recording: Recording,
    scene: GlbScene | None = None,
    overlays: Sequence[Overlay] = (),
    detail: float = 1.0,
    robot_file: RobotFile | None = None,
    judgements: Sequence[Judgement] | None = None,
) -> None:
    """Write the page of a judged run.

    Parameters
    ----------
    path : Path
        The HTML file.
    recording : Recording
        A judged recording.
    scene : Scene, optional
        The robot (default: none, no 3-D view).
    overlays : sequence of Overlay
        Baseline or other runs that are laid over it.
    detail : float
        Pixels of the still picture per unit of the drawing.
    robot_file : RobotFile, optional
        Findings of an audit of the robot.
    judgements : sequence of Judgement, optional
        Judgements of the run, if they are already computed.

    Raises
    ------
    RecordingError
        If the file cannot be written, or a channel needed by a check is missing.
    """
    shown = VisibleChannels.of(recording, scene, overlays, robot_file, judgements)
    write_html(path, page(shown, detail))


def page(shown: VisibleChannels, detail: float = 1.0) -> str:
    """Return the HTML of the page; equal input gives equal bytes."""
    samples = len(recorded_of(shown.recording))
    with second_process(
        lambda: _packed_curves(shown), is_worthwhile=samples >= WORTH_A_COPY
    ) as packed_curves:
        blocks = _blocks_of_scene(shown)
        if not is_one_piece(samples):
            release_memory()
        sliders = what_if(shown.recording)
        scene = shown.scene
        picture = "" if scene is None else poster(scene, shown.recording, detail)
        drawn, block = packed_curves()
    scripts = ["player", *([] if scene is None else ["robot"])]
    extra = ""
    if sliders.facts is not None:
        scripts.append("whatif")
        blocks |= {
            "whatif-curves": pack_bytes(sliders.block),
            "whatif-script": pack_script("whatif"),
        }
        extra = asset("what_if.css")
    loader = asset("loader.js")
    return render(
        "report.html.j2",
        style=asset("vendor/uPlot.min.css") + page_style(),
        extra=extra,
        scripts=[loader, *map(script_of, scripts)],
        **_content(shown, drawn, sliders),
        label=_own_label(shown),
        poster=picture,
        meta=_script_json(meta_of(shown, drawn)),
        whatif_facts=None if sliders.facts is None else _script_json(sliders.facts),
        ghosts=any(map(shown.has_ghost, shown.overlays)),
        first_blocks={"curves": block, "player": pack_script("player")},
        blocks=blocks,
        loader=loader,
        notices=notices(),
    )


def _packed_curves(shown: VisibleChannels) -> tuple[CurvesMeta, str]:
    """Return what the page tells of its curves, and the curves as text."""
    others = [recorded_of(overlay) for overlay in shown.overlays]
    slack = [overlay.slack for overlay in shown.overlays]
    recording, judgements = shown.recording, shown.judgements
    drawn = curves(recording, judgements, others, shown.allowed, slack, shown.reference)
    return drawn.meta, pack_bytes(drawn.block)


def _blocks_of_scene(shown: VisibleChannels) -> dict[str, str]:
    """Return the moving robots and the script that draws them, as text by their names."""
    if (scene := shown.scene) is None:
        return {}
    recording = shown.recording
    blocks = {"scene": pack_bytes(animate(scene, recorded_of(recording), recording.run.events))}
    for k, overlay in enumerate(shown.overlays):
        if shown.has_ghost(overlay):
            blocks[f"clip{k}"] = pack_bytes(clip(scene, recorded_of(overlay)))
    return {**blocks, "robot": pack_script("robot")}


def _own_label(shown: VisibleChannels) -> str:
    """Return the labels of the run's curves in the legend."""
    engine = ENGINES[shown.recording.run.engine].title
    return f"{RECORDED} ({engine})" if shown.label == RECORDED else shown.label


def notices(names: Sequence[str] = ("three", "uplot", "fflate")) -> str:
    """Return the licences of the libraries in a page, which must be distributed with it."""
    titles = {"three": "three.js", "uplot": "uPlot", "fflate": "fflate"}
    texts = (f"{titles[name]}\n\n{asset(f'vendor/LICENSE.{name}')}" for name in names)
    return "\n\n".join(texts).replace("--", "- -")  # a double hyphen would end a comment


# gzip level: 9 takes eight times as long, and saves one per cent of the curves.
LEVEL = 7


def pack_bytes(block: bytes) -> str:
    """Return bytes as text: gzip without a time, base64."""
    return base64.b64encode(gzip.compress(block, LEVEL, mtime=0)).decode()


def pack_script(name: str) -> str:
    """Return a script, packed once for all pages."""
    return _pack(script_of(name).encode())


@cache
def _pack(script: bytes) -> str:
    def compute() -> Arrays:
        return (np.frombuffer(pack_bytes(script).encode(), np.uint8),)

    (packed,) = cached_arrays([script, zlib.ZLIB_RUNTIME_VERSION.encode()], compute)
    return packed.tobytes().decode()


def script_of(name: str) -> str:
    """Return a bundled script after its dependencies: charts, and functions of expressions."""
    charts = asset("vendor/uPlot.min.js") if name == "player" else ""
    language = language_script() if name in ("player", "teach") else ""
    return charts + language + asset(f"vendor/{name}.min.js")


def _script_json(meta: msgspec.Struct) -> str:
    """Return JSON that cannot end the element that contains it."""
    text = msgspec.json.encode(meta, enc_hook=float).decode()
    return within_script(text)


def _data_link(text: str) -> str:
    """Return the address of a text within the page itself."""
    return f"data:text/csv;base64,{base64.b64encode(text.encode()).decode()}"


def _content(shown: VisibleChannels, drawn: CurvesMeta, sliders: WhatIf) -> dict[str, Any]:
    """Return the values of the template."""
    recording, run, scene = shown.recording, shown.recording.run, shown.scene
    checks = check_rows(shown.judgements)
    failed = sum(not row.ok for row in checks)
    scene_facts = None if scene is None else scene.facts
    links = () if scene is None else scene.links.values()
    compared = comparison_tables(shown.overlays)
    pair = next((one.pair for one in shown.overlays if one.pair is not None), None)
    content = {
        "name": run.scenario,
        "passed": run.verdict == "pass" and (pair is None or pair.passed),
        "headline": tables.headline(run),
        "warnings": [*causes(recording), *unjudged_forces(recording), *warnings(run)],
        "facts": facts(checks, run),
        "groups": [(group.name, group.short) for group in groups_with_curves(drawn)],
        "failing": drawn.failing > 0,
        "degrees": in_degrees(run.robot),
        "turning": any(row.is_angle for row in run.robot.tree_coordinates),
        "overlays": shown.overlays,
        "compared": None if shown.compared is None else shown.overlays[shown.compared],
        "reference": None if shown.reference is None else shown.overlays[shown.reference],
        "ghosts_apart": any(overlay.is_apart(recording) for overlay in shown.overlays),
        "checks": checks,
        "open": max(OPEN_CHECKS, failed),
        "failed": failed,
        "comparison": compared,
        "engines": pair,
        "claims": tables.claim_rows(run),
        "claims_title": claims_title(run).capitalize(),
        "measured": measured_rows(joints_of(run)),
        "measured_how": facts_of(run),
        "measured_filter": None if (how := facts_of(run)) is None else cutoff_sentence(how),
        "notes": list(map(share_paths, run.notes)),
        "settings": tables.settings_rows(run),
        "drives": drive_rows(recording),
        "robot": run.robot,
        "scene": scene is not None,
        "clearance": clearance_table(run),
        "contacts": contact_rows(recording),
        "control": control_table(recording),
        "scene_notes": [] if scene_facts is None else list(map(share_paths, scene_facts.notes)),
        "sources": {} if scene_facts is None else scene_facts.sources,
        "joints": tables.joint_rows(run.robot),
        "links": tables.link_rows(run.robot, links),
        "repairs": tables.repair_rows(run.robot),
        "file": shown.robot_file,
        "audit": audit_table(run.audit),
        "power": power_table(with_motors(run, run.sizing)),
        "loads": (cases := load_cases(recording)),
        "loads_file": _data_link(load_case_table(cases)),
        "sizing": sizing_rows(with_motors(run, motor_loads(recording))),
        "weight": weight_rows(recording),
        "effort": effort_word(row.units.effort for row in run.robot.coordinates),
        "whatif": sliders,
        "peaks": peak_tables(recording, shown.overlays, shown.label),
        "command": tables.command(run),
        "provenance": [*tables.provenance_rows(run), *machine_rows(compared)],
        "versions": json.loads(asset("vendor/lock.json"))["versions"],
        "keys": KEYS,
        "as_quantity": lambda value, unit: ShownQuantity(float(value), unit),
    }
    always = ("whatif", "checks", "scenario", "model", "provenance")
    content["sections"] = [
        (id, content["claims_title"] if id == "claims" else title)
        for id, title in SECTIONS.items()
        if id in always or content[id]
    ]
    return content
