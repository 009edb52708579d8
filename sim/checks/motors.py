"""Motors: torque, speed, power and losses in drive trains, and virtual work of coupled motors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.checks.allowed_error import AllowedError
from sim.checks.judgement import Judgement
from sim.checks.limits import CANCELLED, FORMULATIONS
from sim.checks.robot_by_description import robot_by_description
from sim.checks.run_tables import column
from sim.checks.run_view import RunView
from sim.dynamics.coupled_motors import CoupledMotors, coupled_motors_of
from sim.dynamics.drive_trains import DriveTrains, drive_trains_of
from sim.maths.arrays import Array, Mask
from sim.recording.files.table_files import Table
from sim.recording.schema.channels import MOTORS
from sim.robots.payload import motor_of
from sim.robots.robot import Robot


def motors(view: RunView) -> Iterator[Judgement]:
    """Check each table against the law of its drive trains, and both against each other.

    By the law, torque, speed and acceleration of the joint give N times the motor torque, the motor
    speed and the loss in between, which is never negative. In motion both sides are the same sum,
    and the limit is rounding; at rest gear friction allows a band. The two tables may differ by the
    tolerances of the joint's torque, speed and acceleration.

    Raises
    ------
    SimError
        If the description has an impossible drive train.
    """
    if not any(joint.drive is not None for joint in view.joints):
        return
    robot = robot_by_description(view)
    trains = drive_trains_of(robot)
    if trains is None or (view.row_names != robot.row_names):
        return  # which fails in another check
    for table, of in view.tables:
        yield from _by_law(view, trains, table, of)
        yield from _twists(view, robot, table, of)
    yield from _agreement(view, trains)


def _by_law(view: RunView, trains: DriveTrains, table: Table, of: str) -> Iterator[Judgement]:
    tau, qd, qdd = (view.rows(table, group) for group in ("tau", "qd", "qdd"))
    spinning_up, through = trains.inertia[:, None] * qdd, _through_gears(view, trains, table)
    links, losses = tau + spinning_up, trains.lost_torque(through, qd)
    # a slow motor has its viscous friction, whether or not the gear is held
    viscous, (least, most) = trains.viscous[:, None] * qd, trains.band(through, np.zeros_like(tau))
    least = least + tau - through + np.minimum(viscous, 0.0)
    most = most + tau - through + np.maximum(viscous, 0.0)
    # at very low speeds the direction of motion is rounding, and friction may hold the gear
    slow = np.array([view.velocity_limit(name) for name in view.row_names])
    for row, name in enumerate(view.row_names):
        if not trains.has_one[row]:
            continue
        ratio = float(trains.ratio[row])
        motor = motor_of(name)
        torque, speed = column(table, f"motor_tau.{motor}"), column(table, f"motor_qd.{motor}")
        passed = ratio * torque - spinning_up[row]
        held = np.maximum(np.maximum(least[row] - passed, passed - most[row]), 0.0)
        moving = np.abs(passed - tau[row] - losses[row])
        # differences over a corner move a joint at rest, and may turn the direction of a slow one
        is_slow = np.abs(qd[row]) <= slow[row]
        turned = np.sign(qd[row]) != np.sign(view.analytic(f"qd.{name}"))
        turned &= view.corner | is_slow
        rests = turned | is_slow
        error = np.where(rests, np.minimum(held, moving), moving) / abs(ratio)
        largest = float(np.max(np.abs([passed, tau[row], links[row]]), initial=0.0)) / abs(ratio)
        limit = FORMULATIONS * largest + CANCELLED * view.terms(name) / abs(ratio)
        yield view.judge_errors(f"motor equations{of}", f"motor_tau.{motor}", error, limit)
        error = np.abs(speed - ratio * qd[row])
        limit = CANCELLED * float(np.max(np.abs(speed), initial=0.0))
        yield view.judge_errors(f"motor equations{of}", f"motor_qd.{motor}", error, limit)
        power = column(table, f"motor_power.{motor}")
        limit = FORMULATIONS * float(np.max(np.abs(torque * speed), initial=0.0)) + CANCELLED
        yield view.judge_errors(
            f"motor equations{of}", f"motor_power.{motor}", np.abs(power - torque * speed), limit
        )
        # input minus acceleration of the rotor and output
        loss = column(table, f"gear_loss.{motor}")
        missed = np.abs(power - links[row] * qd[row] - loss)
        gained = np.where(turned, 0.0 * loss, np.maximum(-loss, 0.0) + 0.0 * loss)
        yield view.judge_errors(
            f"gear loss{of}", f"gear_loss.{motor}", np.maximum(missed, gained), limit
        )


def _through_gears(
    view: RunView, trains: DriveTrains, table: Table, at: slice | Mask = slice(None)
) -> Array:
    """Return the torque through the mesh of each gear at some samples, (n, K) [N·m or N]."""
    tau = view.rows(table, "tau", at)
    groups = sorted({group for joint in view.joints for group in joint.forces})
    loads = np.sum([view.rows(table, group, at) for group in groups], axis=0) + 0.0 * tau
    return trains.passes(tau, loads)


def _twists(view: RunView, robot: Robot, table: Table, of: str) -> Iterator[Judgement]:
    """Check the twist of each elastic gear, theta / N - q, by the table's own positions."""
    for row, (motor, ratio) in robot.motor_rows.items():
        joint, turned = view.row_names[row], f"q.{view.row_names[motor]}"
        at_joint, q = column(table, turned) / ratio, column(table, f"q.{joint}")
        error = np.abs(column(table, f"twist.{joint}") - (at_joint - q))
        limit = CANCELLED * float(np.max(np.abs([at_joint, q]))) + CANCELLED
        yield view.judge_errors(f"twist by its law{of}", f"twist.{joint}", error, limit)


def _agreement(view: RunView, trains: DriveTrains) -> Iterator[Judgement]:
    """Compare motor torques of engine and model; a gear amplifies joint errors by at most 1/eta."""
    at, expected = view.corner, _motors_at_corners(view, trains)
    for row, name in enumerate(view.row_names):
        if not trains.has_one[row]:
            continue
        limit = AllowedError.of(
            abs(float(trains.ratio[row])),
            gear=view.torque_limit(name) / float(trains.efficiency[:, row].min()),
            rotor=trains.inertia[row] * view.acceleration_limit(name),
            rotor_friction=trains.viscous[row] * view.velocity_limit(name),
        )
        channel = f"motor_tau.{motor_of(name)}"
        follows = np.max([view.following(channel, one[row], at) for one in expected], axis=0)
        yield view.judge_agreement("motor torque", channel, limit, follows, reason="corner")


def _motors_at_corners(view: RunView, trains: DriveTrains) -> Array:
    """Return motor torques by the law of the gears at the K corner samples, (2, n, K) [N·m].

    Differences over a corner mix both sides, and a gear may turn or rest on one of them. Torque and
    acceleration of the joint are checked against a band there; the law is applied to their recorded
    values, in the direction of motion of the model and in that of the table.
    """
    table, at = view.table(analytic=False), view.corner
    tau, qd, qdd = (view.rows(table, group, at) for group in ("tau", "qd", "qdd"))
    through, links = _through_gears(view, trains, table, at), tau + trains.inertia[:, None] * qdd
    senses = np.sign([qd, *view.analytic_rows("qd", at=at)])
    losses = [trains.lost_torque(through, qd, sense) for sense in senses]
    return np.array([trains.at_motors(links + loss) for loss in losses])


def coupled_motors(view: RunView) -> Iterator[Judgement]:
    """Check torque, speed, power and loss of each motor by those of its joints, up to rounding.

    Motor and joint torques do equal work in any virtual displacement. The two tables may differ by
    the tolerance of the joint torques.

    Raises
    ------
    SimError
        If the description has an impossible robot.
    """
    if all(joint.mimic is None for joint in view.run.robot.joints):
        return
    robot = robot_by_description(view)
    motors = coupled_motors_of(robot)
    if motors is None or view.row_names != robot.row_names:
        return  # the latter fails by itself
    for table, of in view.tables:
        yield from _by_virtual_work(view, motors, table, of)
    limits = np.array([view.torque_limit(view.row_names[row]) for row in motors.rows])
    shares = np.abs(np.linalg.inv(motors.ratios.T))
    for name, limit in zip(motors.names, shares @ limits, strict=True):
        allowed = AllowedError.of(gear=limit)
        yield view.judge_agreement("motor torque", f"motor_tau.{name}", allowed)


def _by_virtual_work(
    view: RunView, motors: CoupledMotors, table: Table, of: str
) -> Iterator[Judgement]:
    tau, qd = view.rows(table, "tau"), view.rows(table, "qd")
    torques, speeds = motors.at_shafts(tau), motors.speeds(qd)
    losses = motors.losses(speeds)
    # terms that cancel in the sums over joints
    shares = np.abs(np.linalg.inv(motors.ratios.T))
    heavy = (shares @ np.abs(tau[motors.rows])).max(axis=1)
    fast = (np.abs(motors.ratios) @ np.abs(qd[motors.rows])).max(axis=1)
    for k, name in enumerate(motors.names):
        torque, speed, power, loss = (column(table, f"{group}.{name}") for group in MOTORS)
        limits = FORMULATIONS * np.array([heavy[k], fast[k], heavy[k] * fast[k]]) + CANCELLED
        errors = torque - torques[k], speed - speeds[k], power - torque * speed
        for group, error, limit in zip(("tau", "qd", "power"), errors, limits, strict=True):
            channel = f"motor_{group}.{name}"
            yield view.judge_errors(f"motor equations{of}", channel, np.abs(error), float(limit))
        missed = np.maximum(np.abs(loss - losses[k]), np.maximum(-loss, 0.0))
        yield view.judge_errors(f"gear loss{of}", f"gear_loss.{name}", missed, float(limits[2]))
