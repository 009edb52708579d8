"""Constraint: a requirement on the cases of an optimisation, and the slack of each case."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sim.errors import ScenarioError
from sim.studies.case_rows import CaseRow
from sim.studies.optimisation.quantity import Quantity, parse_quantity
from sim.studies.responses import POWER, RATINGS, checks_of, parse_response

CHECKS = "checks"
ROUNDED = 1e-12  # relative to a bound: rounding


@dataclass(frozen=True)
class ResponseConstraint:
    """Bound of a quantity, or the requirement that every check passes.

    Parameters
    ----------
    text : str
        Text such as ``peak tau.j1 <= 330``.
    quantity : Quantity or None
        None for ``checks``.
    sign : {1, -1}
        1 for a lower bound, -1 for an upper one.
    bound : float
    """

    text: str
    quantity: Quantity | None = None
    sign: int = 1
    bound: float = 0.0

    @property
    def scale(self) -> float:
        """Size of the bound, which makes slacks comparable."""
        return abs(self.bound) or 1.0

    def slacks(self, row: CaseRow) -> dict[str, float]:
        """Return the slack by name; negative outside, NaN if the case has no value.

        A margin has one for each of its ratings, so that each is smooth.
        """
        if self.quantity is None:
            return _slacks_of_checks(row)
        checks = self._checks
        if checks and row.is_run:
            shares = _rating_slacks(row, checks)
            return {name: slack - self.bound for name, slack in shares.items()} or {self.text: 1.0}
        values = self.quantity.values(row) if self.sign > 0 else self.quantity.upper_values(row)
        return {name: self._slack(value) for name, value in values.items()}

    @property
    def _checks(self) -> tuple[str, ...]:
        """Ratings of a margin with a lower bound; empty for other quantities."""
        if self.quantity is None or self.quantity.tree is not None or self.sign < 0:
            return ()
        one = parse_response(self.quantity.responses[0])
        return checks_of(one.text) if one.is_margin and one.text != POWER else ()

    def _slack(self, value: float) -> float:
        inside = self.sign * (value - self.bound)
        return 0.0 if -ROUNDED * abs(self.bound) <= inside < 0 else inside


def _rating_slacks(row: CaseRow, checks: Iterable[str]) -> dict[str, float]:
    """Return the margin to each rating, relative to it; -1 beyond a range without a fraction."""
    return {
        f"{channel} {check}": _margin_of(one.used, ok=one.ok)
        for check in checks
        for channel, one in row.ratings.get(check, {}).items()
    }


def _margin_of(share: float | None, *, ok: bool) -> float:
    if share is None:
        return 0.0 if ok else -1.0
    return 1.0 - (min(share, 1.0) if ok else share)


def _slacks_of_checks(row: CaseRow) -> dict[str, float]:
    """Return the margin to the limit of each rating, and of all other checks by kind."""
    if not row.is_run:
        return {CHECKS: math.nan}
    others = {name: one for name, one in row.worst.items() if name not in RATINGS}
    slacks = {name: _margin_of(one.used, ok=one.ok) for name, one in others.items()}
    return _rating_slacks(row, RATINGS) | slacks or {CHECKS: 0.0}


def parse_constraint(text: str, parameters: Sequence[str]) -> ResponseConstraint:
    """Parse a constraint such as ``peak tau.j1 <= 330`` or ``checks``.

    Raises
    ------
    ScenarioError
        If it is invalid.
    """
    if text.strip() == CHECKS:
        return ResponseConstraint(CHECKS)
    parts = re.fullmatch(r"(.+?)(>=|<=)\s*([-+.0-9eE]+)\s*", text)
    try:
        expression, sign, right = parts.groups() if parts else ("", "", "nan")
        bound = float(right)
    except ValueError:
        bound = math.nan
    if not math.isfinite(bound):
        raise ScenarioError(
            "--subject-to requires QUANTITY<=NUMBER, QUANTITY>=NUMBER or checks, such as "
            f"'peak tau.j1 <= 330', got {text!r}"
        )
    quantity = parse_quantity(expression, parameters, "--subject-to")
    return ResponseConstraint(
        f"{quantity.text} {sign} {bound:g}", quantity, 1 if sign == ">=" else -1, bound
    )
