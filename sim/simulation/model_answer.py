"""Solution of a problem by the analytic model: Lagrange's equation and Newton-Euler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics import lagrange
from sim.dynamics.solved_motion import Drives
from sim.kinematics.forward import frame_motion
from sim.maths.arrays import Array
from sim.maths.pieces import by_pieces, pieces
from sim.maths.rotations import quaternion_xyzw
from sim.motion.joint_path import JointPath, Trajectory
from sim.robots.robot import Robot
from sim.simulation.answer import (
    Answer,
    Efforts,
    LinkEnergies,
    drives_of,
    exact_works,
    prescribed_drives,
    taken_by_trains,
)
from sim.simulation.problem import Problem

if TYPE_CHECKING:
    from sim.dynamics.solved_motion import HybridMotion


def model_answer(problem: Problem) -> Iterator[Answer]:
    """Evaluate the model on the prescribed motion, or on its own solution for free joints.

    Yields successive pieces of the samples.

    Raises
    ------
    ScenarioError
        If the free joints cannot be integrated.
    """
    t = problem.t
    motion, drives = _solved_answer(problem) if problem.is_solved else _prescribed_answer(problem)
    for part in pieces(t.size):
        yield _answer(problem, motion(part), drives.during(part))


# Returns the motion at the samples of a piece.
Moving = Callable[[slice], Trajectory]


def _prescribed_answer(problem: Problem) -> tuple[Moving, Drives]:
    """Evaluate the model on the prescribed motion of all joints."""
    n = len(problem.robot.coordinates)

    def motion(part: slice) -> Trajectory:
        return problem.prescribed_motion(problem.t[part])

    def rows(part: slice) -> Array:
        here = motion(part)
        efforts, friction_tree, loads = _efforts(problem, here)
        powers = efforts.powers(problem, here, loads)
        parts = efforts.tau, efforts.friction, powers, efforts.train
        return np.concatenate([*parts, friction_tree])

    ends = np.cumsum([n, n, 2 * n + 1, n if problem.robot.has_drives else 0])
    tau, friction, powers, train, friction_tree = np.split(
        by_pieces(problem.t.size, rows), ends.tolist()
    )
    at_nodes = None
    if problem.nodes.t.size:
        between = problem.prescribed_motion(problem.nodes.t)
        inside, _, loads = _efforts(problem, between)
        at_nodes = inside.powers(problem, between, loads)
    efforts, works = Efforts(tau, friction, train), exact_works(problem, powers, at_nodes)
    return motion, prescribed_drives(problem, motion, efforts, friction_tree, works)


def prescribed_torque(problem: Problem) -> tuple[Trajectory, Array]:
    """Return the prescribed motion of all joints at the samples, and the drives' effort, (n, N)."""
    motion = problem.prescribed_motion(problem.t)

    def rows(part: slice) -> Array:
        return _efforts(problem, motion.during(part))[0].tau

    return motion, by_pieces(problem.t.size, rows)


def drives_at(problem: Problem, t: Array) -> tuple[Trajectory, Efforts]:
    """Return motion and drive efforts at any times of the run, shape (M,)."""
    if not problem.is_solved:
        n = len(problem.robot.coordinates)

        def rows(part: slice) -> Array:
            motion = problem.prescribed_motion(t[part])
            there, _, _ = _efforts(problem, motion)
            efforts = there.tau, there.friction, there.train
            return np.concatenate([motion.q, motion.qd, motion.qdd, *efforts])

        ends = [n, 2 * n, 3 * n, 4 * n, 5 * n]
        q, qd, qdd, tau, friction, train = np.split(by_pieces(t.size, rows), ends)
        return Trajectory(t, q, qd, qdd), Efforts(tau, friction, train)
    every = np.union1d(problem.t, t)
    found, at = solved_motion(problem, problem.broken_path, every), np.searchsorted(every, t)
    q, qd, qdd = (values[:, at] for values in (found.q, found.qd, found.qdd))
    tau, friction, train = (values[:, at] for values in (found.tau, found.friction, found.train))
    return Trajectory(t, q, qd, qdd), Efforts(tau, friction, train)


def _efforts(problem: Problem, motion: Trajectory) -> tuple[Efforts, Array, Array]:
    """Return drive efforts on a motion; friction at tree joints (n_tree, N); loads (n, N)."""
    S, _ = problem.robot.coupling
    friction_tree = problem.friction_torque(motion)
    friction = S.T @ friction_tree
    loads = problem.load_torque(motion)
    tau = _moving_torque(problem, motion) + friction - loads
    if problem.passive.any():
        # tree torques equivalent to `tau`; joints that mimic another by a gear share it
        tau = problem.drive_torque(problem.robot.q_tree(motion.q), np.linalg.pinv(S).T @ tau)
    train = taken_by_trains(problem, motion, tau)
    return Efforts(tau, friction, train), friction_tree, loads


def _solved_answer(problem: Problem) -> tuple[Moving, Drives]:
    """Solve for the motion of the free joints under loads and torques, and evaluate the model."""
    solved = solved_motion(problem, problem.broken_path, problem.t)
    whole = Trajectory(problem.t, solved.q, solved.qd, solved.qdd)
    return whole.during, drives_of(problem, whole, solved, solved.tau)


def solved_motion(problem: Problem, path: JointPath, t: Array) -> HybridMotion:
    """Solve for the motion of the free joints from the start of a path, at times t (N,).

    Raises
    ------
    ScenarioError
        If the free joints cannot be integrated.
    """
    from sim.dynamics.hybrid import LagrangianDynamics
    from sim.dynamics.sampled import solve_motion

    stages = [
        (stage.begin, LagrangianDynamics(stage.robot, problem.gravity))
        for stage in problem.payloads.stages
    ]
    return solve_motion(stages, path, t, problem.loads)


def _answer(problem: Problem, motion: Trajectory, drives: Drives) -> Answer:
    """Return the model's results at the samples of a piece."""
    robot = problem.robot
    q_tree, qd_tree, qdd_tree = robot.on_tree(motion.q, motion.qd, motion.qdd)
    friction, z = drives.friction_tree, drives.element_states
    reaction, force = problem.reaction(motion, friction, z, drives.tau)
    return Answer(
        **vars(drives),
        motion=motion,
        q_tree=q_tree,
        qd_tree=qd_tree,
        qdd_tree=qdd_tree,
        tau_error=np.zeros_like(drives.tau),
        reaction=reaction,
        loop_force=force,
        energies=_energies(problem, motion),
        tool=_tool(robot, motion.q, motion.qd),
    )


def _moving_torque(problem: Problem, motion: Trajectory) -> Array:
    """Return M qdd + C qd + g of the links and the payloads carried at each time, (n, N)."""

    def kernel(robot: Robot, part: slice) -> tuple[Array]:
        here = motion.during(part)
        return (lagrange.link_torque(robot, here.q, here.qd, here.qdd, problem.gravity),)

    return problem.payloads.evaluate(motion.t, kernel)[0]


def _energies(problem: Problem, motion: Trajectory) -> LinkEnergies:
    return LinkEnergies(*lagrange.energies(problem.robot, motion.q, motion.qd, problem.gravity))


def _tool(robot: Robot, q: Array, qd: Array) -> Array | None:
    if robot.tool is None:
        return None
    tool = frame_motion(robot, robot.tool, q, qd)
    return np.concatenate([tool.p, quaternion_xyzw(tool.R), tool.v, tool.w])
