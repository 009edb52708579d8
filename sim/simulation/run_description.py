"""A run's description of its problem, before the run is judged."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from sim import shipped
from sim.dynamics.control_loop import ControlLog, ControlLoop
from sim.errors import ModelError
from sim.maths.arrays import Array, Mask
from sim.recording.schema import provenance
from sim.recording.schema.channels import units_of
from sim.recording.schema.control_facts import ControllerFacts, SolverErrorFacts
from sim.recording.schema.description import OVERLOAD, Run
from sim.recording.schema.facts import (
    ClaimFacts,
    EventFacts,
    JointFacts,
    LoopFacts,
    MeasureFacts,
    NeighbourFacts,
    RepairFacts,
    RobotFacts,
    Settings,
)
from sim.robots.actuation import TorqueOverTime
from sim.robots.joint import Joint
from sim.robots.loop import Loop
from sim.robots.loop_kinds import LoopKind
from sim.robots.robot import Robot
from sim.robots.transmissions import transmissions_of
from sim.scenario.payload_events import PickUp
from sim.simulation.answer import Answer
from sim.simulation.payload_schedule import PayloadSchedule
from sim.simulation.problem import Problem
from sim.simulation.stiffness import stiffness_note


def run_description(
    problem: Problem,
    name: str,
    events: Sequence[EventFacts],
    channels: tuple[str, ...],
    neighbour: NeighbourFacts | None = None,
    notes: tuple[str, ...] = (),
    cpu: float | UnsetType = UNSET,
) -> Run:
    """The description of a run called `name`, whose table has these channels.

    `events` are those of the engine's answer, see `events_in`; `notes` are what its solver says,
    `cpu` the processor time that both answers took [s].
    """
    scenario, robot = problem.scenario, problem.robot
    reference = scenario.reference
    requests = tuple(request.describe() for request in scenario.requests)
    of_requests = {c: unit for one in requests for c, unit in one.channels.items()}
    return Run(
        scenario=name,
        method=scenario.method,
        engine=scenario.engine,
        settings=_settings(problem, neighbour),
        robot=robot_facts(robot),
        drives=scenario.motion.describe(robot, scenario.duration),
        forces=tuple(force.describe() for force in scenario.forces),
        contacts=tuple(contact.describe() for contact in scenario.contacts),
        measures=tuple(MeasureFacts(**vars(measure)) for measure in scenario.measures),
        requests=requests or UNSET,
        events=tuple(events),
        notes=(
            *overload(problem.payloads),
            *stiffness_note(problem),
            *transmissions(robot),
            *scenario.notes,
            *notes,
        ),
        claims=tuple(ClaimFacts(**vars(claim)) for claim in scenario.claims),
        units=units_of(channels, robot.tree_coordinates) | of_requests,
        provenance=provenance.of_this_process(scenario.engine, cpu),
        reference=None if reference is None else reference.describe(),
    )


def controller_facts(
    problem: Problem, recorded: ControlLog, analytic: ControlLog
) -> ControllerFacts | msgspec.UnsetType:
    """The controller of a run, with the errors of the solver inside its samples on both sides."""
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


def robot_facts(robot: Robot) -> RobotFacts:
    """Masses, limits and assumptions of a robot; infinite limits are None."""
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
        repairs=tuple(RepairFacts(**vars(repair)) for repair in robot.repairs),
        closures=tuple(map(_loop, robot.loops)),
    )


def _loop_kinds(loops: Iterable[Loop]) -> tuple[LoopKind, ...]:
    """The kind of each loop; none where all are points."""
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
        lower=_finite(joint.limits.lower),
        upper=_finite(joint.limits.upper),
        velocity=_finite(joint.limits.velocity),
        effort=_finite(joint.limits.effort),
        damping=joint.damping,
        friction=joint.friction,
        friction_law=None if joint.friction_law is None else joint.friction_law.facts,
        forces={force.channel: dict(vars(force)) for force in joint.forces},
        drive=None if joint.drive is None else asdict(joint.drive),
    )


def _mesh_folder(robot: Robot) -> str | None:
    """Where relative mesh paths start; None for the robots that are shipped, wherever they are."""
    if robot.folder is None or robot.folder.resolve() == shipped.urdf().resolve():
        return None
    return str(Path(robot.folder).resolve())


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


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
    """The payload events at the samples of an answer, and the energies that come and go there."""
    payloads, energies = problem.payloads, answer.energies
    begin, facts = int(np.searchsorted(problem.t, answer.motion.t[0])), []
    for event in payloads.events:
        link = payloads.links[event.name]
        k, row = int(np.argmin(np.abs(problem.t - event.time))), energies.links.index(link)
        if not begin <= k < begin + answer.motion.t.size:
            continue
        inertia = problem.robot.link(link).inertia
        picked = isinstance(event, PickUp)
        sign = 0.0 if k == 0 else 1.0 if picked else -1.0  # the energies are counted from the start
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
    """Times where an acceleration jumps, or bends between two samples, or where a load changes.

    A position, a velocity or a motor's torque that jumps is among them. In addition those on
    samples where it bends.
    """
    loads = {float(t) for t in np.setdiff1d(problem.load_breaks, [0.0])}
    corners = problem.path.corners[problem.path.corners > 0]
    if not corners.size:
        return tuple(sorted(loads)), ()
    dt = problem.scenario.dt
    off_grid = np.abs(corners / dt - np.rint(corners / dt)) > 1e-6
    beside = 1e-6 * dt

    def limit(side: float) -> Array:
        near, far = (_prescribed_rows(problem, corners + k * side * beside) for k in (1, 2))
        return 2 * near - far

    before, after = limit(-1), limit(1)
    jumps = np.abs(after - before) > 1e-6 * (1 + np.abs(after))
    sharp = off_grid | jumps.any(axis=0)
    found = {float(t) for t in corners[sharp]} | loads
    return tuple(sorted(found)), tuple(float(t) for t in corners[~sharp] if t not in found)


def _prescribed_rows(problem: Problem, t: Array) -> Array:
    """Positions, velocities, accelerations and motors' torques of all joints, a row each."""
    t, path = np.clip(t, 0.0, problem.scenario.duration), problem.path
    there = path.at(t)
    motors = [path.actuation.torque(t)] if isinstance(path.actuation, TorqueOverTime) else []
    return np.concatenate([there.q, there.qd, there.qdd, *motors])


PAYLOAD = re.compile(r"payload(_\d+)?")  # links that `Robot.with_payload` adds


def overload(payloads: PayloadSchedule) -> tuple[str, ...]:
    """A remark where the payloads of a stage weigh more than the rating; none without a rating."""
    card = payloads.robot.card
    if card is None or card.payload is None:
        return ()
    rated, links = card.payload.value, set(payloads.links.values())
    carried = [
        sum(
            link.inertia.mass
            for link in stage.robot.links
            if link.inertia and (link.name in links or PAYLOAD.fullmatch(link.name))
        )
        for stage in payloads.stages
    ]
    most = max(carried)
    if most <= rated * (1 + 1e-12):  # of rounding in a sum
        return ()
    begin = payloads.stages[carried.index(most)].begin
    return (
        f"{OVERLOAD}{payloads.robot.name!r} carries {most:.6g} kg from t = {begin:g} s on, "
        f"{100 * most / rated:.0f} % of its rated payload of {rated:g} kg",
    )


MOST = 6  # joints that the remark names


def transmissions(robot: Robot) -> tuple[str, ...]:
    """Remarks on gear ratios that are not used, that look odd, and that have no rotor; or none."""
    return tuple(
        filter(None, (_unused_transmissions(robot), _reciprocal(robot), _without_rotor(robot)))
    )


def _unused_transmissions(robot: Robot) -> str:
    """Joints with a ``<transmission>`` and no drive train, each with its ratio if there is one."""
    drives = {joint.name for joint in robot.tree_joints if joint.drive is not None}
    try:
        elements = transmissions_of(robot.text, robot.name)
    except ModelError as error:
        return f"<transmission> is not used: {error}"
    left = [one for one in elements if one.joint not in drives]
    if not left:
        return ""
    shown = [one.joint + (f" (ratio {one.ratio:g})" if one.ratio else "") for one in left]
    known = any(one.ratio for one in left)
    return (
        f"<transmission> of {_first(shown)} is not used: torques, speeds and ratings are those of "
        "the joint, without a gear ratio or a rotor's inertia"
        + ("; robot.with_transmissions() reads the ratios" if known else "")
    )


def _reciprocal(robot: Robot) -> str:
    """Joints that turn faster than their motors."""
    odd = [
        f"{robot.row_names[row]} ({drive.ratio:g})"
        for row, drive in robot.drives.items()
        if robot.coordinates[row].is_angle and abs(drive.ratio) < 1
    ]
    if not odd:
        return ""
    return (
        f"drive train of {_first(odd)}: a ratio below 1 makes the joint turn faster than its motor;"
        " is it the reciprocal?"
    )


def _without_rotor(robot: Robot) -> str:
    """Joints whose motor's torque leaves out what the rotor takes."""
    missing = [
        joint.name
        for joint in robot.tree_joints
        if joint.drive is not None and not joint.drive.rotor_inertia
    ]
    if not missing:
        return ""
    return (
        f"drive train of {_first(missing)} has a ratio and no rotor: motor torques leave out what "
        "spins the rotors up"
    )


def _first(names: list[str]) -> str:
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more
