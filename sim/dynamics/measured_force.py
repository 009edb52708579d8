"""measured_force: a force that was measured or drawn, from a table of another program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.components import COMPONENTS
from sim.dynamics.force import Component, Force
from sim.errors import ForeignError, ScenarioError
from sim.foreign.map_curves import MappedCurve, map_curves
from sim.foreign.naming import Naming
from sim.foreign.reading import read_foreign
from sim.functions.spline import FEWEST, Spline, spline
from sim.maths.arguments import checked
from sim.robots.marker import WORLD

UNITS = {c: "N" if c[0] == "f" else "N·m" for c in COMPONENTS}


@checked
def measured_force(
    frame: str,
    file: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    start: float = 0.0,
    kind: Literal["cubic", "linear", "akima"] = "cubic",
    at: ArrayLike = (0.0, 0.0, 0.0),
    axes: str = WORLD,
    name: str = "measured",
    sheet: str | None = None,
) -> Force:
    """Read a force and torque on a link from a table of times and components; others are zero.

    Between the table's times the force is a natural cubic spline (ADAMS's CUBSPL), piecewise
    linear, or Akima's spline (AKISPL). Outside the table it is undefined; a longer run is refused.

    Parameters
    ----------
    frame : str
        Link on which it acts.
    file : str or Path
        ``.csv .tsv .txt .xlsx .mat .parquet .res .req …``
    columns : mapping of str to str, optional
        Component by column: ``{"load cell": "fz"}``, ``"-fz"`` with the sign reversed, ``"t"`` for
        the time. Columns named fx … mz and t or time need no entry.
    units : mapping of str to str, optional
        Units by column (default: those of the file, otherwise N, N·m and s).
    start : float
        Time in the table at which the run begins [s].
    kind : {"cubic", "linear", "akima"}
    at : array_like, shape (3,)
        Point of application in the frame [m].
    axes : str
        ``world``, or a link with whose axes the components rotate.
    name : str
        Name in its channels, ``force.<name>.fx``.
    sheet : str, optional
        Sheet of a spreadsheet.

    Raises
    ------
    ForeignError
        If the file cannot be read, has no such column or time, or a unit does not fit.
    ScenarioError
        If there are fewer than four times, or the kind is unknown.
    """
    if kind not in ("cubic", "linear", "akima"):
        raise ScenarioError(f"kind {kind!r}: choose one of cubic, linear, akima")
    naming = Naming(dict(columns or {}), dict(units or {}), start, sheet)
    try:
        table = map_curves(read_foreign(Path(file), sheet), naming, UNITS)
    except ForeignError as error:
        words = str(error).replace("--map", "columns").replace("--unit", "units")
        raise ForeignError(f"Force on frame {frame!r}: {words}") from None
    parts: dict[str, Component] = dict.fromkeys(COMPONENTS, 0.0)
    for curve in table.curves:
        parts[curve.channel] = _join_points(frame, curve, kind)
    six = tuple(parts[c] for c in COMPONENTS)
    return Force(frame, six[:3], six[3:], at, axes, name=name)


def _join_points(
    frame: str, curve: MappedCurve, kind: Literal["cubic", "linear", "akima"]
) -> Spline:
    if curve.t.size < FEWEST:
        raise ScenarioError(
            f"Force on frame {frame!r}: column {curve.title!r} has {curve.t.size} values; at "
            f"least {FEWEST} are needed"
        )
    return spline(np.asarray(curve.t), curve.values, kind, "none")
