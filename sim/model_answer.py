"""What the analytic model says of a problem: Lagrange's equation, Newton-Euler beside it."""

from __future__ import annotations

import numpy as np

from sim.answer import Answer, Energies, Works, works_of
from sim.dynamics import lagrange
from sim.dynamics.hybrid import integrate
from sim.dynamics.response import LagrangianResponse
from sim.kinematics.forward import frame_motion
from sim.motion.path import Trajectory
from sim.problem import Problem
from sim.robots.model import Robot
from sim.spatial import Array, quaternion_xyzw


def model_answer(problem: Problem) -> Answer:
    """The model at the prescribed motion, or at the motion that it solves free joints for.

    Raises
    ------
    ScenarioError
        If the free joints cannot be integrated.
    """
    return _solved(problem) if problem.is_solved else _prescribed(problem)


def _prescribed(problem: Problem) -> Answer:
    """The model at the prescribed motion of all joints."""
    S, q_0 = problem.robot.coupling
    motion = problem.prescribed(problem.t)
    q, qd = motion.q, motion.qd
    spent = problem.friction(motion)
    friction = S.T @ spent
    tau = _moving_torque(problem, motion) + friction - problem.help(motion.t, q, qd)
    if problem.passive.any():
        # a torque on the tree that is worth `tau`; joints that mimic another by a gear share it
        tau = problem.by_drives(S @ q + q_0[:, None], np.linalg.pinv(S).T @ tau)
    works = works_of(problem, motion, tau, friction, blurred=False)
    return _answer(problem, motion, tau, friction, spent, works)


def _solved(problem: Problem) -> Answer:
    """The model at the motion that loads and torques give the free joints."""
    stages = [
        (stage.begin, LagrangianResponse(stage.robot, problem.gravity))
        for stage in problem.carriage.stages
    ]
    found = integrate(stages, problem.broken_path, problem.t, problem.loads)
    motion = Trajectory(problem.t, found.q, found.qd, found.qdd)
    works = Works(found.motor_work, found.friction_loss, found.external_work)
    return _answer(problem, motion, found.tau, found.friction, None, works)


def _answer(
    problem: Problem,
    motion: Trajectory,
    tau: Array,
    friction: Array,
    spent: Array | None,
    works: Works,
) -> Answer:
    robot = problem.robot
    S, q_0 = robot.coupling
    reaction, rods = problem.reaction(motion, spent)
    return Answer(
        motion=motion,
        q_tree=S @ motion.q + q_0[:, None],
        qd_tree=S @ motion.qd,
        qdd_tree=S @ motion.qdd,
        tau=tau,
        tau_error=np.zeros_like(tau),
        friction=friction,
        reaction=reaction,
        rods=rods,
        works=works,
        energies=_energies(problem, motion),
        tool=_tool(robot, motion.q, motion.qd),
    )


def _moving_torque(problem: Problem, motion: Trajectory) -> Array:
    """Torque M qdd + C qd + g of what is carried at each time, (n, N)."""

    def kernel(robot: Robot, part: slice) -> tuple[Array]:
        q, qd, qdd = (x[:, part] for x in (motion.q, motion.qd, motion.qdd))
        return (lagrange.terms(robot, q, qd, problem.gravity).torque(qd, qdd),)

    return problem.carriage.over(motion.t, kernel)[0]


def _energies(problem: Problem, motion: Trajectory) -> Energies:
    terms = lagrange.terms(problem.robot, motion.q, motion.qd, problem.gravity)
    return Energies(terms.links, terms.ke, terms.pe)


def _tool(robot: Robot, q: Array, qd: Array) -> Array | None:
    if robot.tool is None:
        return None
    tool = frame_motion(robot, robot.tool, q, qd)
    return np.concatenate([tool.p, quaternion_xyzw(tool.R), tool.v, tool.w])
