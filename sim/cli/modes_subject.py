"""Subject of `sim modes`: a robot in a pose, a scenario that is not run, or a run."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import structs

from sim.cli.arguments import joints_and_number
from sim.cli.robot_options import load_robot_from, with_options
from sim.errors import ScenarioError
from sim.vibration import LoadStep, Modes, RunModes, load_step, modes, run_modes
from sim.vibration.elastic_drives import ElasticDrives, PerJoint, elastic_drives, without_drive
from sim.vibration.load_step import load_step_on
from sim.vibration.modes import modes_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sim.dynamics import ElementSum, Equilibrium
    from sim.dynamics.gravity import Gravity
    from sim.dynamics.motor_torques import MotorTorques
    from sim.kinematics.trajectory import Trajectory
    from sim.maths.arrays import Array, Mask
    from sim.recording.recording import Recording
    from sim.robots import Loop, Robot
    from sim.scenario import Scenario
    from sim.simulation.problem import Problem

URDFS = (".urdf", ".xacro", ".xml", ".sdf", ".world")
SCRIPTS = (".py", ".adm")


@dataclass(frozen=True, eq=False)
class Subject:
    """Modes, and the state about which they are computed.

    Parameters
    ----------
    where : str
        For a message: "in pose zero".
    rest : Equilibrium, optional
        Static equilibrium of the free joints, if requested.
    payload_links : set of str
        Links of payloads that are attached and released.
    """

    modes: Modes
    where: str
    load: LoadStep | None = None
    run: RunModes | None = None
    rest: Equilibrium | None = None
    payload_links: frozenset[str] = frozenset()


def subject_of(options: argparse.Namespace) -> Subject:
    """Return the modes selected by the arguments.

    Raises
    ------
    SimError
        If an option does not fit the subject, or there are no modes.
    """
    from sim.shipped import robot_names

    name = options.subject
    if options.load is None and (options.tool, options.tcp) != (None, None):
        raise ScenarioError("--tool and --tcp place the load of --load KG; add --load")
    if name in robot_names() or name.lower().endswith(URDFS):
        _refuse(options, "a robot", "at", "out", "moving", "equilibrium", "settings", "loops")
        return _of_robot(options)
    if name.lower().endswith(SCRIPTS):
        _refuse(options, "a script, which is not run", "out", "loops", "xacro", "model", "pose")
        if options.equilibrium and options.moving:
            raise ScenarioError("--equilibrium is for a robot at rest and excludes --moving")
        return _of_script(options)
    _refuse(options, "a run", "equilibrium", "settings", "xacro", "model", "pose")
    return _of_run(options)


def _refuse(options: argparse.Namespace, what: str, *names: str) -> None:
    """Refuse options that do not apply to a subject."""
    words = {"settings": "--set"}
    belongs = {
        "out": "a run",
        "loops": "a run",
        "xacro": "a template (.xacro)",
        "model": "an SDF file",
        "pose": "a robot file",
    }
    belongs |= dict.fromkeys(("at", "moving"), "a run or a script")
    for name in names:
        value = getattr(options, name)
        if not (value is None or value is False or value == []):
            option, needed = words.get(name, f"--{name}"), belongs.get(name, "a script (.py, .adm)")
            raise ScenarioError(f"{option} requires {needed}; {options.subject!r} is {what}")


def _of_robot(options: argparse.Namespace) -> Subject:
    robot = load_robot_from(options, options.subject, tool=options.tool)
    drives = _drives(robot, options)
    pose = options.pose or "zero"
    q = robot.pose(pose)
    load = None if options.load is None else load_step(robot, q, options.load, *drives)
    return Subject(modes(robot, q, *drives), f"in pose {pose}", load)


def _of_script(options: argparse.Namespace) -> Subject:
    from sim.cli.run_options import parameters_of
    from sim.decks.script_or_deck import load_script_or_deck

    script = load_script_or_deck(options.subject)
    scenario, _ = script.build(parameters_of(options.settings))
    problem = _problem(scenario)
    t = _time(options, problem)
    stage = [one for one in problem.payloads.stages if one.begin <= t][-1]
    motion = problem.prescribed_motion(np.array([t]))
    q = motion.q
    free = [
        n for n, is_free in zip(stage.robot.row_names, problem.path.free, strict=True) if is_free
    ]
    rest = None
    where = f"at {t:.4g} s of its drives" if t else "at its start"
    if options.equilibrium:
        rest = _rest(problem, stage.robot, free, q[:, 0], t)
        q, where = rest.q[:, None], f"at rest from {where.removeprefix('at ')}"
    elements = _turned_elements(problem, t, stage.robot)
    drives = elastic_drives(
        stage.robot, *_drives(stage.robot, options, free), tuple(free), elements
    )
    load = None
    if options.load is not None:
        load = _load_on(drives, q, options, scenario.gravity, t)
    speeds = None
    if options.moving:
        speeds, where = (
            _speeds(drives, motion, scenario.gravity, problem.solved_joints),
            f"{where}, moving",
        )
    modes = modes_at(drives, q, scenario.gravity, t, speeds)
    return Subject(modes, where, load, None, rest, frozenset(problem.payloads.links.values()))


def _problem(scenario: Scenario) -> Problem:
    """Return the prepared scenario, also if its method could not solve it."""
    from sim.simulation.build_problem import with_counted_angles
    from sim.simulation.payload_schedule import payload_schedule
    from sim.simulation.problem import Problem

    if scenario.controller is not None:
        raise ScenarioError(
            "This scenario has a sampled controller; natural frequencies require springs and "
            "elastic drives: use sim modes with the robot instead"
        )
    payloads = payload_schedule(scenario.robot, scenario.payload_events, scenario.times)
    path = scenario.motion.on(payloads.robot, scenario.duration)
    for element in scenario.elements:
        element.require_usable(payloads.robot, scenario.duration)
    return with_counted_angles(Problem(scenario, path, payloads, scenario.times))


def _turned_elements(problem: Problem, t: float, robot: Robot) -> ElementSum:
    """Return the force elements, with counted angles as they are at t [s]."""
    from sim.dynamics import ElementSum
    from sim.dynamics.counted_angle import counted_in, turned_to

    elements = ElementSum(robot, (*problem.elements.elements, *_motors(problem)))
    if not (counted := counted_in(elements.elements)):
        return elements
    angles = problem.prescribed_states(np.array([t]))[:, 0]
    return turned_to(elements, dict(zip((one.angle for one in counted), angles, strict=True)))


def _time(options: argparse.Namespace, problem: Problem) -> float:
    """Return the time; of free joints only the start is known without a run."""
    t = 0.0 if options.at is None else float(options.at)
    if not 0.0 <= t <= problem.scenario.duration:
        raise ScenarioError(f"--at must be from 0 to {problem.scenario.duration:g} s; got {t:g} s")
    if t and problem.path.free.any():
        raise ScenarioError(
            f"Joint {problem.first_free!r} is free; its position at {t:g} s requires a simulation: "
            "use sim run first, then sim modes RUN"
        )
    return t


def _speeds(
    drives: ElasticDrives, motion: Trajectory, gravity: Gravity, free: Mask
) -> tuple[Array, Array]:
    """Return qd and qdd, (n, 1) each; free joints accelerate by the forces on them."""
    from sim.dynamics import LagrangianDynamics
    from sim.dynamics.constrained_dynamics import with_closed_loops
    from sim.dynamics.linearise import torque_given

    stages = with_closed_loops(
        [(0.0, LagrangianDynamics(drives.robot, gravity))], motion.q[:, 0], ~free
    )
    z = drives.elements.start[:, None]
    torque = torque_given(drives.elements, motion.t, motion.q, motion.qd, z)
    qdd, _ = stages[0][1].hybrid_dynamics(motion.q, motion.qd, motion.qdd, ~free, torque, ())
    return motion.qd, qdd


def _rest(problem: Problem, robot: Robot, free: Sequence[str], q: Array, t: float) -> Equilibrium:
    """Return the static equilibrium of the free joints, the driven ones as at t."""
    from sim.dynamics import equilibrium

    scenario = problem.scenario
    forces = (*scenario.forces, *scenario.contacts, *_motors(problem))
    return equilibrium(robot, free, q, gravity=problem.gravity, forces=forces, t=t)


def _motors(problem: Problem) -> tuple[MotorTorques, ...]:
    """Return the motors with a given torque: none, or one element of all of them."""
    from sim.dynamics.motor_torques import MotorTorques

    actuation = problem.path.actuation
    return () if actuation is None else (MotorTorques.of(actuation),)


def _of_run(options: argparse.Namespace) -> Subject:
    from sim.cli.runs import explain_mismatch
    from sim.recording.files.run_folders import find_run
    from sim.recording.recorded_robot import robot_of
    from sim.recording.recording import Recording

    folder = find_run(options.subject)
    with explain_mismatch(folder):
        recording = Recording.read(folder)
        robot = robot_of(recording)
        loops = _loops(robot, options, recording)
        drives = _drives(replace(robot, loops=loops), options, recording.run.settings.free)
        modes = run_modes(recording, *drives, loops)
        lowest = np.where(np.isnan(modes.frequency[0]), -1.0, modes.frequency[0])
        at = float(modes.t[np.argmin(lowest)]) if options.at is None else options.at
        there = modes.at(at, moving=options.moving)
        load = None
        if options.load is not None:
            load = _load_on(there.drives, there.q[:, None], options, modes.gravity, there.t)
    word = "at the lowest first frequency, " if options.at is None else ""
    links = frozenset(event.link for event in recording.run.events)
    moving = ", moving" if options.moving else ""
    return Subject(there, f"{word}at {at:.4g} s{moving}", load, modes, None, links)


def _load_on(
    drives: ElasticDrives, q: Array, options: argparse.Namespace, gravity: Gravity, t: float
) -> LoadStep:
    """Return the response to a load on the tool, at the typed tool frame."""
    robot = with_options(drives.robot, options, tool=options.tool)
    elements = structs.replace(drives.elements, robot=robot)
    return load_step_on(replace(drives, elements=elements), q, options.load, gravity, t=t)


def _loops(robot: Robot, options: argparse.Namespace, recording: Recording) -> tuple[Loop, ...]:
    """Return the loops of a run's robot, from the given file or as stored with the run."""
    from sim.recording.recorded_robot import loops_of
    from sim.robots.guarded_file import read_toml
    from sim.robots.loops_file import read_loops

    if options.loops is None:
        return loops_of(recording)
    path = Path(options.loops)
    return read_loops(read_toml(path), robot, str(path))


def _drives(
    robot: Robot, options: argparse.Namespace, free: Sequence[str] = ()
) -> tuple[PerJoint | None, PerJoint | None]:
    idle = without_drive(robot, free)
    return _per_joint(robot, "stiffness", options, idle), _per_joint(
        robot, "damping", options, idle
    )


def _per_joint(robot: Robot, what: str, options: argparse.Namespace, idle: Mask) -> PerJoint | None:
    """Return numbers by joint, from words such as 2e5, elbow_joint=1e5 and wrist*=3e4."""
    words: Sequence[str] = getattr(options, what)
    by_joint: dict[str, float] = {}
    for word in words:
        exact = word.rpartition("=")[0] in robot.row_names
        driven = [name for name, one in zip(robot.row_names, idle, strict=True) if exact or not one]
        names, value = joints_and_number(f"--{what}", word, driven, ScenarioError)
        if not names:
            raise ScenarioError(
                f"--{what} {word}: no driven joint of robot {robot.name!r} matches; joints: "
                f"{', '.join(driven) or 'none'}"
            )
        by_joint |= dict.fromkeys(names, value)
    return by_joint or None
