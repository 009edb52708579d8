"""Description of a run's problem and of its robot, before its checks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from sim import shipped
from sim.maths.arrays import Array, Mask
from sim.motion.typed_drive import TypedDrive
from sim.recording.schema import provenance
from sim.recording.schema.channels import units_of
from sim.recording.schema.control_facts import ControllerFacts, SolverErrorFacts
from sim.recording.schema.description import Run
from sim.recording.schema.element_facts import facts_of
from sim.recording.schema.facts import (
    ClaimFacts,
    DriveFacts,
    EventFacts,
    JointFacts,
    LoopFacts,
    MeasureFacts,
    NeighbourFacts,
    RobotFacts,
    Settings,
)
from sim.recording.schema.request_facts import request_facts
from sim.robots.actuation import TorqueOverTime
from sim.robots.joint import Joint
from sim.robots.loop import Loop
from sim.robots.loop_kinds import LoopKind
from sim.robots.robot import Robot
from sim.scenario.payload_events import PickUp
from sim.simulation.answer import Answer
from sim.simulation.inertia_of_drives import light_motion_notes
from sim.simulation.motion_notes import start_note
from sim.simulation.problem import Problem
from sim.simulation.robot_notes import flexible_links, overload, tool_choice, transmissions

if TYPE_CHECKING:
    from sim.dynamics.control_loop import ControlLog


def robot_facts(robot: Robot) -> RobotFacts:
    """Return masses, limits and assumptions of a robot; infinite limits are None."""
    return RobotFacts(
        name=robot.name,
        urdf_sha256=provenance.text_hash(robot.text),
        tool=robot.tool,
        T_0b=tuple(map(tuple, robot.T_0b.tolist())),
        mesh_folder=_mesh_folder(robot),
        joints=tuple(map(_joint, robot.tree_joints)),
        coupling=tuple(map(tuple, robot.coupling[0].tolist())),
        masses={link.name: float(link.inertia.mass) for link in robot.links if link.inertia},
        loops=tuple(loop.name for loop in robot.loops),
        loop_kinds=_loop_kinds(robot.loops),
        assumed=() if robot.card is None else tuple(robot.card.assumptions()),
        repairs=robot.repairs,
        closures=tuple(map(_loop, robot.loops)),
    )


def _loop_kinds(loops: Iterable[Loop]) -> tuple[LoopKind, ...]:
    """Return the kind of each loop; none if all are points."""
    kinds = tuple(loop.kind for loop in loops)
    return kinds if set(kinds) - {"point"} else ()


def _loop(loop: Loop) -> LoopFacts:
    of_frames = ("axis_a", "axis_b", "across_a", "across_b")
    axes = {key: getattr(loop, key) for key in of_frames}
    return LoopFacts(
        name=loop.name,
        link_a=loop.link_a,
        point_a=_vector(loop.point_a),
        link_b=loop.link_b,
        point_b=_vector(loop.point_b),
        normal=None if loop.normal is None else _vector(loop.normal),
        passive=loop.passive,
        kind=loop.kind,
        length=loop.length,
        function=loop.function,
        **{key: _vector(axis) for key, axis in axes.items() if axis is not None},
    )


def _vector(values: Array) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z


def _joint(joint: Joint) -> JointFacts:
    x, y, z = joint.axis.tolist()
    return JointFacts(
        name=joint.name,
        kind=joint.kind,
        mimic=joint.mimic.leaders if joint.mimic else None,
        axis=(x, y, z),
        lower=_finite_or_none(joint.limits.lower),
        upper=_finite_or_none(joint.limits.upper),
        velocity=_finite_or_none(joint.limits.velocity),
        effort=_finite_or_none(joint.limits.effort),
        damping=joint.damping,
        friction=joint.friction,
        friction_law=None if joint.friction_law is None else joint.friction_law.facts,
        forces={force.channel: dict(vars(force)) for force in joint.forces},
        drive=None if joint.drive is None else asdict(joint.drive),
    )


def _mesh_folder(robot: Robot) -> str | None:
    """Return the base of relative mesh paths; None for shipped robots, wherever they are."""
    if robot.folder is None or robot.folder.resolve() == shipped.urdf().resolve():
        return None
    return str(Path(robot.folder).resolve())


def _finite_or_none(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def run_description(
    problem: Problem,
    name: str,
    events: Sequence[EventFacts],
    channels: tuple[str, ...],
    neighbour: NeighbourFacts | None = None,
    notes: tuple[str, ...] = (),
    cpu: float | UnsetType = UNSET,
) -> Run:
    """Return the description of a run called `name`, whose table has these channels.

    `events` are those of the engine, see `events_in`; `notes` come from its solver, and `cpu` is
    the processor time of both solutions [s].
    """
    scenario, robot = problem.scenario, problem.robot
    reference = scenario.reference
    requests = tuple(map(request_facts, scenario.requests))
    stiff, slow = _solver_notes(problem)
    of_requests = {c: unit for one in requests for c, unit in one.channels.items()}
    return Run(
        scenario=name,
        method=scenario.method,
        engine=scenario.engine,
        settings=_settings(problem, neighbour),
        robot=robot_facts(robot),
        drives=tuple(map(_drive, scenario.motion.describe(robot, scenario.duration))),
        forces=tuple(map(facts_of, scenario.forces)),
        contacts=tuple(map(facts_of, scenario.contacts)),
        measures=tuple(MeasureFacts(**vars(measure)) for measure in scenario.measures),
        requests=requests or UNSET,
        model_names=UNSET if scenario.model_names is None else facts_of(scenario.model_names),
        events=tuple(events),
        notes=(
            *overload(problem.payloads),
            *stiff,
            *light_motion_notes(problem),
            *transmissions(robot),
            *start_note(problem),
            *slow,
            *flexible_links(robot),
            *tool_choice(robot),
            *scenario.notes,
            *notes,
        ),
        claims=tuple(ClaimFacts(**vars(claim)) for claim in scenario.claims),
        units=units_of(channels, robot.tree_coordinates) | of_requests,
        provenance=provenance.of_this_process(scenario.engine, cpu),
        reference=None if reference is None else reference.describe(),
    )


def _solver_notes(problem: Problem) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return notes on a solver's stiff modes, and on what makes it slow."""
    if not problem.is_solved:
        return (), ()
    from sim.simulation.slow_notes import slow_notes
    from sim.simulation.stiffness import stiffness_note

    return stiffness_note(problem), slow_notes(problem)


def _drive(typed: TypedDrive) -> DriveFacts:
    points = {name: facts_of(one) for name, one in typed.splines.items()}
    return DriveFacts(
        joint=typed.joint,
        level=typed.level,
        function=typed.function,
        warnings=typed.warnings,
        names=UNSET if typed.names is None else facts_of(typed.names),
        splines=points or UNSET,
        switched=UNSET if typed.switched is None else typed.switched,
    )


def controller_facts(
    problem: Problem, recorded: ControlLog, analytic: ControlLog
) -> ControllerFacts | msgspec.UnsetType:
    """Describe a run's controller, with the solver errors between samples on both sides."""
    from sim.dynamics.control_loop import ControlLoop

    loop = problem.path.actuation
    if (controller := problem.scenario.controller) is None or not isinstance(loop, ControlLoop):
        return UNSET
    facts = controller.describe(problem.robot)
    return msgspec.structs.replace(
        facts,
        limits={name: most for name, most in facts.limits.items() if name not in loop.idle_names},
        idle=loop.idle_names,
        recorded=_solver_error(recorded),
        analytic=_solver_error(analytic),
    )


def _solver_error(log: ControlLog) -> SolverErrorFacts:
    k = int(np.argmax(log.errors)) if log.errors.size else None
    return SolverErrorFacts(
        steps=int(log.errors.size),
        error=0.0 if k is None else float(log.errors[k]),
        at=0.0 if k is None else float(log.t_checked[k]),
        controlled=log.controlled,
    )


def _settings(problem: Problem, neighbour: NeighbourFacts | None) -> Settings:
    scenario = problem.scenario
    corners, bends = _corners_and_bends(problem)

    def where(mask: Mask) -> tuple[str, ...]:
        names = zip(scenario.robot.row_names, mask, strict=True)
        return tuple(name for name, holds in names if holds)

    return Settings(
        duration=scenario.duration,
        dt=scenario.dt,
        samples=int(problem.t.size),
        gravity=scenario.gravity,
        corners=corners,
        bends=bends,
        free=where(problem.solved_joints),
        passive=where(problem.passive),
        tolerances=dict(scenario.tolerances),
        path_tolerance=scenario.path_tolerance,
        neighbour=neighbour,
    )


def events_in(problem: Problem, answer: Answer) -> tuple[EventFacts, ...]:
    """Return the payload events at the samples of a solution, with their energy changes."""
    payloads, energies = problem.payloads, answer.energies
    begin, facts = int(np.searchsorted(problem.t, answer.t[0])), []
    for event in payloads.events:
        link = payloads.links[event.name]
        k, row = int(np.argmin(np.abs(problem.t - event.time))), energies.links.index(link)
        if not begin <= k < begin + answer.t.size:
            continue
        inertia = problem.robot.link(link).inertia
        picked = isinstance(event, PickUp)
        sign = 0.0 if k == 0 else 1.0 if picked else -1.0  # energies are relative to the start
        facts.append(
            EventFacts(
                t=float(event.time),
                kind="pick up" if picked else "set down",
                payload=event.name,
                link=link,
                mass=0.0 if inertia is None else float(inertia.mass),
                ke=sign * float(energies.ke[row, k - begin]),
                pe=sign * float(energies.pe[row, k - begin]),
            )
        )
    return tuple(facts)


def _corners_and_bends(problem: Problem) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return times where an acceleration or a load jumps, or an acceleration bends between samples.

    Jumps of positions, velocities and motor torques are included. The second tuple holds the
    remaining bends, which are on samples.
    """
    loads = set(problem.load_breaks.tolist()) - {0.0}
    corners = problem.path.corners[problem.path.corners > 0]
    if not corners.size:
        return tuple(sorted(loads)), ()
    dt = problem.scenario.dt
    off_grid = np.abs(corners / dt - np.rint(corners / dt)) > 1e-6
    offset = 1e-6 * dt

    def limit(side: float) -> Array:
        near, far = (_prescribed_rows(problem, corners + k * side * offset) for k in (1, 2))
        return 2 * near - far

    before, after = limit(-1), limit(1)
    jumps = np.abs(after - before) > 1e-6 * (1 + np.abs(after))
    sharp = off_grid | jumps.any(axis=0)
    sudden = {float(t) for t in corners[sharp]} | loads
    return tuple(sorted(sudden)), tuple(float(t) for t in corners[~sharp] if t not in sudden)


def _prescribed_rows(problem: Problem, t: Array) -> Array:
    """Return positions, velocities, accelerations and motor torques of all joints as rows."""
    t, path = np.clip(t, 0.0, problem.scenario.duration), problem.path
    there = path.at(t)
    motors = [path.actuation.torque(t)] if isinstance(path.actuation, TorqueOverTime) else []
    return np.concatenate([there.q, there.qd, there.qdd, *motors])
