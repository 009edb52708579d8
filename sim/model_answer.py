"""What the analytic model says of a problem: Lagrange's equation, Newton-Euler beside it."""

from __future__ import annotations

import numpy as np

from sim.answer import Answer, Energies, works_of
from sim.dynamics import lagrange
from sim.dynamics.free_motion import free_motion
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
    robot, path = problem.robot, problem.path
    S, q_0 = robot.coupling
    motion = _motion(problem)
    q, qd, qdd = motion.q, motion.qd, motion.qdd
    spent = problem.friction(motion)
    reaction, rods = problem.reaction(motion, spent)
    friction = S.T @ spent
    tau = _moving_torque(problem, motion) + friction - problem.help(motion.t, q, qd)
    if problem.passive.any():
        # a torque on the tree that is worth `tau`; joints that mimic another by a gear share it
        tau = problem.by_drives(S @ q + q_0[:, None], np.linalg.pinv(S).T @ tau)
    tau[path.free] = 0.0  # nothing drives them; the model solved for their motion instead
    return Answer(
        motion=motion,
        q_tree=S @ q + q_0[:, None],
        qd_tree=S @ qd,
        qdd_tree=S @ qdd,
        tau=tau,
        tau_error=np.zeros_like(tau),
        friction=friction,
        reaction=reaction,
        rods=rods,
        works=works_of(problem, motion, tau, friction),
        energies=_energies(problem, motion),
        tool=_tool(robot, q, qd),
    )


def _motion(problem: Problem) -> Trajectory:
    """The motion of all joints, free ones included."""
    path, t = problem.path, problem.t
    if not path.free.any():
        return problem.prescribed(t)

    def prescribed(time: Array) -> tuple[Array, Array, Array]:
        wanted = problem.prescribed(time)
        return wanted.q, wanted.qd, wanted.qdd

    solved = free_motion(
        problem.robot,
        prescribed,
        path.free,
        path.q0,
        path.qd0,
        t,
        problem.breaks,
        problem.gravity,
    )
    return Trajectory(t, *solved)


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
