"""Motors that turn with several joints: virtual work in each table, and agreement of both."""

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
from sim.recording.schema.channels import MOTORS


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
    for analytic in (False, True):
        yield from _by_law(view, motors, analytic=analytic)
    limits = np.array([view.torque_limit(view.row_names[row]) for row in motors.rows])
    shares = np.abs(np.linalg.inv(motors.ratios.T))
    for name, limit in zip(motors.names, shares @ limits, strict=True):
        allowed = AllowedError.of(gear=limit)
        yield view.judge_agreement("motor torque", f"motor_tau.{name}", allowed)


def _by_law(view: RunView, motors: CoupledMotors, *, analytic: bool) -> Iterator[Judgement]:
    table, of = view.table(analytic=analytic), " of model" if analytic else ""

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
