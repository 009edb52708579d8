"""The summary of a run and of a comparison, for a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.checks.peaks import peak_times
from sim.reports.energy import drive_sizing, energy_audit
from sim.reports.tables import number, table

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console, RenderableType
    from rich.table import Table

    from sim.comparison.difference import Comparison
    from sim.recording import Recording

DEGREE = math.pi / 180
NOTHING = 1e-9  # [N·m, N]; a torque that is only rounding has no peak to compare with


def summary(recording: Recording, folder: Path | None) -> list[RenderableType]:
    """Verdict, joints, energies, claims, warnings and files of a judged run."""
    from rich.text import Text

    info = recording.info
    parts: list[RenderableType] = [_headline(info), _joints(recording), _links(recording)]
    parts += [*drive_sizing(recording), *energy_audit(recording)]
    parts += [_worst(info), *_failures(info), *_claims(info), *_warnings(info)]
    parts += [Text(f"note     {text}") for text in info.get("notes", ())]
    parts += [Text(f"assumed  {text}", style="dim") for text in info["robot"]["assumed"]]
    if folder is not None:
        figures = ", ".join(info.get("figures", ()))
        parts.append(Text(f"files    {folder}" + (f"  ({figures})" if figures else "")))
        if "page" in info:
            parts.append(Text(f"page     {folder / info['page']}"))
    return parts


def _headline(info: Mapping[str, Any]) -> RenderableType:
    from rich.text import Text

    settings = info["settings"]
    parameters = "".join(f", {k} = {_shown(v)}" for k, v in info.get("parameters", {}).items())
    line = Text()
    line.append(info["scenario"], style="bold")
    passed = info["verdict"] == "pass"
    line.append(f"  {info['verdict']}", style="bold green" if passed else "bold red")
    line.append(
        f"   {info['method']}, {settings['duration']:g} s at {1e3 * settings['dt']:g} ms"
        f"{parameters}"
    )
    return line


def _shown(value: object) -> str:
    if isinstance(value, list):
        return " ".join(_shown(part) for part in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _joints(recording: Recording) -> Table:
    """One row a joint: agreement with the model on the left, ratings on the right."""
    rows = table("joint", "torque error", "speed error", "peak torque", "peak speed", "range used")
    for joint in recording.info["robot"]["joints"]:
        if joint["mimic"] is not None:
            continue
        name = joint["name"]
        scale, unit = (1.0, "m") if joint["kind"] == "prismatic" else (DEGREE, "°")
        tau, qd, q = (recording.recorded[f"{c}.{name}"].to_numpy() for c in ("tau", "qd", "q"))
        peak, effort = float(np.max(np.abs(tau))), recording.units[f"tau.{name}"]
        error = _worst_of(recording, "torque", f"tau.{name}")
        lag = _worst_of(recording, "velocity", f"qd.{name}")
        rows.add_row(
            name,
            f"{error / peak:.0e} of peak" if peak > NOTHING else f"{error:.0e} {effort}",
            f"{lag:.0e} {recording.units[f'qd.{name}']}",
            _rated(peak, joint["effort"], 1.0, effort),
            _rated(float(np.max(np.abs(qd))), joint["velocity"], scale, f"{unit}/s"),
            f"{number(q.min() / scale)} … {number(q.max() / scale)} {_range(joint, scale, unit)}",
        )
    return rows


def _rated(peak: float, rating: float | None, scale: float, unit: str) -> str:
    if rating is None:
        return f"{number(peak / scale)} {unit}, not rated"
    share = f"{100 * peak / rating:3.0f} %"
    return f"{number(peak / scale)} of {number(rating / scale)} {unit} {share}"


def _range(joint: Mapping[str, Any], scale: float, unit: str) -> str:
    if joint["lower"] is None:
        return unit
    low, high = joint["lower"] / scale, joint["upper"] / scale
    if low == -high:
        return f"of ±{number(high)} {unit}"
    return f"of {number(low)} … {number(high)} {unit}"


def _links(recording: Recording) -> Table:
    """One row a link: how well its kinetic energy agrees, and when it peaks."""
    rows = table("link", "kinetic energy error", "peak", "at")
    for channel in recording.recorded.columns:
        if channel.startswith("ke."):
            values = recording.recorded[channel].to_numpy()
            at = peak_times(recording.recorded.index.to_numpy(), values)
            flat = f" to {at[-1]:.2f}" if at[-1] - at[0] > 0.02 else ""
            rows.add_row(
                channel.removeprefix("ke."),
                f"{_worst_of(recording, 'kinetic energy', channel):.0e} J",
                f"{number(values.max())} J",
                f"{at[0]:.2f}{flat} s",
            )
    return rows


def _worst_of(recording: Recording, name: str, channel: str) -> float:
    for check in recording.info["checks"]:
        if check["name"] == name and check["channel"] == channel:
            return float(check["worst"])
    return math.nan


def _worst(info: Mapping[str, Any]) -> RenderableType:
    """How many checks of each kind there were, and the one nearest to its limit."""
    rows = table("check", "channels", "nearest to its limit", "worst", "limit", "at")
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for check in info["checks"]:
        kinds.setdefault(check["name"], []).append(check)
    for name, checks in kinds.items():
        worst = min(checks, key=_margin)
        passed = sum(check["ok"] for check in checks)
        style = None if passed == len(checks) else "red"
        rows.add_row(
            name,
            f"{passed} of {len(checks)} ok",
            worst["channel"],
            f"{worst['worst']:.3g} {worst['unit']}",
            f"{worst['limit']:.3g}",
            f"{worst['at']:.3f} s",
            style=style,
        )
    return rows


def _margin(check: Mapping[str, Any]) -> float:
    """Small where a check is near its limit or beyond; for ranges the distance to the end."""
    if check["name"].endswith("end of range"):
        sign = -1.0 if check["name"].startswith("lower") else 1.0
        return float(sign * (check["limit"] - check["worst"]))
    return 1.0 - check["worst"] / check["limit"] if check["limit"] else -check["worst"]


def _failures(info: Mapping[str, Any]) -> list[RenderableType]:
    from rich.text import Text

    failed = [check for check in info["checks"] if not check["ok"]]
    return [
        Text(
            f"failed   {check['name']} {check['channel']}: {check['worst']:.4g} {check['unit']} "
            f"at {check['at']:.4g} s, limit {check['limit']:.4g} {check['unit']}",
            style="red",
        )
        for check in failed
    ]


def _claims(info: Mapping[str, Any]) -> list[RenderableType]:
    from rich.text import Text

    by_text: dict[tuple[str, str], list[Mapping[str, Any]]] = {
        (claim["text"], claim["source"]): [] for claim in info["claims"]
    }
    for result in info.get("claim_results", ()):
        by_text.setdefault((result["text"], result["source"]), []).append(result)
    lines: list[RenderableType] = []
    for (text, source), results in by_text.items():
        shown = sum(result["ok"] for result in results)
        if not results:
            word = "no channel of this run to judge it by"
        else:
            word = "shown" if shown == len(results) else f"shown for {shown} of {len(results)}"
        line = Text(f"claim    “{text}” ({source}): ")
        line.append(word, style="green" if word == "shown" else "yellow")
        for result in results:
            if not result["ok"]:
                at = "" if result.get("at") is None else f" at {result['at']:.3f} s"
                line.append(
                    f"\n           {result['channel']}: {result['found']:.4g} {result['unit']} "
                    f"here{at}, {result['expected']:.4g} {result['unit']} claimed"
                )
        lines.append(line)
    return lines


def _warnings(info: Mapping[str, Any]) -> list[RenderableType]:
    """Each warning once, with the drives it is about."""
    from rich.text import Text

    drives: dict[str, list[str]] = {}
    for drive in info["drives"]:
        for warning in drive["warnings"]:
            drives.setdefault(warning, []).append(drive["joint"])
    return [
        Text(f"warning  {', '.join(names)}: {warning}", style="yellow")
        for warning, names in drives.items()
    ]


def comparison(result: Comparison, name: str, most: int = 12) -> list[RenderableType]:
    """Verdict and the channels nearest to or beyond their limits."""
    from rich.text import Text

    line = Text()
    line.append(name, style="bold")
    line.append("  same" if result.ok else "  differs", style="green" if result.ok else "bold red")
    beyond = sum(not d.ok for d in result.differences)
    line.append(f"   {len(result.differences)} channels, {beyond} beyond their limit")
    if result.diverges is not None:
        first = [d.channel for d in result.differences if d.diverges == result.diverges]
        line.append(f"; first at {result.diverges:g} s ({first[0]})")
    rows = table("channel", "largest difference", "limit", "of limit", "at", "diverges")
    for d in result.differences[:most]:
        rows.add_row(
            d.channel,
            f"{d.worst:.3g} {d.unit}",
            f"{d.limit:.3g}",
            f"{d.worst / d.limit:.2g}",
            f"{d.at:.3f} s",
            "-" if d.diverges is None else f"{d.diverges:.3f} s",
            style=None if d.ok else "red",
        )
    parts: list[RenderableType] = [line, rows]
    for word, channels in (("missing", result.missing), ("new", result.new)):
        if channels:
            parts.append(Text(f"{word:8} {', '.join(channels)}", style="yellow"))
    parts += [Text(f"setting  {note}", style="yellow") for note in result.notes]
    return parts


def show(console: Console, parts: Sequence[RenderableType]) -> None:
    """Print the parts one below the other; lines of text are not broken, so paths stay whole."""
    from rich.text import Text

    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text), highlight=False)
