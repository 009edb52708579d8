"""optimise: an optimisation from Python, bitwise equal to that of the command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sim.maths.arguments import checked
from sim.recording.schema.methods import MethodName
from sim.scenario.script import Script
from sim.studies.optimisation.goal_options import AlgorithmName
from sim.studies.study import StudyResult
from sim.studies.sweep_function import (
    Response,
    Values,
    compute_study,
    require_not_in_a_scenario,
    response_texts,
    values_text,
)
from sim.studies.workers.execution import Message, Progress


@checked
def optimise(
    scenario: str | Path | Script | None = None,
    vary: Mapping[str, Values | tuple[float, float]] | None = None,
    *,
    minimise: Sequence[Response] | Response = (),
    maximise: Sequence[Response] | Response = (),
    subject_to: Sequence[str] | str = (),
    algorithm: AlgorithmName = "auto",
    starts: int = 1,
    evaluations: int | None = None,
    simulate: bool = False,
    settings: Mapping[str, object] | None = None,
    method: MethodName | None = None,
    dt: float | None = None,
    seed: int = 0,
    responses: Sequence[Response] | Response = (),
    analytic: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    trust: bool = False,
    page: bool = True,
    yes: bool = False,
    tell: Message | None = None,
    tick: Progress | None = None,
) -> StudyResult:
    """Find the best values of several parameters under constraints; ``sim optimise``.

    Parameters
    ----------
    scenario : str, Path or Script
        Name of a shipped scenario, or a script.
    vary : mapping
        For each parameter a range as two numbers in a tuple, a list of values (names, choices), or
        a text as in the command: ``"500:5000"``.
    minimise, maximise : str, callable or sequence
        Responses of a study, or expressions of responses and varied parameters; several objectives
        give a Pareto front.
    subject_to : str or sequence of str
        Constraints: ``"peak tau.j1 <= 330"``, ``"checks"``.
    algorithm : {"auto", "gradient", "cobyqa", "differential-evolution", "direct"}
    starts : int
        Number of starting points of local searches.
    evaluations : int, optional
        Largest number of cases.
    simulate : bool
        Simulate every case (default: analytic model only, if it gives all responses).
    settings : mapping
        Values of parameters that are equal in all cases.
    method, dt : optional
        Replace those of the scenario.
    seed : int
        Seed of differential evolution, and of designs with five or more parameters.
    responses : sequence of str or callable
        Additional recorded responses.
    analytic : bool
        Refuse a scenario that the model alone cannot compute.
    workers, cluster, out, resume, trust, page, yes, tell, tick
        As in `sim.sweep`.

    Returns
    -------
    result : StudyResult
        `result.answer.parameters` are the best values, `result.answer.objectives` the best of each
        objective; `result.table` has every case.

    Raises
    ------
    SimError
        If it cannot be prepared, started or written; finished cases are kept.
    """
    arguments = locals()
    require_not_in_a_scenario("sim.optimise")
    texts = {
        "vary": [_variation_text(name, values) for name, values in (vary or {}).items()],
        "minimise": response_texts(minimise),
        "maximise": response_texts(maximise),
        "subject_to": [subject_to] if isinstance(subject_to, str) else list(subject_to),
    }
    example = ": sim.optimise('two_link', {'load': (0, 2)}, …)"
    return compute_study("sim.optimise", arguments, texts, example, has_goals=True)


def _variation_text(name: str, values: Values | tuple[float, float]) -> str:
    """Return a variation as text for the command; two numbers in a tuple are a range."""
    is_range = isinstance(values, tuple) and len(values) == 2
    if is_range and all(isinstance(v, int | float) for v in values):
        low, high = (values_text(name, [v]).rstrip(";") for v in values)
        return f"{name}={low}:{high}"
    return f"{name}={values_text(name, values)}"
