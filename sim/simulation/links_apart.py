"""Clearance of a run, for its motion and changing payloads, by both libraries."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from sim.errors import ScenarioError
from sim.kinematics.tree import tree_of
from sim.recording.columns import ColumnTable
from sim.recording.files.table_files import Table, numbers_in
from sim.recording.held_tables import analytic_of, as_field, recorded_of
from sim.recording.recording import Recording
from sim.recording.schema.channels import units_of
from sim.simulation.problem import Problem

if TYPE_CHECKING:
    from sim.clearance.clearance_of_run import Second
    from sim.clearance.sampled_motion import SampledMotion


MOST_SAMPLES = 100_000  # poses of all bodies at all samples are in memory: 0.3 GB for a UR10


def require_clearance(problem: Problem) -> None:
    """Check, before a run, that its clearance can be computed.

    Raises
    ------
    ScenarioError
        If an excluded link does not exist, or the run has more than `MOST_SAMPLES`.
    SimError
        If coal is not installed.
    """
    if (request := problem.scenario.clearance) is not None:
        from sim.clearance.coal_queries import coal_version

        request.require_links(problem.robot)
        coal_version()
        if problem.t.size > MOST_SAMPLES:
            raise ScenarioError(
                f"clearance: {problem.t.size} samples; at most {MOST_SAMPLES} are judged in one "
                "run: take a larger dt (it is known between samples too) or a shorter duration"
            )


def with_clearance(problem: Problem, recording: Recording) -> Recording:
    """Return the recording with the distances of links, if its scenario requests them.

    Raises
    ------
    ScenarioError, ModelError
        As in `sim.clearance.clearance_of_run`.
    """
    request = problem.scenario.clearance
    if request is None:
        return recording
    from sim.clearance.clearance_of_run import clearance_of_run

    tables = recorded_of(recording), analytic_of(recording)
    result = clearance_of_run(
        problem.robot,
        request,
        [_sample_motion(problem, table) for table in tables],
        {link: _carrying_times(problem, link) for link in problem.payloads.links.values()},
        _second_library(),
    )
    recorded, analytic = (
        _with_columns(table, columns) for table, columns in zip(tables, result.columns, strict=True)
    )
    run = recording.run
    units = run.units | units_of(result.facts.channels, ())
    settings = msgspec.structs.replace(run.settings, clearance=result.facts)
    return recording.having(
        recorded=as_field(recorded),
        analytic=as_field(analytic),
        run=msgspec.structs.replace(run, units=units, settings=settings),
    )


def _sample_motion(problem: Problem, table: Table) -> SampledMotion:
    from sim.clearance.sampled_motion import SampledMotion

    names = problem.robot.tree_row_names
    q, qd = (
        np.stack([numbers_in(table, f"{group}.{name}") for name in names]) for group in ("q", "qd")
    )
    return SampledMotion(tree_of(problem.robot), problem.t, q, qd)


def _carrying_times(problem: Problem, link: str) -> Sequence[tuple[float, float]]:
    """Return the intervals in which a payload is carried [s]."""
    stages, end = problem.payloads.stages, float(problem.t[-1])
    ends = [*(stage.begin for stage in stages[1:]), end]
    each = zip(stages, ends, strict=True)
    return [(stage.begin, last) for stage, last in each if stage.carried[link]]


def _second_library() -> Second | None:
    if find_spec("mujoco") is None:
        return None
    from sim.engines.mujoco.piece_distances import MujocoQueries, mujoco_version

    return MujocoQueries, mujoco_version()


def _with_columns(table: Table, columns: dict[str, np.ndarray]) -> ColumnTable:
    """Return the table in memory with more columns; it is then written again."""
    known = {str(name): numbers_in(table, name) for name in table.columns}
    return ColumnTable(table.index.to_numpy(dtype=np.float64), {**known, **columns})
