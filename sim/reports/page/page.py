"""The page of a run: one HTML file that holds everything it shows and asks for nothing."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.comparison import Comparison
from sim.errors import RecordingError
from sim.recording import Recording, json_text
from sim.reports.page import tables
from sim.reports.page.channels import GROUPS
from sim.reports.page.clip import animated, clip
from sim.reports.page.data import Curves, curves
from sim.reports.page.drives import audit_table, sizing_table
from sim.reports.page.overlay import Overlay
from sim.reports.page.poster import bounds, poster, sparkline
from sim.reports.page.scene import Scene

FILE = "report.html"
TEMPLATE = Path(__file__).parent / "template"
LEVELS = {"displacement": "q", "velocity": "qd", "acceleration": "qdd"}
MOST_DIFFERENCES = 10

KEYS = (
    ("space", "play or pause"),
    ("← →", "one sample; with shift ten"),
    ("Home End", "start, end"),
    ("[ ]", "slower, faster"),
    ("n p", "next, previous failure"),
    ("e", "values or errors"),
    ("r", "the whole run again"),
    ("f", "larger plot"),
    ("d", "degrees"),
    ("l", "loop"),
    ("g t", "ghost, torques"),
    ("1 2 3 4", "standard views"),
)


def write_page(
    path: Path,
    recording: Recording,
    scene: Scene | None = None,
    overlays: Sequence[Overlay] = (),
) -> None:
    """Write the page of a judged run.

    Parameters
    ----------
    path : Path
        The HTML file.
    recording : Recording
        Its description holds ``verdict`` and ``checks``.
    scene : Scene, optional
        The robot; without it the page has no three-dimensional view.
    overlays : sequence of Overlay
        The baseline, or other runs, that are laid over it.

    Raises
    ------
    RecordingError
        If the file cannot be written.
    """
    try:
        path.write_text(page(recording, scene, overlays), encoding="utf-8", newline="\n")
    except OSError as error:
        raise RecordingError(f"Cannot write {path}: {error.strerror or error}") from error


def page(recording: Recording, scene: Scene | None = None, overlays: Sequence[Overlay] = ()) -> str:
    """HTML of the page; the same for the same input, byte by byte."""
    found = curves(recording, overlays)
    joints = [] if scene is None else [extras["joint"] for _, extras in scene.moving()]
    ghosts = [scene is not None and overlay.poses(joints) for overlay in overlays]
    blocks = {}
    scripts = {"player": asset("vendor/player.min.js")}
    if scene is not None:
        scripts["robot"] = asset("vendor/robot.min.js")
        blocks["scene"] = animated(scene, recording.recorded, recording.info.get("events", ()))
        for k, overlay in enumerate(overlays):
            if ghosts[k]:
                blocks[f"clip{k}"] = clip(scene, overlay.recorded)
        blocks["robot"] = scripts["robot"].encode()
    style = asset("vendor/uPlot.min.css") + asset("style.css")
    loader = asset("loader.js")
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            **_content(recording, scene, overlays, found),
            meta=_script_json(_meta(recording, scene, overlays, ghosts, found)),
            ghosts=any(ghosts),
            first_blocks={
                "curves": packed(found.block),
                "player": packed(scripts["player"].encode()),
            },
            blocks={id: packed(block) for id, block in blocks.items()},
            style=style,
            loader=loader,
            policy=policy([loader, *scripts.values()], style),
        )
    )


def packed(block: bytes) -> str:
    """Bytes as text: gzip without a time, base64."""
    return base64.b64encode(gzip.compress(block, 9, mtime=0)).decode()


def policy(scripts: Sequence[str], style: str) -> str:
    """Content-Security-Policy: these scripts, this style, pictures of the page itself, no more."""

    def listed(texts: Sequence[str]) -> str:
        digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()) for text in texts]
        return " ".join(f"'sha256-{digest.decode()}'" for digest in digests)

    return (
        f"default-src 'none'; script-src {listed(scripts)}; style-src {listed([style])}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def asset(name: str) -> str:
    """Text of a file beside the templates."""
    return (TEMPLATE / name).read_text(encoding="utf-8")


def _script_json(content: Any) -> str:
    """JSON that cannot end the element it stands in."""
    return json_text(content).replace("<", "\\u003c").replace("&", "\\u0026")


def environment() -> Any:
    """Templates that escape all that is put into them."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATE), autoescape=True, undefined=jinja2.StrictUndefined
    )


def _meta(
    recording: Recording,
    scene: Scene | None,
    overlays: Sequence[Overlay],
    ghosts: Sequence[bool],
    found: Curves,
) -> dict[str, Any]:
    info = recording.info
    centre, radius = ([0.0, 0.0, 0.0], 1.0) if scene is None else bounds(scene, recording)
    used = {channel["group"] for channel in found.meta["channels"]}
    checks = [
        {key: check[key] for key in ("name", "worst", "limit", "at", "ok")}
        for check in info.get("checks", ())
    ]
    return {
        **found.meta,
        "name": info["scenario"],
        "groups": {group: title for group, (title, _) in GROUPS.items() if group in used},
        "checks": checks,
        "corners": info["settings"]["corners"][:200],
        "tool": info["robot"]["tool"],
        "bounds": {"centre": centre, "radius": radius or 1.0},
        "overlays": [{"label": o.label, "ghost": g} for o, g in zip(overlays, ghosts, strict=True)],
    }


def _content(
    recording: Recording, scene: Scene | None, overlays: Sequence[Overlay], found: Curves
) -> dict[str, Any]:
    info = recording.info
    checks = tables.check_rows(info)
    nodes = [] if scene is None else [node.get("extras", {}) for node in scene.nodes]
    used = {channel["group"] for channel in found.meta["channels"]}
    content = {
        "name": info["scenario"],
        "passed": info.get("verdict") == "pass",
        "headline": tables.headline(info),
        "facts": tables.facts(recording, checks),
        "poster": "" if scene is None else poster(scene, recording),
        "groups": [(group, short) for group, (_, short) in GROUPS.items() if group in used],
        "failing": found.meta["failing"] > 0,
        "turning": any(joint["kind"] != "prismatic" for joint in info["robot"]["joints"]),
        "overlays": overlays,
        "ghosts_apart": any(overlay.is_apart(recording) for overlay in overlays),
        "checks": checks,
        "open": max(tables.OPEN_CHECKS, sum(not row["ok"] for row in checks)),
        "failed": sum(not row["ok"] for row in checks),
        "comparison": [_compared(o.label, o.comparison) for o in overlays if o.comparison],
        "claims": tables.claim_rows(info),
        "notes": info.get("notes", ()),
        "settings": tables.settings_rows(info),
        "drives": [_drive(recording, drive) for drive in info["drives"]],
        "robot": info["robot"],
        "scene": scene is not None,
        "scene_notes": [] if scene is None else scene.extras["notes"],
        "sources": {} if scene is None else scene.extras["sources"],
        "joints": tables.joint_rows(info),
        "links": tables.link_rows(info, {e["link"]: e for e in nodes if "link" in e}),
        "audit": audit_table(info.get("audit")),
        "sizing": sizing_table(info.get("sizing")),
        "command": tables.command(info),
        "provenance": tables.provenance_rows(info),
        "versions": json.loads(asset("vendor/lock.json"))["versions"],
        "keys": KEYS,
    }
    there = ("checks", "comparison", "claims", "scenario", "model", "audit", "sizing", "provenance")
    always = ("checks", "scenario", "model", "provenance")
    content["sections"] = [
        (id, "Compared" if id == "comparison" else id.capitalize())
        for id in there
        if id in always or content[id]
    ]
    return content


def _compared(label: str, comparison: Comparison) -> dict[str, Any]:
    beyond = sum(not d.ok for d in comparison.differences)
    words = [f"{len(comparison.differences)} channels, {beyond} beyond their limit"]
    for word, channels in (("missing", comparison.missing), ("new", comparison.new)):
        if channels:
            words.append(f"{word}: {', '.join(channels)}")
    rows = [
        {
            "channel": d.channel,
            "worst": tables.number(d.worst, 3),
            "limit": tables.number(d.limit, 3),
            "unit": d.unit,
            "at": d.at,
            "diverges": "–" if d.diverges is None else f"{d.diverges:.3f}",
            "ok": d.ok,
        }
        for d in comparison.differences[:MOST_DIFFERENCES]
    ]
    note = "; ".join([*words, *comparison.notes])
    return {"label": label, "ok": comparison.ok, "note": note, "rows": rows}


def _drive(recording: Recording, drive: Mapping[str, Any]) -> dict[str, Any]:
    joint, level = str(drive["joint"]), str(drive["level"])
    channel = f"{LEVELS.get(level, level)}.{joint}"
    if channel not in recording.analytic:
        _, _, component = joint.rpartition(".")
        channel = f"tool.{component}"  # a drive of the tool
    there = channel in recording.analytic
    values = recording.analytic[channel].to_numpy(dtype="f8") if there else None
    return {
        "joint": joint,
        "level": level,
        "function": str(drive.get("function", "")),
        "warnings": drive.get("warnings", ()),
        "plot": channel if there else None,
        "spark": "" if values is None else sparkline(values),
    }
