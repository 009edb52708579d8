"""OptimumAnswer: the result of an optimisation in ``study.json``."""

from __future__ import annotations

import msgspec

from sim.studies.optimisation.surface import ResponseSurface
from sim.studies.variation import value_text


class Sensitivity(msgspec.Struct, frozen=True, kw_only=True):
    """Slope of a response over a parameter at the optimum.

    Parameters
    ----------
    response, parameter : str
    slope : float or None
        In units of the response per unit of the parameter.
    over_range : float or None
        Slope times the range of the parameter, which makes parameters comparable.
    """

    response: str
    parameter: str
    slope: float | None
    over_range: float | None


class ConstraintState(msgspec.Struct, frozen=True, kw_only=True):
    """A constraint at the optimum.

    Parameters
    ----------
    constraint, name, unit : str
        Requested text, name of one of its values, and unit of its slack.
    slack : float or None
        Distance of the value inside the bound; negative outside.
    is_limiting : bool
        Whether relaxing the bound would improve the optimum.
    multiplier : float or None
        Improvement per unit of the bound; None if it was not computed.
    """

    constraint: str
    name: str
    slack: float | None
    unit: str = ""
    is_limiting: bool = False
    multiplier: float | None = None


class ObjectiveValue(msgspec.Struct, frozen=True, kw_only=True):
    """An objective and its value at the optimum; None if no case has one.

    Parameters
    ----------
    text, direction, unit : str
        Requested text; ``minimum`` or ``maximum``; unit.
    value : float or None
    """

    text: str
    direction: str
    value: float | None
    unit: str = ""


class EngineVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The engine's run of the optimum, with its checks.

    Parameters
    ----------
    status, reason : str
        As in a case.
    checks, failed : int
    run : str
        Folder of the run, below that of the study.
    only_ratings_fail : bool
        Whether all failed checks concern ratings and ranges.
    """

    status: str
    reason: str = ""
    checks: int = 0
    failed: int = 0
    run: str = ""
    only_ratings_fail: bool = False

    @property
    def words(self) -> str:
        """Text such as ``24 of 24 checks pass``."""
        if self.status not in ("pass", "fail"):
            return f"the engine's run failed: {self.reason}"
        words = f"{self.checks - self.failed} of {self.checks} checks pass"
        return f"{words}; first failed: {self.reason}" if self.failed else words


class OptimumAnswer(msgspec.Struct, frozen=True, kw_only=True, tag="optimum"):
    """Best case of an optimisation.

    Parameters
    ----------
    objectives : list of ObjectiveValue
    parameters : dict of str to object
        Values of the optimum; for several objectives those of the best compromise, which is closest
        to the best of each; without a feasible case those of the closest one.
    case : int or None
        Case number, from 1.
    is_feasible : bool
        Whether it satisfies all constraints.
    constraints : list of ConstraintState
        In order of their slack.
    at_ends : dict of str to str
        Parameters whose range limits the optimum: ``lower`` or ``upper``.
    sensitivities : list of Sensitivity
    surfaces : list of ResponseSurface
        One for each objective, if determined by the design.
    evaluations, most : int
        Number of evaluated cases, and the allowed number.
    improvements : list of int
        Case numbers of successive best points.
    ends : list of int
        Case numbers at which the local searches ended.
    front : list of int
        For several objectives, case numbers that no other dominates.
    without_value : list of int
        Numbers of cases without a value.
    engine : EngineVerdict or None
    notes : list of str
    """

    objectives: list[ObjectiveValue]
    parameters: dict[str, object]
    case: int | None
    is_feasible: bool
    constraints: list[ConstraintState] = []
    at_ends: dict[str, str] = {}
    sensitivities: list[Sensitivity] = []
    surfaces: list[ResponseSurface] = []
    evaluations: int = 0
    most: int = 0
    improvements: list[int] = []
    ends: list[int] = []
    front: list[int] = []
    without_value: list[int] = []
    engine: EngineVerdict | None = None
    notes: list[str] = []

    @property
    def is_passed(self) -> bool:
        """Whether there is an optimum whose engine run passes."""
        return self.is_feasible and self.engine is not None and self.engine.status == "pass"

    @property
    def is_within_checks(self) -> bool:
        """Whether there is an optimum whose engine run fails at most in ratings and ranges."""
        return self.is_passed or (
            self.is_feasible and self.engine is not None and self.engine.only_ratings_fail
        )

    @property
    def place(self) -> str:
        """Text of the optimum, such as ``k = 1234, m = 2``."""
        return ", ".join(f"{name} = {value_text(v)}" for name, v in self.parameters.items())

    @property
    def limits(self) -> str:
        """Constraints and range ends that limit the optimum."""
        limiting = [one.constraint for one in self.constraints if one.is_limiting]
        names = list(dict.fromkeys(limiting))
        return ", ".join([*names, *(f"{end} end of {k}" for k, end in self.at_ends.items())])

    @property
    def words(self) -> str:
        """The answer as a sentence."""
        if self.case is None:
            return "no case has a value"
        if not self.is_feasible:
            worst = self.constraints[0]
            return f"no feasible case; nearest at {self.place}: {shortfall_text(worst)}"
        values = "; ".join(f"{o.direction} of {o.text} {_with_unit(o)}" for o in self.objectives)
        if self.front:
            values = f"front of {len(self.front)} cases; compromise: {values}"
        limits = f" (limiting: {self.limits})" if self.limits else ""
        return f"{values} at {self.place}{limits}"


def shortfall_text(state: ConstraintState) -> str:
    """Return the violation of a constraint: ``peak tau.j1 <= 330 is missed by 12.5 N·m``."""
    name = "" if state.name in state.constraint else f" ({state.name})"
    if state.slack is None:
        return f"{state.constraint}{name} has no value"
    amount = f"{-state.slack:.4g} {state.unit}".strip()
    return f"{state.constraint}{name} is missed by {amount}"


def _with_unit(one: ObjectiveValue) -> str:
    value = "–" if one.value is None else f"{one.value:.6g}"
    return f"{value} {one.unit}".strip()
