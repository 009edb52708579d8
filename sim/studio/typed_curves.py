"""Curves of functions of time as they are typed, with their errors and warnings."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ExpressionError, SimError
from sim.functions.expression import Expression, expression
from sim.functions.lint import Level, lint
from sim.maths.arrays import Array
from sim.maths.units import ANGULAR, LINEAR, Units
from sim.motion.target import POSITION
from sim.studio.folder import Folder
from sim.studio.refusal import RefusalError
from sim.studio.robot_source import load_robot_of
from sim.studio.setup import CurveRequest, Setup

SHOWN = 401  # samples that are sent
FINER = 5  # refinement for peaks, some of which 401 samples miss
LONGEST = 3600.0  # [s]; longest preview
BESIDE = 1e-9  # of the duration: distance before and after a break at which a function is evaluated
JUMP = 1e-6  # of its largest value; a smaller change is the slope between both points
DIGITS = 6  # after the first of the largest value of a curve


def curve(question: CurveRequest) -> dict[str, Any]:
    """Return the curve of one function and its warnings, or its error with position.

    Raises
    ------
    RefusalError
        If the duration is invalid.
    """
    require_duration(question.duration)
    units = LINEAR if question.sliding else ANGULAR
    row = _curve(question.text, question.level, units, question.duration)
    return {"t": shorten(times_of(question.duration)[::FINER]), **row}


def curves_of(folder: Folder, setup: Setup) -> dict[str, dict[str, Any]]:
    """Return the curves of the functions of a setup, by joint or path component."""
    require_duration(setup.duration)
    if setup.is_deck:
        return {}  # its functions are drawn with the motion
    if setup.follows_path:
        return _path_curves(setup)
    robot = load_robot_of(folder, setup)
    rows = {}
    for name, drive in setup.drives.items():
        if name not in robot.joint_names:
            raise RefusalError(422, f"robot {robot.name!r} has no joint {name!r}")
        if drive.kind in ("free", "table"):
            continue
        (row,) = robot.joint(name).coordinates
        rows[name] = _curve(drive.text, drive.kind, row.units, setup.duration)
    return rows


def _path_curves(setup: Setup) -> dict[str, dict[str, Any]]:
    return {
        name: _curve(text, "displacement", LINEAR if name in POSITION else ANGULAR, setup.duration)
        for name, text in (setup.path or {}).items()
    }


def require_duration(duration: float) -> None:
    """Check the duration of a preview [s].

    Raises
    ------
    RefusalError
        If it is not positive or too long.
    """
    if not 0 < duration <= LONGEST:
        raise RefusalError(422, f"the duration must be above 0 and at most {LONGEST:g} s")


class _Function:
    """A function with cached breaks, which take most of the time of a preview."""

    def __init__(self, text: str) -> None:
        self.expression = expression(text)
        self._breaks: dict[tuple[float, float], Array] = {}

    def __str__(self) -> str:
        return str(self.expression)

    def value(self, t: ArrayLike) -> Array:
        return self.expression.value(t)

    def derivatives(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        return self.expression.derivatives(t)

    def breaks(self, t0: float, t1: float) -> Array:
        if (t0, t1) not in self._breaks:
            self._breaks[t0, t1] = self.expression.breaks(t0, t1)
        return self._breaks[t0, t1]


@lru_cache(maxsize=128)
def function_of(text: str) -> _Function:
    """Parse the text of a function; the last ones are cached."""
    return _Function(text)


@lru_cache(maxsize=128)
def _curve(text: str, level: Level, units: Units, duration: float) -> dict[str, Any]:
    """Return one function: its curve and warnings, or its error with position."""
    if not text.strip():
        return {"error": {"reason": "type a function of time", "position": None}}
    t = times_of(duration)
    try:
        function = function_of(text).expression
        with np.errstate(all="ignore"):
            f = function.value(t)
    except ExpressionError as error:
        position = len(text.rstrip()) if error.position is None else error.position
        return {"error": {"reason": error.reason, "position": position}}
    except SimError as error:
        return {"error": {"reason": str(error), "position": None}}
    if not np.isfinite(f).all():
        reason = f"not a finite number at t = {t[np.argmin(np.isfinite(f))]:.4g} s"
        return {"f": shorten(f[::FINER]), "error": {"reason": reason, "position": None}}
    warnings = [one.message for one in lint(function, level, units, duration)]
    jumps = _jump_times(function, duration, float(np.abs(f).max()))
    return {"f": shorten(f[::FINER]), "warnings": warnings, "jumps": jumps}


def _jump_times(function: Expression, duration: float, largest: float) -> list[float]:
    """Return the times inside the duration at which a function jumps [s]; `largest` is its peak."""
    t = function.breaks(-duration, duration)
    t = t[(t > 0.0) & (t < duration)]
    with np.errstate(all="ignore"):
        before, after = (function.value(t + side * duration * BESIDE) for side in (-1, 1))
    times: list[float] = t[np.abs(after - before) > JUMP * largest].tolist()
    return times


@lru_cache(maxsize=8)
def times_of(duration: float) -> Array:
    """Return the times at which functions are evaluated [s]; every `FINER`-th is shown."""
    return np.linspace(0.0, duration, FINER * (SHOWN - 1) + 1)


def shorten_rows(values: Array) -> list[list[float | None]]:
    """Shorten each row of numbers."""
    return [shorten(row) for row in values]


def shorten(row: Array) -> list[float | None]:
    """Round to seven digits of the largest value; NaN and inf become None."""
    good = np.isfinite(row)
    largest = np.abs(row[good]).max(initial=0.0)
    digits = DIGITS if largest == 0 else int(DIGITS - np.floor(np.log10(largest)))
    short = np.round(np.where(good, row, 0.0), min(digits, 300)).tolist()
    return [x if ok else None for x, ok in zip(short, good.tolist(), strict=True)]
