"""Run folder of a watched loop: both tables, the description and the verdict."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from sim.checks.verdict import judge_recording
from sim.dynamics.solved_motion import Efforts
from sim.maths.arrays import Array
from sim.maths.pieces import pieces
from sim.motion.joint_path import JointPath
from sim.motion.typed_drive import TypedDrive
from sim.recording.columns import ColumnTable
from sim.recording.files.run_folders import DESCRIPTION
from sim.recording.files.staging import staging
from sim.recording.held_tables import as_field
from sim.recording.recording import Recording
from sim.recording.schema.watched_facts import WatchedFacts
from sim.robots.robot import Robot
from sim.scenario.scenario import Scenario
from sim.simulation.answer import Answer, exact_works
from sim.simulation.build_problem import build_problem
from sim.simulation.model_answer import model_answer
from sim.simulation.problem import Problem
from sim.simulation.run import cut_samples
from sim.simulation.run_description import run_description
from sim.simulation.table import tables
from sim.watching.diagnose import Diagnosis, diagnose
from sim.watching.evidence import Evidence


@dataclass(frozen=True, eq=False)
class WatchedMotion:
    """Motion of a loop at its samples; unknown between them."""

    q: Array
    qd: Array
    qdd: Array

    def on(self, robot: Robot, duration: float) -> JointPath:
        """Return the motion at the times of the samples."""
        n, count = self.q.shape

        def at(t: Array) -> tuple[Array, Array, Array]:
            k = np.clip(np.rint(t / duration * (count - 1)).astype(np.intp), 0, count - 1)
            return self.q[:, k], self.qd[:, k], self.qdd[:, k]

        free = np.zeros(n, dtype=bool)
        return JointPath(at, free, np.zeros(n), np.zeros(n), np.empty(0), duration)

    def describe(self, robot: Robot, duration: float) -> tuple[TypedDrive, ...]:
        """Return the description of each joint's motion in the loop."""
        return tuple(
            TypedDrive(name, "displacement", "as the watched loop moves it")
            for name in robot.row_names
        )


def save_run(evidence: Evidence, folder: str | Path) -> Recording:
    """Diagnose a loop, judge it, and write the folder of its run.

    Raises
    ------
    RecordingError
        If the folder cannot be written.
    """
    begin = time.process_time()
    folder = Path(folder)
    recording = record(diagnose(evidence), folder.name, begin)
    with staging(folder, DESCRIPTION) as stage:
        return judge_recording(recording.with_description(folder=str(folder))).write(stage)


def record(diagnosis: Diagnosis, name: str, begin: float) -> Recording:
    """Return the recording of a diagnosed loop, before it is judged."""
    e = diagnosis.evidence
    scenario = Scenario(
        e.robot,
        WatchedMotion(e.q, e.qd, e.qdd),
        duration=(e.count - 1) * e.dt,
        dt=e.dt,
        method="ideal",
        gravity=e.gravity,
        engine=e.engine,
        notes=_notes(diagnosis),
    )
    problem = build_problem(scenario)
    model = list(model_answer(problem))
    analytic = _table(problem, iter(model))
    recorded = _table(problem, _recorded(problem, model, e.tau))[list(analytic.columns)]
    channels = tuple(map(str, analytic.columns))
    cpu = time.process_time() - begin
    described = run_description(problem, name, (), channels, cpu=cpu)
    described = msgspec.structs.replace(described, method="watched", watched=_facts(diagnosis))
    return Recording(
        as_field(recorded),
        as_field(analytic),
        described,
        urdf=e.robot.text,
        cut_open=as_field(cut_samples(problem, analytic)),
    )


def _table(problem: Problem, answers: Iterator[Answer]) -> ColumnTable:
    parts = list(tables(problem, answers))
    columns = parts[0].columns
    return ColumnTable(
        problem.t, {c: np.concatenate([part.values[c] for part in parts]) for c in columns}
    )


def _recorded(problem: Problem, model: list[Answer], tau: Array) -> Iterator[Answer]:
    """Yield the model's results with the torques of the loop, and their works."""
    motion = problem.prescribed_motion(problem.t)
    friction = np.concatenate([answer.friction for answer in model], axis=1)
    train = np.concatenate([answer.train for answer in model], axis=1)
    if train.size:  # a loop's torque is that of the motor; the channel is the output of its gear
        tau = tau - train - problem.robot.rotor_inertia[:, None] * motion.qdd
    loads = problem.load_torque(motion)
    powers = Efforts(tau, friction, train).powers(problem.robot, motion, loads)
    works = exact_works(problem, powers, None)
    for part, answer in zip(pieces(problem.t.size), model, strict=True):
        own = works.during(part).with_stored(answer.works.stored)
        yield replace(answer, tau=tau[:, part], works=own)


def _facts(diagnosis: Diagnosis) -> WatchedFacts:
    e = diagnosis.evidence
    return WatchedFacts(
        engine=e.held.facts(e.dt),
        torque_from=e.torque_from,
        residual=diagnosis.residual,
        left=diagnosis.left,
        causes=tuple(cause.facts(diagnosis.peaks) for cause in diagnosis.causes),
        allowances=dict(zip(e.robot.row_names, diagnosis.allowance.tolist(), strict=True)),
    )


def _notes(diagnosis: Diagnosis) -> tuple[str, ...]:
    e = diagnosis.evidence
    noted = (cause.facts(diagnosis.peaks) for cause in diagnosis.causes if not cause.is_error)
    return (
        f"watched loop: {e.count} steps, torques from {e.torque_from}",
        *(cause.sentence for cause in noted),
    )
