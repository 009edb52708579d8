"""Modes, frequencies along a run and the response to a load, for a terminal and as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sim.engine_names import ENGINES, EngineName
from sim.reports.terminal.sentences import label_sentence
from sim.reports.terminal.tables import FittedTable, number
from sim.vibration.load_step import BAND, LoadStep
from sim.vibration.modes import Mode, Modes
from sim.vibration.run_modes import RunModes

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.dynamics.statics import Equilibrium

SHOWN = 0.05  # relative to the largest; smaller components of a shape are left out
ROWS = 4  # lines of a sentence
UNDAMPED = 1e-12  # a smaller damping ratio is rounding
AGREED = 1e-6  # of each root: a larger difference of an engine is a disagreement

Second = tuple[EngineName, float | str]
"""An engine, and the largest difference of a root by its accelerations or why there is none."""


def engines_agree(second: Second | None) -> bool:
    """Whether no engine has different eigenvalues."""
    return second is None or isinstance(second[1], str) or second[1] <= AGREED


def to_terminal(
    modes: Modes,
    load: LoadStep | None,
    run: RunModes | None,
    second: Second | None,
    where: str,
    rest: Equilibrium | None = None,
) -> list[RenderableType]:
    """Return frequencies along a run, modes at one pose, assumptions, load, and engine check."""
    parts: list[RenderableType] = [] if run is None else [_range_table(run)]
    parts += [label_sentence("modes", f"{modes.drives.robot.name} {where}", rows=ROWS)]
    parts += [_table(modes)]
    for label, text, style in sentences(modes, load, second, rest):
        parts.append(label_sentence(label, text, style, rows=ROWS))
    return parts


def sentences(
    modes: Modes, load: LoadStep | None, second: Second | None, rest: Equilibrium | None = None
) -> list[tuple[str, str, str]]:
    """Return label, text and style of each sentence next to the table."""
    parts: list[tuple[str, str, str]] = []
    if rest is not None:
        style = "red" if rest.stability == "unstable" else ""
        parts.append(("rest", _rest(modes, rest), style))
    if modes.unbalanced:
        parts.append(("no rest", _unbalanced_text(modes), "yellow"))
    if assumed := _drives(modes):
        parts.append(("drives", assumed, "dim"))
    if modes.drives.rigid:
        parts.append(("rigid", ", ".join(modes.drives.rigid), ""))
    if load is not None:
        parts += [("load", text, "") for text in _load(load)]
    parts += [("note", note, "yellow") for note in modes.notes]
    if second is not None:
        engine, difference = second
        name = ENGINES[engine].title
        if isinstance(difference, str):
            words = f"not compared with {name}: {difference}"
        else:
            words = f"eigenvalues from {name} (finite differences) differ by {difference:.0e}"
        parts.append(("engine", words, "" if engines_agree(second) else "red"))
    else:
        parts.append(("engine", "none is installed; not compared", "dim"))
    return parts


def _range_table(run: RunModes) -> FittedTable:
    """Return the range of each frequency."""
    rows = FittedTable(("frequency", "lowest", "at", "highest", "at t"), ("at t", "at"))
    for k, row in enumerate(run.frequency):
        if np.isnan(row).all():
            rows.add_row(str(k + 1), "diverges", "", "", "")
            continue
        low, high = int(np.nanargmin(row)), int(np.nanargmax(row))
        diverging = np.flatnonzero(np.isnan(row))
        least = f"{number(row[low])} Hz" if not diverging.size else "diverges"
        first = run.t[diverging[0]] if diverging.size else run.t[low]
        cells = (least, f"{first:.3f} s", f"{number(row[high])} Hz", f"{run.t[high]:.3f} s")
        rows.add_row(str(k + 1), *cells)
    return rows


HEADINGS = ("mode", "frequency", "damped", "damping", "shape")


def _table(modes: Modes) -> FittedTable:
    rows = FittedTable(HEADINGS, ("damped",), left=("shape",), prose=("shape",), airy=False)
    for mode, cells in zip(modes.modes, table_rows(modes), strict=True):
        rows.add_row(*cells, style="red" if mode.runs_away else None)
    return rows


def table_rows(modes: Modes) -> list[tuple[str, ...]]:
    """Return the cells of each mode below `HEADINGS`."""
    return [
        (
            str(k),
            f"{number(mode.frequency)} Hz" if mode.oscillates else "-",
            f"{number(mode.root.imag / (2 * math.pi))} Hz" if mode.oscillates else "-",
            _damping(mode),
            _shape(mode),
        )
        for k, mode in enumerate(modes.modes, start=1)
    ]


def _rest(modes: Modes, rest: Equilibrium) -> str:
    """Describe the free joints' equilibrium and its stability."""
    drives = modes.drives
    rows = zip(drives.robot.coordinates, drives.loose, drives.stiffness, rest.q, strict=True)
    places = []
    for row, is_loose, k, q in rows:
        if is_loose and not k:
            size, unit = row.degrees_or_millimetres
            places.append(f"{row.name} {q / size:.6g}{unit if unit == '°' else ' ' + unit}")
    return f"{rest.stability} equilibrium at {', '.join(places)}"


def _unbalanced_text(modes: Modes) -> str:
    """Describe the efforts that the pose would need, joint by joint."""
    effort = {row.name: row.units.effort for row in modes.drives.robot.coordinates}
    needs = ", ".join(
        f"{number(x)} {effort[name]} in {name}" for name, x in modes.unbalanced.items()
    )
    return f"the pose is not an equilibrium: it requires {needs}, which no drive provides"


def _damping(mode: Mode) -> str:
    if mode.runs_away:
        return f"grows ×e in {number(1 / mode.root.real)} s"
    if mode.oscillates:
        ratio = mode.damping_ratio if mode.damping_ratio > UNDAMPED else 0.0
        return f"{100 * ratio:.3g} %"
    if not mode.root:
        return "drifts"
    return f"1/e in {number(-1 / mode.root.real)} s"


def _shape(mode: Mode) -> str:
    """Return joints by component of the shape, the largest first."""
    size = sorted(mode.shape.items(), key=lambda item: -abs(item[1]))
    shares = ((name, math.copysign(abs(x), x.real)) for name, x in size if abs(x) >= SHOWN)
    return ", ".join(f"{name} {share:.2f}" for name, share in shares)


def _drives(modes: Modes) -> str:
    """Return stiffness and damping of the drives, joints of equal numbers together."""
    drives, groups = modes.drives, dict[tuple[float, float, str, str], list[str]]()
    rows = zip(
        drives.robot.coordinates, drives.loose, drives.stiffness, drives.damping, strict=True
    )
    for row, is_loose, k, d in rows:
        if is_loose and (k or d):
            turn = ("N·m/rad", "N·m·s/rad") if row.is_angle else ("N/m", "N·s/m")
            groups.setdefault((float(k), float(d), *turn), []).append(row.name)
    return "; ".join(
        f"{k:g} {of_k}, {d:g} {of_d} in {', '.join(names)}"
        for (k, d, of_k, of_d), names in groups.items()
    )


def _load(load: LoadStep) -> list[str]:
    x, y, z = (number(1e3 * value) for value in load.sag)
    size = 1e3 * float(np.linalg.norm(load.sag))
    settled = (
        f"settles within {100 * BAND:g} % after {number(load.settling_time)} s"
        if math.isfinite(load.settling_time)
        else "does not settle: a mode has no damping"
    )
    over = (
        f"overshoot {100 * load.overshoot:.3g} % at {number(load.peak_time)} s"
        if load.overshoot > 0
        else "no overshoot"
    )
    return [
        f"{load.mass:g} kg on the tool: static deflection {number(size)} mm ({x}, {y}, {z}); "
        f"the nonlinear solution differs by {100 * load.nonlinear_share:.2g} %",
        f"lowest frequency with the payload {number(load.loaded.frequency[0])} Hz; {over}; "
        f"{settled}",
    ]


def document(
    modes: Modes,
    load: LoadStep | None,
    run: RunModes | None,
    second: Second | None,
    rest: Equilibrium | None = None,
) -> dict[str, object]:
    """Return results as plain data."""
    drives = modes.drives
    document: dict[str, object] = {
        "robot": drives.robot.name,
        "q": modes.q.tolist(),
        "frequency": modes.frequency.tolist(),
        "modes": [
            {
                "root": [mode.root.real, mode.root.imag],
                "frequency": mode.frequency,
                "damping_ratio": mode.damping_ratio,
                "shape": {name: [x.real, x.imag] for name, x in mode.shape.items()},
            }
            for mode in modes.modes
        ],
        "assumed": {
            "stiffness": dict(zip(drives.robot.row_names, drives.stiffness.tolist(), strict=True)),
            "damping": dict(zip(drives.robot.row_names, drives.damping.tolist(), strict=True)),
        },
        "rigid": list(drives.rigid),
        "unbalanced": dict(modes.unbalanced),
        "notes": list(modes.notes),
    }
    if rest is not None:
        document["equilibrium"] = {"q": rest.positions, "stability": rest.stability}
    if run is not None:
        document["run"] = {
            "t": run.t.tolist(),
            "frequency": run.frequency.tolist(),
            "every": run.every,
        }
    if load is not None:
        document["load"] = {
            "mass": load.mass,
            "sag": load.sag.tolist(),
            "joint_sag": dict(load.joint_sag),
            "sag_unlinearised": load.sag_unlinearised.tolist(),
            "overshoot": load.overshoot,
            "peak_time": load.peak_time,
            "settling_time": load.settling_time,
            "frequency": load.loaded.frequency.tolist(),
        }
    if second is not None:
        key = "not_compared" if isinstance(second[1], str) else "apart"
        document["second"] = {"engine": second[0], key: second[1]}
    return document
