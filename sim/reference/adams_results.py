"""ADAMS results: the text files of one case as a table of our channels.

A case is a solver deck ``test_<case>.adm`` and one file ``<case>_ADAMS_<quantity>.txt`` for each
quantity: three header lines, the third with the names of the columns, then numbers separated by
tabs. Such files are published with Project Chrono (folder data/testing/joints), for a part's marker
and a joint whose I marker is on the ground: their joint force is that of the part on the ground.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.errors import RecordingError, missing, unreadable
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.reference.limits import Growth, SourceError
from sim.reference.reference import Reference

if TYPE_CHECKING:
    import pandas as pd

FOLDER_VARIABLE = "SIM_ADAMS_DATA"
MEASURE = "joint"  # name of the scenario's measure: reaction on the ground, world axes
DIGITS = 6  # the files print seven, and the last is zero throughout
HEADER = 3  # lines
SI = {"FORCE": "NEWTON", "MASS": "KILOGRAM", "LENGTH": "METER", "TIME": "SECOND"}


@dataclass(frozen=True)
class AdamsQuantity:
    """One file of a case.

    Parameters
    ----------
    name : str
        As in the file's name.
    columns, channels : tuple of str
        Its columns after the time, and our channels for them.
    pattern : str
        Pattern that matches these channels, and no other channel of the case.
    tolerance : float
        Largest difference, in the channels' unit: the noise of the files, by the solver in
        accelerations and forces, by the printed digits in all others.
    growth : Growth or None
        Growth of that noise with the curves; None for orientations, which do not exceed 1.
    """

    name: str
    columns: tuple[str, ...]
    channels: tuple[str, ...]
    pattern: str
    tolerance: float
    growth: Growth | None = None


def _vector(
    name: str, column: str, channel: str, pattern: str, tolerance: float, growth: Growth
) -> AdamsQuantity:
    columns, channels = (
        tuple(stem.format(c) for c in axes) for stem, axes in ((column, "XYZ"), (channel, "xyz"))
    )
    return AdamsQuantity(name, columns, channels, pattern, tolerance, growth)


# No deck states an INTEGRATOR and the commands of the runs are not published, so the tolerance of
# ADAMS is taken from its results. In units of a curve's peak, they differ from solutions of the
# same equations by up to 9.2e-6 in velocities (the torsion spring), 1.3e-4 in accelerations (the
# same), 4.9e-5 in forces and 1.5e-4 in torques (0.09 of 601 N·m). Allowed is twice the largest
# error of states, and of the quantities solved for with them.
STATES, SOLVED = 2e-5, 3e-4

# The sizes are the largest peaks in the published cases, rounded up, for which the tolerances were
# measured.
QUANTITIES = (
    _vector("Pos", "{}_Pos", "tool.{}", "tool.[xyz]", 2e-5, Growth(125.0, STATES)),
    AdamsQuantity("Quat", ("e0", "e1", "e2", "e3"), ("tool.qw", "tool.qx", "tool.qy", "tool.qz"),
             "tool.q?", 2e-5),
    _vector("Vel", "{}_Vel", "tool.v{}", "tool.v?", 2e-5, Growth(50.0, STATES)),
    _vector("Avel", "{}_AngVel", "tool.w{}", "tool.w[xyz]", 2e-5, Growth(5.0, STATES)),
    _vector("Acc", "{}_Acc", "tool.a{}", "tool.a?", 2e-3, Growth(20.0, SOLVED)),
    _vector("Aacc", "{}_AngAcc", "tool.wd{}", "tool.wd?", 2e-3, Growth(5.0, SOLVED)),
    _vector("Rforce", "{}_Force", f"measure.{MEASURE}.f{{}}", f"measure.{MEASURE}.f?", 2e-3,
            Growth(30.0, SOLVED)),
    _vector("Rtorque", "{}_Torque", f"measure.{MEASURE}.m{{}}", f"measure.{MEASURE}.m?", 3e-3,
            Growth(35.0, SOLVED)),
)  # fmt: skip

# Errors of ADAMS itself in a case, by quantity: its files of two cases with the same motion differ
# by this, and those of Revolute_Case01 solve its equation.
_TWIN = SourceError(
    {"Pos": 8.5e-4, "Quat": 2.2e-4, "Vel": 2.7e-3, "Avel": 1.1e-3, "Acc": 1.3e-2, "Aacc": 2.4e-3,
     "Rforce": 1.3e-2},
    "the motion equals that of Revolute_Case01, and the ADAMS files of both differ by this amount",
)  # fmt: skip
OWN_ERRORS = {"Spherical_Case01": _TWIN, "Universal_Case01": _TWIN}


@checked
def adams_reference(
    case: str, data: str, peer: Mapping[str, float], own: SourceError | None = None
) -> Reference | None:
    """Return the results of ADAMS for a case; None if no folder is given.

    Parameters
    ----------
    case : str
        Name such as ``Revolute_Case01``.
    data : str
        Folder with the files, directly or in subfolders; if empty, the environment variable
        SIM_ADAMS_DATA names it.
    peer : mapping of str to float
        Root mean square accepted by Project Chrono's own test, by quantity.
    own : SourceError, optional
        Error of ADAMS itself in this case, by quantity (default: `OWN_ERRORS`).

    Raises
    ------
    RecordingError
        If a file is missing or malformed, or a quantity has no tolerance or is unknown.
    """
    folder = data or os.environ.get(FOLDER_VARIABLE, "")
    if not folder:
        return None
    own = OWN_ERRORS.get(case) if own is None else own
    return Reference(
        source=f"ADAMS, {case} in {folder}",
        table=read_case(Path(folder).expanduser(), case),
        digits=DIGITS,
        tolerances={quantity.pattern: quantity.tolerance for quantity in QUANTITIES},
        peer="Project Chrono",
        peer_tolerances=_by_pattern(peer),
        growth={one.pattern: one.growth for one in QUANTITIES if one.growth is not None},
        own=None if own is None else replace(own, errors=_by_pattern(own.errors)),
    )


def _by_pattern(values: Mapping[str, float]) -> dict[str, float]:
    """Return values of quantities by the pattern of their channels.

    Raises
    ------
    RecordingError
        If one is not a quantity.
    """
    patterns = {quantity.name: quantity.pattern for quantity in QUANTITIES}
    for name in values:
        if name not in patterns:
            raise RecordingError(
                f"ADAMS has no quantity {name!r}; quantities: {', '.join(patterns)}"
            )
    return {pattern: values[name] for name, pattern in patterns.items() if name in values}


def note_on(reference: Reference | None) -> str:
    """Return a sentence on the reference of a run, for its reader."""
    if reference is not None:
        sentence = f"compared with {reference.source}"
        return sentence if reference.own is None else f"{sentence}; {reference.own.in_words()}"
    return (
        "no ADAMS data given; the run is compared with the high-precision solution of the analytic "
        f"model; --set data=FOLDER or {FOLDER_VARIABLE}=FOLDER compares it with ADAMS"
    )


def read_case(folder: Path, case: str) -> pd.DataFrame:
    """Return all quantities of a case, one column per channel, index ``t`` [s].

    Raises
    ------
    RecordingError
        If the folder or a file is missing, the deck is not in SI units, or a file has other
        columns, a value that is not finite, or times that do not ascend or differ from those of the
        other files; the message names file and line.
    """
    import pandas as pd

    if not folder.is_dir():
        raise RecordingError(missing(folder))
    _require_si(_find(folder, f"test_{case}.adm"))
    files: list[Array] = []
    for quantity in QUANTITIES:
        path = _find(folder, f"{case}_ADAMS_{quantity.name}.txt")
        files.append(_numbers(path, ("Time", *quantity.columns)))
        if not np.array_equal(files[-1][0], files[0][0]):
            raise RecordingError(f"{path} has different times than {QUANTITIES[0].name} of {case}")
    channels = [channel for quantity in QUANTITIES for channel in quantity.channels]
    values = np.concatenate([numbers[1:] for numbers in files])
    return pd.DataFrame(values.T, columns=channels, index=pd.Index(files[0][0], name="t"))


def _find(folder: Path, name: str) -> Path:
    """Return a file in a folder or in one of its subfolders."""
    paths = [path for path in (folder / name, *sorted(folder.glob(f"*/{name}"))) if path.is_file()]
    if not paths:
        raise RecordingError(f"ADAMS file {name} is neither in {folder} nor in its subfolders")
    return paths[0]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise RecordingError(unreadable(path, error)) from None


def _require_si(deck: Path) -> None:
    """Check the units in the deck, since the result files do not state theirs."""
    statement = re.search(r"^UNITS/(.*(?:\n,.*)*)", _text(deck), re.MULTILINE | re.IGNORECASE)
    units = dict(re.findall(r"\b(\w++)\s*+=\s*+(\w++)", statement[1].upper() if statement else ""))
    for what, unit in SI.items():
        if units.get(what) != unit:
            raise RecordingError(
                f"{deck}: UNITS/ must have {what} = {unit}, has {units.get(what, 'none')}"
            )


def _numbers(path: Path, columns: tuple[str, ...]) -> Array:
    """Return the columns of a file, shape (columns, rows)."""
    lines = _text(path).rstrip().splitlines()
    titles = lines[HEADER - 1].split("\t") if len(lines) >= HEADER else []
    if titles != list(columns):
        raise RecordingError(
            f"{path}, line {HEADER}: the columns must be {', '.join(columns)}; "
            f"found {', '.join(titles) or 'none'}"
        )
    rows: list[list[float]] = []
    for number, line in enumerate(lines[HEADER:], HEADER + 1):
        row = [_number(word) for word in line.split("\t")]
        if len(row) != len(columns) or not all(map(math.isfinite, row)):
            raise RecordingError(
                f"{path}, line {number}: must be {len(columns)} finite numbers separated by tabs, "
                f"found {line[:80]!r}"
            )
        if rows and row[0] <= rows[-1][0]:
            raise RecordingError(
                f"{path}, line {number}: the times must ascend, {row[0]:g} s follows "
                f"{rows[-1][0]:g} s"
            )
        rows.append(row)
    if len(rows) < 2:
        raise RecordingError(f"{path} must have two or more samples, has {len(rows)}")
    return np.array(rows).T


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return math.nan
