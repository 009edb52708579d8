"""Numbers of a study for the drawings of its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array, Mask
from sim.reports.svg.scales import heading, in_degrees, with_unit
from sim.showing.shares import percent
from sim.studies.case_rows import CaseRow, response_units
from sim.studies.report.pictures.rating_use import Nearest, Use, nearest, uses_of
from sim.studies.responses import NAMES, POWER
from sim.studies.variation import value_text

STILL = 1e-9  # relative to a response: smaller changes are ignored
NOTHING = 1e-6  # of the largest response of the same unit: smaller ones are negligible
LONG = 18  # letters of a joint's name


@dataclass(frozen=True, eq=False)
class StudyData:
    """The computed cases.

    Parameters
    ----------
    rows : tuple of CaseRow
    numbers : tuple of int
        Case numbers, from 1.
    inputs : dict of str to ndarray
        Varied numeric parameters.
    words : dict of str to ndarray
        Other varied parameters, as typed.
    drawn : dict of str to ndarray
        Tolerance draws.
    outputs : dict of str to ndarray
        Responses; NaN if missing.
    units : dict of str to str
        Units of parameters and responses.
    uses : list of Use
    """

    rows: tuple[CaseRow, ...]
    numbers: tuple[int, ...]
    inputs: dict[str, Array]
    words: dict[str, NDArray[np.str_]]
    drawn: dict[str, Array]
    outputs: dict[str, Array]
    units: dict[str, str]
    uses: list[Use]

    @cached_property
    def passed(self) -> Mask:
        """Whether each case passes."""
        return np.array([row.status == "pass" for row in self.rows], dtype=np.bool_)

    @cached_property
    def nearest(self) -> Nearest:
        """Most used rating of each case."""
        return nearest(self.uses, len(self.rows))

    @cached_property
    def inside(self) -> Mask:
        """Whether each case satisfies all ratings and ranges."""
        return ~(self.nearest.share > 1)

    def heading(self, name: str) -> str:
        """Return a parameter or response with its unit."""
        return heading(self.title(name), self.units.get(name, ""))

    def quantity(self, name: str, value: float, digits: int = 4) -> str:
        """Return a value of a parameter or response with its unit."""
        return with_unit(value, self.units.get(name, ""), digits)

    def title(self, response: str) -> str:
        """Return the display name of a response: ``elbow peak torque``."""
        statistic, _, channel = response.partition(" ")
        group, _, joint = channel.partition(".")
        what = {"tau": "torque", "qd": "speed", "power": "power", "qdd": "acceleration"}.get(group)
        if what is None or joint not in self._short:
            return response
        return f"{self._short[joint]} {statistic} {what}"

    @cached_property
    def _short(self) -> dict[str, str]:
        return short_names(joints_of(self.rows))

    def rating_of(self, response: str) -> Use | None:
        """Return the rating of a peak."""
        statistic, _, channel = response.partition(" ")
        ratings = (use for use in self.uses if use.channel == channel and use.kind != "range")
        return next(ratings, None) if statistic == "peak" else None

    def is_still(self, response: str) -> bool:
        """Whether a response is equal in all cases, up to rounding."""
        y = self.outputs[response]
        known = y[np.isfinite(y)]
        unit = self.units.get(response)
        like = [self.outputs[one] for one in self.outputs if self.units.get(one) == unit]
        largest = max(float(np.max(np.abs(v[np.isfinite(v)]), initial=0.0)) for v in like)
        size = float(np.max(np.abs(known), initial=0.0))
        return not known.size or float(np.ptp(known)) <= max(STILL * size, NOTHING * largest)

    @property
    def moving(self) -> list[str]:
        """Changing responses without margins, the closest to their ratings first."""

        def nearness(name: str) -> float:
            use = self.rating_of(name)
            return -1.0 if use is None else -float(np.nanmax(use.share, initial=0.0)) - 2.0

        names = [n for n in self.outputs if not is_margin(n) and not self.is_still(n)]
        return sorted(names, key=nearness)

    @property
    def still(self) -> list[tuple[str, str]]:
        """Constant responses and rating utilisations, each with its value."""
        constants = [
            (self.title(n), self.quantity(n, float(np.nanmean(y))))
            for n, y in self.outputs.items()
            if not is_margin(n) and np.isfinite(y).all() and self.is_still(n)
        ]
        for check in dict.fromkeys(use.check for use in self.uses):
            uses = [use for use in self.uses if use.check == check]
            table = np.stack([use.share for use in uses])
            if np.isfinite(table).all() and np.ptp(most := table.max(axis=0)) <= STILL:
                use = uses[int(table[:, 0].argmax())]
                constants.append((f"{check}, {use.joint}", f"{percent(most[0])} of the limit"))
        return constants

    @property
    def torques(self) -> list[str]:
        """Peaks of torques that are not negligible."""
        names = [n for n in self.outputs if n.startswith("peak tau.")]
        size = max((float(np.nanmax(self.outputs[n], initial=0.0)) for n in names), default=0.0)
        return [n for n in names if np.nanmax(self.outputs[n], initial=0.0) > 1e-4 * size]


RATED_MARGINS = frozenset(NAMES) - {POWER}  # no rating of power is shown otherwise


def is_margin(response: str) -> bool:
    """Whether a response is a margin of ratings, which their fractions show too."""
    return any(word in RATED_MARGINS for word in response.split())


def data_of(rows: Sequence[CaseRow], units: dict[str, str]) -> StudyData:
    """Return the numbers of the computed cases; `units` are those of parameters."""
    numbers = tuple(k + 1 for k, row in enumerate(rows) if row.is_run)
    run = tuple(row for row in rows if row.is_run)
    inputs, words = {}, {}
    for name in dict.fromkeys(name for row in run for name in row.parameters):
        values = [row.parameters[name] for row in run]
        if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
            inputs[name] = np.array(values, dtype=np.float64)
        else:
            words[name] = np.array([value_text(v) for v in values])
    drawn = {
        name: np.array([row.factors.get(name, np.nan) for row in run])
        for name in dict.fromkeys(name for row in run for name in row.factors)
    }
    names = response_units(run)
    outputs = {
        name: np.array([np.nan if (v := row.response(name)) is None else v for row in run])
        for name in names
    }
    for name, unit in names.items():
        outputs[name], names[name] = in_degrees(outputs[name], unit)
    uses = uses_of(run, short_names(joints_of(run)))
    return StudyData(run, numbers, inputs, words, drawn, outputs, {**names, **units}, uses)


def joints_of(rows: Sequence[CaseRow]) -> list[str]:
    """Return the names of joints in ratings and responses."""
    rated = dict.fromkeys(tuple(ratings) for row in rows for ratings in row.ratings.values())
    channels = [channel for group in rated for channel in group]
    channels += [name.partition(" ")[2] for name in response_units(rows)]
    groups = ("tau", "q", "qd", "qdd", "power")
    pairs = (channel.partition(".") for channel in dict.fromkeys(channels))
    return list(dict.fromkeys(joint for group, _, joint in pairs if group in groups))


def short_names(joints: Sequence[str]) -> dict[str, str]:
    """Return joint names without the prefix common to long ones and the suffix ``_joint``."""
    names = [joint.removesuffix("_joint") or joint for joint in joints]
    parts = [one.split("_") for one in names]
    same = next((k for k, words in enumerate(zip(*parts, strict=False)) if len(set(words)) > 1), 0)
    if len(names) > 1 and max(map(len, names), default=0) > LONG:
        names = ["_".join(words[same:]) for words in parts]
    if len(set(names)) < len(joints):
        names = list(joints)
    return {joint: one.replace("_", " ") for joint, one in zip(joints, names, strict=True)}
