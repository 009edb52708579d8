"""Method `solve_adaptive`: error-controlled integration of the engine's accelerations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.prescription import Prescription
from sim.dynamics.sampled import solve_motion
from sim.engines.contract import Engine
from sim.engines.coupled import EngineDynamics
from sim.engines.samples import Samples
from sim.maths.arrays import Array
from sim.robots.robot import Robot

# Start time [s], robot with its current payloads, and payload links that are carried.
Stage = tuple[float, Robot, Mapping[str, bool]]


def solve_adaptive(
    engine: Engine,
    t: Array,
    prescription: Prescription,
    loads: ElementSum | None = None,
    stages: Sequence[Stage] = (),
) -> Samples:
    """Compute the motion of driven and free joints, with dry friction that sticks and slips.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Ascending sample times [s].
    prescription : Prescription
        Prescribed motions and torques, and the start of the free joints.
    loads : ElementSum, optional
        Force elements other than friction.
    stages : sequence of (float, Robot, mapping of str to bool)
        Payloads of the robot from given times on (default: the engine's robot carries all).

    Returns
    -------
    Samples
        The effort of a joint and all its mimics is given at the leading joint. The error of `tau`
        is not estimated: the solver keeps that of the motion below `sim.dynamics.step_choice.RTOL`
        per step, and the effort is exact for the motion.

    Raises
    ------
    ScenarioError
        If the solution fails; names joint and time.
    """
    robot = engine.robot
    carrying = stages or [(float(t[0]), robot, {})]
    dynamics = [
        (begin, EngineDynamics(engine, loaded, carried)) for begin, loaded, carried in carrying
    ]
    solved = solve_motion(dynamics, prescription, t, loads, engine.count)
    tau = np.zeros((len(robot.tree_coordinates), t.size))
    tau[[robot.tree_row_names.index(name) for name in robot.row_names]] = solved.tau
    q, qd, qdd = robot.on_tree(solved.q, solved.qd, solved.qdd)
    return Samples(t, q, qd, qdd, tau, np.zeros_like(tau), solved)
