"""GoalOptions: objectives, constraints and algorithm of an optimisation.

``sim optimise`` creates its arguments from the fields, as ``sim sweep`` does from `StudyRequest`.
This file has no slow imports.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from sim.studies.request import (
    AtLeastOne,
    StudyRequest,
    describe_option,
    function_files_of,
    option_words,
)

AlgorithmName = Literal["auto", "gradient", "cobyqa", "differential-evolution", "direct"]

# Options of a study that also apply to an optimisation.
STUDY_OPTIONS = (
    "vary", "settings", "method", "dt", "seed", "response", "analytic", "no_require", "no_report",
)  # fmt: skip


class GoalOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options that define an optimisation, besides those of `STUDY_OPTIONS`."""

    minimise: Annotated[
        tuple[str, ...],
        describe_option(
            "response to minimise, such as energy or 'peak tau.*' (the largest of all), or an "
            "expression of responses and parameters: 'energy + 2*load'; repeated: the Pareto front",
            "EXPR",
        ),
    ] = ()
    maximise: Annotated[
        tuple[str, ...], describe_option("response or expression to maximise; repeatable", "EXPR")
    ] = ()
    subject_to: Annotated[
        tuple[str, ...],
        describe_option(
            "constraint, such as 'peak tau.j1 <= 330', or checks (every check of the run passes); "
            "repeatable",
            "C",
        ),
    ] = ()
    algorithm: Annotated[
        AlgorithmName,
        describe_option(
            "gradient, cobyqa, differential-evolution or direct, all by SciPy; or auto: COBYQA and "
            "SLSQP with gradients by differences, and differential evolution for many whole or "
            "named values (default: auto)",
            "NAME",
        ),
    ] = "auto"
    starts: Annotated[
        AtLeastOne,
        describe_option("number of local searches, each from its own start (default: 1)", "N"),
    ] = 1
    evaluations: Annotated[
        AtLeastOne | None,
        describe_option(
            "largest number of cases (default: 60 for each start, 30 for each continuous parameter "
            "where there are more than two; 200 for each parameter of a global search)",
            "N",
        ),
    ] = None
    simulate: Annotated[
        bool,
        describe_option(
            "simulate every case (default: the analytic model alone where every joint is "
            "prescribed)"
        ),
    ] = False

    @property
    def function_files(self) -> list[Path]:
        """Python files whose functions are objectives or constraints."""
        return function_files_of((*self.objectives, *self.subject_to))

    def command(self, request: StudyRequest) -> tuple[str, ...]:
        """Return the command of an optimisation with the other options of a study."""
        words = option_words(msgspec.structs.asdict(self), msgspec.structs.asdict(GoalOptions()))
        return ("sim", "optimise", *request.command[2:], *words)

    @property
    def objectives(self) -> tuple[str, ...]:
        """Texts of all objectives."""
        return (*self.minimise, *self.maximise)
