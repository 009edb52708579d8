"""run: one scenario through the engine and through the analytic model, into a Recording."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from sim.engine_names import EngineName
from sim.errors import ScenarioError
from sim.recording.columns import ColumnTable
from sim.recording.files.table_files import Table, gather_pieces
from sim.recording.files.whole_files import sha256
from sim.recording.held_tables import as_field
from sim.recording.recording import ANALYTIC, RECORDED, Recording
from sim.recording.schema.facts import EventFacts, ScriptFacts
from sim.recording.schema.methods import MethodName
from sim.scenario.scenario import Scenario
from sim.scenario.script import load_script
from sim.simulation.answer import Answer
from sim.simulation.between_samples import between_samples
from sim.simulation.build_problem import build_problem
from sim.simulation.cut_samples import cut_samples
from sim.simulation.engine_answer import engine_answer
from sim.simulation.model_answer import model_answer
from sim.simulation.neighbour import neighbour_of
from sim.simulation.problem import Problem
from sim.simulation.resource_limits import require_memory
from sim.simulation.run_description import events_in, run_description
from sim.simulation.table import tables

# (steps done, steps in all)
Progress = Callable[[int, int], None]


def run(
    scenario: Scenario | str | Path,
    *,
    method: MethodName | None = None,
    dt: float | None = None,
    engine: EngineName | None = None,
    name: str | None = None,
    progress: Progress | None = None,
    folder: Path | None = None,
) -> Recording:
    """Simulate a scenario and evaluate the analytic model at the same times.

    Parameters
    ----------
    scenario : Scenario, str or Path
        Or the name of a shipped scenario, or a ``.py`` file of one, with its own parameters.
    method, dt, engine : optional
        Replace the scenario's own.
    name : str, optional
        What the run is called in its description; without it that of the script, or "scenario".
    progress : callable, optional
        Called now and then with the numbers of engine steps done and in all.
    folder : Path, optional
        An existing folder, in whose files tables that are large are kept, see
        `sim.recording.files.table_files`; without it they are held in memory.

    Raises
    ------
    ScenarioError, ModelError
        If there is no such scenario, if a setting or a drive cannot be used, if a mass, a length or
        a drive is beyond all robots, or if the run takes more memory than there is.
    EngineError
        If the engine fails; names joint and time.
    """
    if isinstance(scenario, str | Path):
        script = load_script(str(scenario))
        built, parameters = script.build({})
        chosen = _with(built, method, dt, engine)
        recording = _simulate(chosen, name or script.name, progress, folder)
        facts = ScriptFacts(path=str(script.path), sha256=sha256(script.path))
        return recording.with_description(parameters=parameters, script=facts)
    if not isinstance(scenario, Scenario):
        raise ScenarioError(
            "run takes a Scenario, the name of a shipped one or a .py file; got a "
            f"{type(scenario).__name__}"
        )
    return _simulate(_with(scenario, method, dt, engine), name or "scenario", progress, folder)


def _with(
    scenario: Scenario, method: MethodName | None, dt: float | None, engine: EngineName | None
) -> Scenario:
    """The scenario with what is given in the place of its own."""
    return replace(
        scenario,
        method=scenario.method if method is None else method,
        dt=scenario.dt if dt is None else dt,
        engine=scenario.engine if engine is None else engine,
    )


def _simulate(
    scenario: Scenario, name: str, progress: Progress | None, folder: Path | None
) -> Recording:
    require_memory(scenario, stored=folder is not None)
    problem = build_problem(scenario)
    events: list[EventFacts] = []

    def answers() -> Iterator[Answer]:
        for answer in engine_answer(problem, progress):
            events.extend(events_in(problem, answer))
            yield answer

    recorded = _gather(problem, tables(problem, answers()), folder, RECORDED)
    # The engine gives nothing of a tool frame that does not move.
    pieces = (found[list(recorded.columns)] for found in tables(problem, model_answer(problem)))
    analytic = _gather(problem, pieces, folder, ANALYTIC)
    channels = tuple(map(str, recorded.columns))
    neighbour = neighbour_of(problem, recorded, analytic)
    described = run_description(problem, name, events, channels, neighbour)
    recording = Recording(
        as_field(recorded),
        as_field(analytic),
        described,
        urdf=problem.robot.text,
        cut_open=as_field(cut_samples(problem, analytic)),
        between=as_field(between_samples(problem, described.settings.corners)),
    )
    if (reference := scenario.reference) is None:
        return recording
    reference.require_in(channels, recording.t)
    return recording.having(reference=reference.table)


def _gather(
    problem: Problem, pieces: Iterator[ColumnTable], folder: Path | None, name: str
) -> Table:
    """The table of all pieces; in a file of the folder, where there is one and it is large."""
    path = None if folder is None else folder / name
    robot, engine = problem.robot, problem.scenario.engine
    return gather_pieces(pieces, problem.t.size, path, robot.tree_coordinates, engine)
