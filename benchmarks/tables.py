"""Measurements as Markdown tables and SVG plots for the documentation."""

from __future__ import annotations

import io
import re
from pathlib import Path

from benchmarks.contest import Part, Row, Target
from benchmarks.kept import Kept, read
from sim.recording.files.whole_files import write_bytes

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
HEAD = "| | target | bound | measured | met |"
MARKERS = "os^Dv<>P"
COLOURS = {"sim": "#c2410c", "PyBullet": "#475569", "MuJoCo": "#2563eb", "Pinocchio": "#15803d"}


def write(folder: Path, kept: Kept) -> list[Path]:
    """Write ``<name>.md`` with the tables of a subject, and one SVG for each of its plots."""
    plots = [
        _plot(folder / f"{kept.name}_{k}.svg", part)
        for k, part in enumerate(kept.subject.parts)
        if part.plot
    ]
    path = folder / f"{kept.name}.md"
    write_bytes(path, markdown(kept).encode())
    return [path, *plots]


def write_targets(folder: Path) -> Path:
    """Write ``targets.md``: the targets of all subjects stored in a folder."""
    lines, commits = [HEAD, "|---|---|---|---|---|"], dict[str, str]()
    for path in sorted(folder.glob("*.json")):
        kept = read(path)
        title = kept.name.replace("_", " ")
        commits[title] = kept.machine["commit"]
        lines += [f"| {title} {_target(target)}" for target in kept.subject.targets]
    path = folder / "targets.md"
    write_bytes(path, "\n".join([*lines, "", *_commits(commits), ""]).encode())
    return path


def _commits(commits: dict[str, str]) -> list[str]:
    """Return the commits of the tables; `make bench` measures all of them at one commit."""
    if len(different := sorted(set(commits.values()))) < 2:
        return [f"*all measured at commit {commit}*" for commit in different]
    of_each = (f"{one}: {', '.join(t for t in commits if commits[t] == one)}" for one in different)
    return [f"*measured at {len(different)} commits; {'; '.join(of_each)}*"]


def markdown(kept: Kept) -> str:
    """Return the tables of a subject."""
    lines = [" ".join(kept.subject.about.split()), ""]
    if kept.quick:
        lines += ["**A quick trial of small sizes: the figures below are not meaningful.**", ""]
    for k, part in enumerate(kept.subject.parts):
        lines += [f"**{part.title}**, {kept.rounds} rounds, time per {part.per}", ""]
        lines += [*_table(part), ""]
        if part.plot:
            lines += [f"![{part.title}]({kept.name}_{k}.svg)", ""]
    if kept.subject.targets:
        lines += ["| target | bound | measured | met |", "|---|---|---|---|"]
        lines += [*map(_target, kept.subject.targets), ""]
    about = ", ".join(f"{key} {value}" for key, value in kept.machine.items())
    return "\n".join([*lines, f"*{about}*", ""])


def _table(part: Part) -> list[str]:
    errors = any(row.error is not None for row in part.rows)
    memory = any(row.megabytes is not None for row in part.rows)
    heads = ["", "median", "range"]
    heads += [part.error] if errors else []
    heads += ["peak memory"] if memory else []
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for row in part.rows:
        cells = [row.name, *_times(row)]
        cells += [known(row.error)] if errors else []
        cells += ["" if row.megabytes is None else f"{row.megabytes:.0f} MB"] if memory else []
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _times(row: Row) -> tuple[str, str]:
    if row.seconds is None or row.least is None or row.most is None:
        return row.note, ""
    scale, unit = next((u for u in UNITS if row.seconds >= u[0]), UNITS[-1])
    low, middle, high = (f"{x / scale:.3g}" for x in (row.least, row.seconds, row.most))
    once = "" if row.rounds > 1 else ", once"
    return f"{middle} {unit}{once}", f"{low} to {high}"


def known(error: float | None) -> str:
    """Return an error in two digits, "" if there is none."""
    return "" if error is None else f"{error:.1e}"


def _target(target: Target) -> str:
    word = "at least" if target.at_least else "at most"
    met = "yes" if target.met else "**no**"
    unit = "" if target.unit == "1" else f" {target.unit}"
    reached = "not measured" if target.reached is None else f"{target.reached:.3g}{unit}"
    return f"| {target.what} | {word} {target.bound:g}{unit} | {reached} | {met} |"


def _plot(path: Path, part: Part) -> Path:
    """Plot error over time, or time over size; both axes logarithmic."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    rows = [row for row in part.rows if row.seconds]
    if part.plot == "growth":
        x = [float(row.name.split()[0]) for row in rows]
        axes.plot(x, [row.seconds for row in rows], "o-", color=COLOURS["sim"])
        axes.set(xlabel=part.along, ylabel="CPU time [s]", xscale="log", yscale="log")
        axes.set_xticks(x, [f"{value:g}" for value in x], minor=False)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_locator(LogLocator(10, (1, 2, 5)))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    else:
        for k, family in enumerate(dict.fromkeys(map(_family, rows))):
            own = [row for row in rows if _family(row) == family and row.error]
            colour = next((c for word, c in COLOURS.items() if family.startswith(word)), "#7c3aed")
            style = MARKERS[k % len(MARKERS)] + "-"
            points = sorted((row.seconds, row.error) for row in own)
            if points:
                axes.plot(*zip(*points, strict=True), style, color=colour, label=family)
        axes.set(xlabel="CPU time [s]", ylabel=part.error, xscale="log", yscale="log")
        axes.legend(fontsize="small")
    axes.grid(visible=True, which="major", linewidth=0.4)
    with mpl.rc_context({"svg.hashsalt": part.title, "svg.fonttype": "none"}):
        drawn = io.BytesIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    write_bytes(path, drawn.getvalue())
    return path


def _family(row: Row) -> str:
    """Return the common name of rows that differ only in a step or a tolerance."""
    return re.sub(r",? [\d.]+ ms$|, rtol .*$", "", row.name)
