"""Channels: columns of the table of a solution, with time along the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics.coupled_motors import coupled_motors_of
from sim.dynamics.friction import regime
from sim.dynamics.solved_motion import Efforts
from sim.dynamics.wrench import pin_wrenches
from sim.kinematics.jacobian import frame_acceleration, least_singular_value
from sim.kinematics.trajectory import Trajectory
from sim.maths.arrays import Array
from sim.maths.rotations import signs_towards
from sim.motion.state_torque import TorqueOfState
from sim.recording.columns import ColumnTable
from sim.recording.schema.channels import LOOP_SINGULAR_VALUE, MOTORS
from sim.robots.loop import Loop
from sim.robots.payload import motor_of
from sim.robots.robot import Robot
from sim.simulation.answer import Answer
from sim.simulation.problem import Problem

if TYPE_CHECKING:
    from sim.dynamics.request_reading import SolvedState

STATE = "state"  # state.0, state.1 … are own states of force elements
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
QUATERNION = ("qx", "qy", "qz", "qw")
TOOL = ("x", "y", "z", *QUATERNION, "vx", "vy", "vz", "wx", "wy", "wz")
TOOL_ACCELERATION = ("ax", "ay", "az", "wdx", "wdy", "wdz")


def tables(problem: Problem, answers: Iterable[Answer]) -> Iterator[ColumnTable]:
    """Yield the tables of solutions that are consecutive in time."""
    last: Array | None = None
    for answer in answers:
        piece = table(problem, answer)
        if f"tool.{QUATERNION[0]}" in piece:
            rotation = {name: piece.values[name] for name in (f"tool.{c}" for c in QUATERNION)}
            # q and -q are the same rotation: choose the sign that continues the previous piece
            first = np.array([row[0] for row in rotation.values()])
            if last is not None and signs_towards(last, first) < 0:
                rotation = {name: -row for name, row in rotation.items()}
                piece = ColumnTable(piece.t, {**piece.values, **rotation})
            last = np.array([row[-1] for row in rotation.values()])
            del rotation
        del answer  # before the next is computed
        yield piece
        del piece


def table(problem: Problem, answer: Answer) -> ColumnTable:
    """Return all channels of a solution at its samples."""
    columns = {
        **_joints(problem, answer),
        **_reactions(problem, answer),
        **_energies(problem, answer),
        **_tool(problem, answer),
        **_requests(problem, answer),
    }
    return ColumnTable(answer.t, columns)


def named_columns(*groups: tuple[str, Sequence[str], Array]) -> dict[str, Array]:
    """Return the rows of groups of channels, by group and name of the row."""
    return {
        f"{group}.{name}": row
        for group, names, rows in groups
        for name, row in zip(names, rows, strict=True)
    }


def _joints(problem: Problem, answer: Answer) -> dict[str, Array]:
    robot = problem.robot
    tree, independent = robot.tree_row_names, robot.row_names
    groups = [
        ("q", tree, answer.on_tree.q),
        ("qd", tree, answer.on_tree.qd),
        ("qdd", tree, answer.on_tree.qdd),
        ("tau", independent, answer.tau),
        ("power", independent, answer.tau * answer.qd),
        ("friction", independent, answer.friction),
        ("tau_error", independent, answer.tau_error),
    ]
    columns = named_columns(*groups) | motor_columns(robot, answer, answer)
    columns |= _control(robot, answer)
    columns |= problem.elements.channels(problem.state(answer, answer.element_states))
    columns |= {f"{STATE}.{k}": row for k, row in enumerate(answer.element_states)}
    if isinstance(motors := problem.path.actuation, TorqueOfState):
        columns |= named_columns(("dif", motors.state_names, answer.actuator_states))
    if any(joint.friction_law for joint in robot.tree_joints):
        rows = regime(robot, answer.on_tree.qd)
        each = zip(tree, robot.tree_row_joints, rows, strict=True)
        columns |= {f"regime.{name}": row for name, joint, row in each if joint.friction_law}
    return columns


def motor_columns(robot: Robot, motion: Trajectory, efforts: Efforts) -> dict[str, Array]:
    """Torque, speed and power at the motors of drive trains and wrists, and what is lost there."""
    columns: dict[str, Array] = {}
    if (coupled := coupled_motors_of(robot)) is not None:
        turn, speed = coupled.at_shafts(efforts.tau), coupled.speeds(motion.qd)
        rows = turn, speed, turn * speed, coupled.losses(speed)
        columns = named_columns(*zip(MOTORS, repeat(coupled.names), rows, strict=False))
    if not robot.has_drives:
        return columns
    torque = efforts.at_motors(robot, motion.qdd)
    for row, drive in robot.drives.items():
        name, qd = motor_of(robot.row_names[row]), motion.qd[row]
        columns[f"motor_tau.{name}"] = torque[row] / drive.ratio
        columns[f"motor_qd.{name}"] = drive.ratio * qd
        columns[f"motor_power.{name}"] = torque[row] * qd
        columns[f"gear_loss.{name}"] = efforts.train[row] * qd
    for row, (motor, ratio) in robot.motor_rows.items():
        columns[f"twist.{robot.row_names[row]}"] = motion.q[motor] / ratio - motion.q[row]
    return columns


def _control(robot: Robot, answer: Answer) -> dict[str, Array]:
    """Return reference, sensed values, commands and saturation of a sampled controller."""
    if (log := answer.control) is None:
        return {}
    groups = {
        "reference": log.q_ref,
        "reference_qd": log.qd_ref,
        "tracking": answer.q - log.q_ref,
        "sensed": log.q,
        "sensed_qd": log.qd,
        "command": log.command,
        "saturated": log.saturated.astype(float),
    }
    return named_columns(*((group, robot.row_names, rows) for group, rows in groups.items()))


def reaction_columns(robot: Robot, reaction: Array) -> dict[str, Array]:
    """Return channels ``reaction.<joint>.fx … .mz`` of the reactions (n_tree, 6, N).

    The three rows of a ball share the same channels.
    """
    reaction = reaction[list(robot.first_tree_rows)]
    names = (f"reaction.{joint.name}" for joint in robot.tree_joints)
    return named_columns(*zip(names, repeat(WRENCH), reaction, strict=False))


def loop_word(loop: Loop) -> str:
    """Return the name of a loop in its channels ``loop.<name>.fx …``."""
    return loop.name.replace(" ", "_")


def loop_columns(robot: Robot, q: Array, force: Array) -> dict[str, Array]:
    """Return channels ``loop.<name>.fx … .mz`` of loop forces (loops, 6, N), and rod tensions."""
    columns: dict[str, Array] = {}
    for loop, rows in zip(robot.loops, force, strict=True):
        of_loop = dict(zip(WRENCH, rows, strict=True))
        if "tension" in loop.components:
            from sim.dynamics.loop_forces import rod_tension

            of_loop["tension"] = rod_tension(robot, loop, q, rows[:3])
        columns |= {f"loop.{loop_word(loop)}.{c}": of_loop[c] for c in loop.components}
    return columns


def _reactions(problem: Problem, answer: Answer) -> dict[str, Array]:
    robot = problem.robot
    columns = reaction_columns(robot, answer.reaction)
    columns |= loop_columns(robot, answer.q, answer.loop_force)
    if problem.is_closed_by_solver:
        from sim.dynamics.closed_positions import least_singular_values

        columns[LOOP_SINGULAR_VALUE] = least_singular_values(
            robot, answer.q, ~problem.solved_joints, problem.loop_rank
        )
    if not problem.scenario.measures:
        return columns
    from sim.dynamics.reactions import measure

    external = problem.wrenches(answer, answer.element_states)
    for request in problem.scenario.measures:
        parts = []
        for part, stage in problem.payloads.split(answer.t):
            moving = answer.during(part)
            q, qd, qdd = moving.q, moving.qd, moving.qdd
            here = [wrench.during(part) for wrench in external]
            here += pin_wrenches(stage.robot, q, answer.loop_force[..., part])
            parts.append(measure(stage.robot, request, q, qd, qdd, problem.gravity, here))
        rows = np.concatenate(parts, axis=1)
        columns |= named_columns((f"measure.{request.name}", WRENCH, rows))
    return columns


def _requests(problem: Problem, answer: Answer) -> dict[str, Array]:
    if not problem.scenario.requests:
        return {}
    at = solved_state(problem, answer)
    return {c: x for one in problem.scenario.requests for c, x in one.channels(at).items()}


def solved_state(problem: Problem, answer: Answer) -> SolvedState:
    """Return the state of a solution for requests."""
    from sim.dynamics.request_reading import SolvedState

    robot = problem.robot
    rows = answer.reaction[list(robot.first_tree_rows)]
    reaction = {joint.name: row for joint, row in zip(robot.tree_joints, rows, strict=True)}
    kinematics = problem.state(answer, answer.element_states).kinematics
    tau = dict(zip(robot.row_names, answer.tau, strict=True))
    in_loops = {loop.name: rows for loop, rows in zip(robot.loops, answer.loop_force, strict=True)}
    return SolvedState(answer.t, kinematics, answer.qdd, reaction, tau, in_loops)


def _energies(problem: Problem, answer: Answer) -> dict[str, Array]:
    links, payloads = answer.energies.links, problem.payloads
    masks = np.stack([payloads.is_carried(link, answer.t) for link in links])
    ke, pe = answer.energies.ke * masks, answer.energies.pe * masks
    names, works = problem.robot.row_names, answer.works
    columns = named_columns(("ke", links, ke)) | {"ke": ke.sum(axis=0), "pe": pe.sum(axis=0)}
    columns |= named_columns(("work", names, works.work), ("loss", names, works.loss))
    if problem.elements:
        columns["external"] = works.external
    if works.stored is not None:
        columns["stored"] = works.stored
    return columns


def _tool(problem: Problem, answer: Answer) -> dict[str, Array]:
    columns: dict[str, Array] = {}
    robot = problem.robot
    if answer.energies.tool is not None and robot.tool is not None:
        rows = frame_acceleration(robot, robot.tool, answer.q, answer.qd, answer.qdd)
        parts = ("tool", TOOL, answer.energies.tool), ("tool", TOOL_ACCELERATION, rows)
        columns |= named_columns(*parts)
        columns["least_singular_value"] = least_singular_value(robot, answer.q)
    if problem.scenario.path is not None:
        target = problem.scenario.path.positions(answer.t)
        if target is not None:
            columns |= named_columns(("target", "xyz", target))
    return columns
