"""Limit: what a response must keep where an optimum is searched."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from sim.checks.limits import RANGE_ROUNDING
from sim.errors import ScenarioError
from sim.studies.case_row import CaseRow, Worst
from sim.studies.margins import checks_of, joint_and_kind
from sim.studies.responses import asked

ROUNDED = 1e-12  # of a bound: what rounding makes


@dataclass(frozen=True)
class Limit:
    """What a response must keep.

    Parameters
    ----------
    response : str
        As it is asked for; where it is several, each of them.
    sign : {1, -1}
        1 where it must not be below the bound, -1 where not above.
    bound : float
        In the unit of the response.
    """

    response: str
    sign: int
    bound: float

    @property
    def text(self) -> str:
        """Such as ``margin >= 0``."""
        return f"{self.response} {'>=' if self.sign > 0 else '<='} {self.bound:g}"

    def rooms(self, row: CaseRow) -> dict[str, float]:
        """How far inside the limit all is that the limit names; negative beyond.

        By the names of the responses, of margins by those of the checks that they are made of. What
        has no number is beyond, and so is a case that is no run. What is beyond by rounding is
        inside: as much as the checks of ranges allow.
        """
        nothing, found = -max(1.0, abs(self.bound)), dict[str, float]()
        for name in self._names(row.responses) if row.is_run else ():
            value, unit = row.responses[name]
            checks = [check for check in checks_of(name) if check in row.worst]
            for what in checks or [name]:
                said = _left(row.worst[what]) if checks else value
                found[what] = nothing if said is None else self._inside(said, unit)
        return found or {self.response: nothing}

    def _names(self, responses: Iterable[str]) -> list[str]:
        """Those of a run's responses that the limit names."""
        response = self.response
        return [name for name in responses if name == response or fnmatchcase(name, response)]

    def _inside(self, value: float, unit: str) -> float:
        inside = self.sign * (value - self.bound)
        slight = max(ROUNDED * abs(self.bound), RANGE_ROUNDING if unit in ("rad", "m") else 0.0)
        return 0.0 if -slight <= inside < 0 else inside

    def binds(self, row: CaseRow) -> str:
        """What is nearest to the limit or farthest beyond, such as ``elbow_joint torque``."""
        if not row.is_run:
            return row.reason
        rooms = self.rooms(row)
        what = min(rooms, key=rooms.__getitem__)
        return joint_and_kind(what, row.worst[what]) if what in row.worst else what


def _left(one: Worst) -> float | None:
    """What is left of a rating or range; 0 where a check that holds allows rounding."""
    return None if one.used is None else 1.0 - (min(one.used, 1.0) if one.ok else one.used)


def limit(text: str) -> Limit:
    """A limit from a text such as ``peak tau.elbow<=100``.

    Raises
    ------
    ScenarioError
        If it is none.
    """
    found = re.fullmatch(r"\s*(.+?)\s*(>=|<=)\s*([-+.0-9eE]+)\s*", text)
    try:
        if found is not None:
            response, sign, bound = found.groups()
            return Limit(asked(response).text, 1 if sign == ">=" else -1, float(bound))
    except ValueError as error:
        if isinstance(error, ScenarioError):
            raise
    raise ScenarioError(
        f"--within takes RESPONSE>=NUMBER or RESPONSE<=NUMBER, such as 'margin>=0.1', got {text!r}"
    )
