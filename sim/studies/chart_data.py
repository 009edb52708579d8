"""The numbers that charts show, and a chart with its heading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array, Mask
from sim.studies.case_row import CaseRow
from sim.studies.study_table import response_names
from sim.studies.variation import value_text

MOST_POINTS = 2000  # of a curve or a scatter
MOST_CHARTS = 18  # of a section
NOTHING = 1e-9  # of the largest response of the same unit: rounding is no curve


@dataclass(frozen=True)
class Card:
    """A chart with its heading.

    Parameters
    ----------
    title, note : str
    svg : str
    is_wide : bool
    """

    title: str
    svg: str
    note: str = ""
    is_wide: bool = False


@dataclass(frozen=True, eq=False)
class Columns:
    """The numbers of a study.

    Parameters
    ----------
    inputs : dict of str to ndarray
        Numeric parameters that vary, and what tolerances have drawn.
    words : dict of str to ndarray
        All other parameters that vary, as they are typed.
    outputs : dict of str to ndarray
        Responses; NaN where there is none.
    units : dict of str to str
    passed : ndarray of bool
    """

    inputs: dict[str, Array]
    words: dict[str, NDArray[np.str_]]
    outputs: dict[str, Array]
    units: dict[str, str]
    passed: Mask

    def label(self, name: str) -> str:
        """A response with its unit."""
        unit = self.units.get(name, "1")
        return name if unit == "1" else f"{name} [{unit}]"


def columns_of(rows: Sequence[CaseRow]) -> Columns:
    """The numbers of the cases that were computed."""
    rows = [row for row in rows if row.is_run]
    inputs, words = {}, {}
    for name in dict.fromkeys(name for row in rows for name in row.parameters):
        values = [row.parameters[name] for row in rows]
        if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
            inputs[name] = np.array(values, dtype=np.float64)
        else:
            words[name] = np.array([value_text(v) for v in values])
    for name in dict.fromkeys(name for row in rows for name in row.factors):
        inputs[name] = np.array([row.factors.get(name, np.nan) for row in rows])
    units = response_names(rows)
    outputs = {}
    for name in units:
        said = (row.response(name) for row in rows)
        outputs[name] = np.array([np.nan if value is None else value for value in said])
    sizes = {n: float(np.max(np.abs(v[np.isfinite(v)]), initial=0.0)) for n, v in outputs.items()}
    for name, size in sizes.items():
        if size < NOTHING * max(sizes[other] for other in units if units[other] == units[name]):
            del outputs[name]
    return Columns(inputs, words, outputs, units, np.array([row.status == "pass" for row in rows]))


def thinned(count: int) -> Array:
    """Numbers of some of many points, ends among them."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_POINTS)).astype(np.intp))
