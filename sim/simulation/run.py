"""run: simulates a scenario by the engine and the analytic model, and returns a Recording."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct

from sim.dynamics.cut_open import cut_reactions
from sim.dynamics.wrench import pin_wrenches
from sim.engine_names import EngineName
from sim.errors import ScenarioError
from sim.maths.arrays import Array
from sim.maths.pieces import is_one_piece
from sim.maths.second_process import WORTH_A_COPY, second_process
from sim.recording.columns import ColumnTable
from sim.recording.files.table_files import Table, gather_pieces, numbers_in
from sim.recording.files.whole_files import sha256
from sim.recording.held_tables import as_field
from sim.recording.recorded_run import ANALYTIC, RECORDED
from sim.recording.recording import Recording
from sim.recording.schema.cut_instants import instants_to_cut
from sim.recording.schema.facts import EventFacts, NeighbourFacts, ScriptFacts
from sim.recording.schema.horizon import ASIDE
from sim.recording.schema.methods import MethodName
from sim.robots.robot import Robot
from sim.scenario.scenario import Scenario
from sim.scenario.script import load_script
from sim.simulation.answer import Answer
from sim.simulation.between_samples import between_samples
from sim.simulation.build_problem import build_problem
from sim.simulation.engine_answer import engine_answer
from sim.simulation.links_apart import require_clearance, with_clearance
from sim.simulation.model_answer import model_answer, solved_motion
from sim.simulation.motion_notes import singular_notes
from sim.simulation.problem import Problem
from sim.simulation.resource_limits import require_memory
from sim.simulation.run_description import controller_facts, events_in, run_description
from sim.simulation.spline_notes import SplineReads
from sim.simulation.table import STATE, WRENCH, loop_word, reaction_columns, tables
from sim.simulation.undefined_variables import describe_without, without_undefined

if TYPE_CHECKING:
    from sim.dynamics.control_loop import ControlLog

# (steps done, steps in total)
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
    """Simulate a scenario and evaluate the analytic model at the same times, without a judgement.

    Arguments and errors are those of `sim.run`.
    """
    if name is not None and not isinstance(name, str):
        raise ScenarioError(f"The name of a run must be text; got a {type(name).__name__}")
    if isinstance(scenario, str | Path):
        script = load_script(str(scenario))
        built, parameters = script.build({})
        chosen = _with_settings(built, method, dt, engine)
        recording = _simulate(chosen, name or script.name, progress, folder)
        facts = ScriptFacts(path=str(script.path), sha256=sha256(script.path))
        return recording.with_description(parameters=parameters, script=facts)
    if not isinstance(scenario, Scenario):
        raise ScenarioError(
            "run takes a Scenario, the name of a shipped one or a .py file; got a "
            f"{type(scenario).__name__}"
        )
    return _simulate(
        _with_settings(scenario, method, dt, engine), name or "scenario", progress, folder
    )


def _with_settings(
    scenario: Scenario, method: MethodName | None, dt: float | None, engine: EngineName | None
) -> Scenario:
    """Return the scenario with the given settings in place of its own."""
    return replace(
        scenario,
        method=scenario.method if method is None else method,
        dt=scenario.dt if dt is None else dt,
        engine=scenario.engine if engine is None else engine,
    )


def _simulate(
    scenario: Scenario, name: str, progress: Progress | None, folder: Path | None
) -> Recording:
    begin = processor_time()
    require_memory(scenario, stored=folder is not None)
    courses = None
    if scenario.conditions:
        from sim.simulation.event_search import courses_of

        courses = courses_of(scenario)
        problem, by_engine = courses.analytic.problem, courses.recorded.problem
    else:
        problem = by_engine = build_problem(scenario)
    require_clearance(problem)
    events: list[EventFacts] = []
    log: ControlLog | None = None
    # Those of the engine, which records no tool frame that does not move.
    columns: list[str] | None = None

    def answers() -> Iterator[Answer]:
        nonlocal log
        for answer in engine_answer(by_engine, progress):
            events.extend(events_in(by_engine, answer))
            log = log if answer.control is None else answer.control
            yield answer
            del answer  # before the next is computed

    N = problem.t.size
    with second_process(  # a copy would not be heard to announce its compilation of solvers
        lambda: _model_side(problem, folder, columns),
        is_worthwhile=N >= WORTH_A_COPY and is_one_piece(N) and not problem.is_solved,
    ) as wait:
        recorded = _gather(problem, tables(by_engine, answers()), folder, RECORDED)
        columns = list(recorded.columns)
        model = wait()
    analytic = model.table if list(model.table.columns) == columns else model.table[columns]
    recorded, analytic, undefined = without_undefined(recorded, analytic)
    channels = tuple(map(str, recorded.columns))
    neighbour = neighbour_of(problem, recorded, analytic)
    notes = (*singular_notes(problem, analytic, model.singular_times), *model.notes)
    cpu = processor_time() - begin
    described = run_description(problem, name, events, channels, neighbour, notes, cpu)
    described = describe_without(described, undefined)
    if courses is not None:
        from sim.simulation.event_facts import with_conditions

        described = with_conditions(described, scenario, courses)
    if log is not None and model.log is not None:
        controller = controller_facts(problem, log, model.log)
        described = msgspec.structs.replace(described, controller=controller)
    recording = Recording(
        as_field(recorded),
        as_field(analytic),
        described,
        urdf=problem.robot.text,
        cut_open=as_field(cut_samples(problem, analytic)),
        between=as_field(between_samples(problem, described.settings.corners)),
    )
    recording = with_clearance(problem, recording)
    if (reference := scenario.reference) is None:
        return recording
    reference.require_in(channels, recording.t)
    return recording.having(reference=reference.table)


class _ModelSide(Struct, frozen=True):
    """Results of the analytic model for a run.

    Parameters
    ----------
    table : Table
    singular_times : frozenset of float
        Times at which the mechanism is singular [s].
    notes : tuple of str
        On splines that are read beyond their points.
    log : ControlLog, optional
        That of a sampled controller.
    """

    table: Table
    singular_times: frozenset[float]
    notes: tuple[str, ...]
    log: ControlLog | None


def _model_side(problem: Problem, folder: Path | None, columns: list[str] | None) -> _ModelSide:
    """Return the model's answer, with the given columns (default: all)."""
    times: set[float] = set()
    log: ControlLog | None = None
    spline_reads = SplineReads(problem)

    def answers() -> Iterator[Answer]:
        nonlocal log
        for answer in model_answer(problem):
            times.update(answer.singular_times)
            spline_reads.add(answer)
            log = log if answer.control is None else answer.control
            yield answer
            del answer

    pieces = tables(problem, answers())
    chosen = pieces if columns is None else map(itemgetter(columns), pieces)
    table = _gather(problem, chosen, folder, ANALYTIC)
    return _ModelSide(table, frozenset(times), spline_reads.notes(), log)


def processor_time() -> float:
    """Return the processor time of this process and its children [s]."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def _gather(
    problem: Problem, pieces: Iterator[ColumnTable], folder: Path | None, name: str
) -> Table:
    """Return the table of all pieces, in a file of the folder if there is one and it is large."""
    path = None if folder is None else Path(folder) / name
    robot, engine = problem.robot, problem.scenario.engine
    return gather_pieces(pieces, problem.t.size, path, robot.tree_coordinates, engine)


def cut_samples(problem: Problem, analytic: Table) -> ColumnTable:
    """Return reactions by `sim.dynamics.cut_open` on the model's motion, one row per instant.

    Parameters
    ----------
    problem : Problem
    analytic : ColumnTable or StoredTable
        The model's results.
    """
    rows = instants_to_cut(analytic, [joint.name for joint in problem.robot.tree_joints])

    def at_rows(group: str, names: Iterable[str]) -> Array:
        curves = [numbers_in(analytic, f"{group}.{name}")[rows] for name in names]
        return np.stack(curves) if curves else np.empty((0, rows.size))

    t, robot = problem.t[rows], problem.robot
    q, qd, qdd = (at_rows(group, robot.row_names) for group in ("q", "qd", "qdd"))
    z = at_rows(STATE, map(str, range(problem.elements.states)))
    external = problem.elements.wrenches(problem.elements.at(t, q, qd, z))
    rods = np.zeros((len(robot.loops), len(WRENCH), t.size))
    for of_loop, loop in zip(rods, robot.loops, strict=True):
        known = [k for k, c in enumerate(WRENCH) if c in loop.components]
        of_loop[known] = at_rows(f"loop.{loop_word(loop)}", [WRENCH[k] for k in known])

    def kernel(robot: Robot, part: slice) -> tuple[Array]:
        here = [wrench.during(part) for wrench in external]
        here += pin_wrenches(robot, q[:, part], rods[..., part])
        return (cut_reactions(robot, q[:, part], qd[:, part], qdd[:, part], problem.gravity, here),)

    (reaction,) = problem.payloads.evaluate(t, kernel)
    return ColumnTable(t, reaction_columns(robot, reaction))


INSTANTS = 400  # instants of the run at which the two motions are compared


def neighbour_of(problem: Problem, recorded: Table, analytic: Table) -> NeighbourFacts | None:
    """Return the divergence of the model's motion from one that starts `ASIDE`, or None.

    It is only computed if the engine's motion deviates from the model's by more than the method
    allows: either the engine is wrong, or the motion amplifies rounding. The neighbour is
    independent of the engine, and distinguishes the two cases.
    """
    limits = problem.method.limits_at(problem.scenario.dt, has_free_joints=True)
    free = problem.solved_joints
    if not (problem.method.solves_motion and free.any()):
        return None
    names = [name for name, is_free in zip(problem.robot.row_names, free, strict=True) if is_free]

    def values(table: Table, group: str) -> Array:
        return np.stack([numbers_in(table, f"{group}.{name}") for name in names])

    allowed = {"q": limits.position, "qd": limits.velocity}
    if all(
        np.max(np.abs(values(recorded, group) - values(analytic, group))) <= limit
        for group, limit in allowed.items()
    ):
        return None
    start = problem.path.q0
    aside = np.where(problem.path.free, ASIDE * np.maximum(1.0, np.abs(start)), 0.0)
    neighbour = solved_motion(problem, problem.path_from(start + aside), problem.t)
    position, velocity = (
        np.maximum.accumulate(np.max(np.abs(rows[free] - values(analytic, group)), axis=0))
        for group, rows in (("q", neighbour.q), ("qd", neighbour.qd))
    )
    if position[-1] <= limits.position and velocity[-1] <= limits.velocity:
        return None
    k = np.unique(np.linspace(0, problem.t.size - 1, INSTANTS).round().astype(int))
    times, *divergence = (tuple(row[k].tolist()) for row in (problem.t, position, velocity))
    return NeighbourFacts(aside=ASIDE, t=times, position=divergence[0], velocity=divergence[1])
