"""OptimumAnswer: the result of an optimisation, as ``study.json`` keeps it."""

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
        In the unit of the response for each unit of the parameter.
    over_range : float or None
        The slope times the whole range of the parameter, by which parameters compare.
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
        As requested; which of its values; the unit of its slack.
    slack : float or None
        How far the value is inside the bound; negative beyond.
    is_limiting : bool
        Whether a wider bound would improve the optimum.
    multiplier : float or None
        How much better for each unit of the bound; None where it was not computed.
    """

    constraint: str
    name: str
    slack: float | None
    unit: str = ""
    is_limiting: bool = False
    multiplier: float | None = None


class ObjectiveValue(msgspec.Struct, frozen=True, kw_only=True):
    """An objective and its value at the optimum; None where no case has one.

    Parameters
    ----------
    text, direction, unit : str
        As requested; ``minimum`` or ``maximum``.
    value : float or None
    """

    text: str
    direction: str
    value: float | None
    unit: str = ""


class EngineVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The run of the optimum by the engine, judged.

    Parameters
    ----------
    status, reason : str
        As of a case.
    checks, failed : int
    run : str
        Its folder, below that of the study.
    only_ratings_fail : bool
        Whether all checks that fail are of ratings and ranges.
    """

    status: str
    reason: str = ""
    checks: int = 0
    failed: int = 0
    run: str = ""
    only_ratings_fail: bool = False

    @property
    def words(self) -> str:
        """Such as ``24 of 24 checks pass``."""
        if self.status not in ("pass", "fail"):
            return f"the engine's run failed: {self.reason}"
        words = f"{self.checks - self.failed} of {self.checks} checks pass"
        return f"{words}; first failed: {self.reason}" if self.failed else words


class OptimumAnswer(msgspec.Struct, frozen=True, kw_only=True, tag="optimum"):
    """The best case of an optimisation.

    Parameters
    ----------
    objectives : list of ObjectiveValue
    parameters : dict of str to object
        The values of the optimum; of several objectives those of the best compromise, which is the
        nearest to the best of each; where nothing is feasible those of the nearest case.
    case : int or None
        Its number, from 1.
    is_feasible : bool
        Whether it satisfies all constraints.
    constraints : list of ConstraintState
        The closest first.
    at_ends : dict of str to str
        Parameters whose range limits the optimum: ``lower`` or ``upper``.
    sensitivities : list of Sensitivity
    surfaces : list of ResponseSurface
        One of each objective, where the design determines it.
    evaluations, most : int
        How many cases were evaluated, and how many may be.
    improvements : list of int
        Numbers of the cases that were the best so far.
    ends : list of int
        Numbers of the cases at which the local searches ended.
    front : list of int
        Of several objectives, numbers of the cases that no other dominates.
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
        """Whether there is an optimum whose run by the engine passes."""
        return self.is_feasible and self.engine is not None and self.engine.status == "pass"

    @property
    def is_within_checks(self) -> bool:
        """Whether there is an optimum whose run fails at most ratings and ranges."""
        return self.is_passed or (
            self.is_feasible and self.engine is not None and self.engine.only_ratings_fail
        )

    @property
    def place(self) -> str:
        """The optimum, such as ``k = 1234, m = 2``."""
        return ", ".join(f"{name} = {value_text(v)}" for name, v in self.parameters.items())

    @property
    def limits(self) -> str:
        """Constraints and ends of ranges that limit the optimum."""
        limiting = [one.constraint for one in self.constraints if one.is_limiting]
        names = list(dict.fromkeys(limiting))
        return ", ".join([*names, *(f"{end} end of {k}" for k, end in self.at_ends.items())])

    @property
    def words(self) -> str:
        """The answer in a sentence."""
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
    """By how much a constraint is missed: ``peak tau.j1 <= 330 is missed by 12.5 N·m``."""
    name = "" if state.name in state.constraint else f" ({state.name})"
    if state.slack is None:
        return f"{state.constraint}{name} has no value"
    amount = f"{-state.slack:.4g} {state.unit}".strip()
    return f"{state.constraint}{name} is missed by {amount}"


def _with_unit(one: ObjectiveValue) -> str:
    value = "–" if one.value is None else f"{one.value:.6g}"
    return f"{value} {one.unit}".strip()
