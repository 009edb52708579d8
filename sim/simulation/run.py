"""run: one scenario through the engine and through the analytic model, into a Recording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sim.recording.engine_names import EngineName
from sim.recording.methods import MethodName
from sim.recording.recording import Recording
from sim.scenario.scenario import Scenario
from sim.simulation.cut_samples import cut_samples
from sim.simulation.engine_answer import engine_answer
from sim.simulation.huge_numbers import require_memory
from sim.simulation.model_answer import model_answer
from sim.simulation.posing import problem_of
from sim.simulation.run_description import run_description
from sim.simulation.table import table

# (steps done, steps in all)
Progress = Callable[[int, int], None]


def run(
    scenario: Scenario,
    *,
    method: MethodName | None = None,
    dt: float | None = None,
    engine: EngineName | None = None,
    name: str = "scenario",
    progress: Progress | None = None,
) -> Recording:
    """Simulate a scenario and evaluate the analytic model at the same times.

    Parameters
    ----------
    scenario : Scenario
    method, dt, engine : optional
        Replace the scenario's own.
    name : str
        What the run is called in its description.
    progress : callable, optional
        Told now and then how many engine steps of how many are done.

    Raises
    ------
    ScenarioError, ModelError
        If a setting or a drive cannot be used, if a mass, a length or a drive is beyond all
        robots, or if the run takes more memory than there is.
    EngineError
        If the engine fails; names joint and time.
    """
    scenario = replace(
        scenario,
        method=scenario.method if method is None else method,
        dt=scenario.dt if dt is None else dt,
        engine=scenario.engine if engine is None else engine,
    )
    require_memory(scenario)
    problem = problem_of(scenario)
    recorded_answer, analytic_answer = engine_answer(problem, progress), model_answer(problem)
    recorded, analytic = table(problem, recorded_answer), table(problem, analytic_answer)
    # The engine tells nothing of a tool frame that does not move.
    analytic = analytic[recorded.columns]
    channels = tuple(map(str, recorded.columns))
    described = run_description(problem, name, recorded_answer, channels)
    cut_open = cut_samples(problem, analytic_answer)
    recording = Recording(recorded, analytic, described, urdf=problem.robot.text, cut_open=cut_open)
    if (reference := scenario.reference) is None:
        return recording
    reference.require_in(channels, recording.t)
    return replace(recording, reference=reference.table)
