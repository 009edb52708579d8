"""Solution of a problem by the analytic model: Lagrange's equation and Newton-Euler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics import lagrange
from sim.dynamics.solved_motion import Efforts, EnergySamples, MotionSamples
from sim.kinematics.forward import frame_motion
from sim.kinematics.trajectory import Trajectory
from sim.maths.arrays import Array
from sim.maths.pieces import by_pieces, pieces
from sim.maths.rotations import quaternion_xyzw
from sim.motion.joint_path import JointPath
from sim.robots.robot import Robot
from sim.simulation.answer import (
    Answer,
    exact_works,
    prescribed_drives,
    solved_drives,
    taken_by_trains,
)
from sim.simulation.problem import Problem

if TYPE_CHECKING:
    from sim.dynamics.hybrid import HybridDynamics


def model_answer(problem: Problem) -> Iterator[Answer]:
    """Evaluate the model on the prescribed motion, or on its own solution for free joints.

    Yields successive pieces of the samples.

    Raises
    ------
    ScenarioError
        If the free joints cannot be integrated.
    """
    at = _solve_model(problem) if problem.is_solved else _prescribe_model(problem)
    for part in pieces(problem.t.size):
        yield _answer(problem, at(part))


# The motion with its drives at the samples of a piece.
Moving = Callable[[slice], MotionSamples]


def _solve_model(problem: Problem) -> Moving:
    """The model at the motion that loads and torques give the free joints."""
    solved = solved_motion(problem, problem.broken_path, problem.t)
    return solved_drives(problem, solved, solved.tau).during


def _prescribe_model(problem: Problem) -> Moving:
    """The model at the prescribed motion of all joints."""
    n = len(problem.robot.coordinates)

    def motion(part: slice) -> Trajectory:
        return problem.prescribed_motion(problem.t[part])

    def rows(part: slice) -> Array:
        here = motion(part)
        efforts, friction_tree, loads = _efforts(problem, here)
        powers = efforts.powers(problem.robot, here, loads)
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
        at_nodes = inside.powers(problem.robot, between, loads)
    efforts, works = Efforts(tau, friction, train), exact_works(problem, powers, at_nodes)
    drives = prescribed_drives(problem, motion, efforts, friction_tree, works)
    return lambda part: drives.during(part).on(motion(part))


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
    there = solved_motion(problem, problem.broken_path, every).during(np.searchsorted(every, t))
    return there, there


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


def solved_motion(problem: Problem, path: JointPath, t: Array) -> MotionSamples:
    """Return the motion under loads and torques from the start of a path, at times t (N,).

    Raises
    ------
    ScenarioError
        If the free joints cannot be integrated.
    """
    from sim.dynamics.sampled import solve_motion

    return solve_motion(stages_of_model(problem), path, t, problem.loads)


def stages_of_model(problem: Problem) -> list[tuple[float, HybridDynamics]]:
    """Return the model's dynamics of each stage of the payloads, with its beginning [s]."""
    from sim.dynamics.hybrid import LagrangianDynamics

    return [
        (stage.begin, LagrangianDynamics(stage.robot, problem.gravity))
        for stage in problem.payloads.stages
    ]


def _answer(problem: Problem, motion: MotionSamples) -> Answer:
    """The model's answer at the samples of a piece."""
    robot, q, qd = problem.robot, motion.q, motion.qd
    friction, z = motion.friction_tree, motion.element_states
    reaction, force = problem.reaction(motion, friction, z, motion.tau)
    links, ke, pe = lagrange.energies(robot, q, qd, problem.gravity)
    return Answer(
        **vars(motion),
        on_tree=Trajectory(motion.t, *robot.on_tree(q, qd, motion.qdd)),
        tau_error=np.zeros_like(motion.tau),
        reaction=reaction,
        loop_force=force,
        energies=EnergySamples(ke, pe, links, _tool(robot, q, qd)),
    )


def _moving_torque(problem: Problem, motion: Trajectory) -> Array:
    """Return M qdd + C qd + g of the links and the payloads carried at each time, (n, N)."""

    def kernel(robot: Robot, part: slice) -> tuple[Array]:
        here = motion.during(part)
        return (lagrange.link_torque(robot, here.q, here.qd, here.qdd, problem.gravity),)

    return problem.payloads.evaluate(motion.t, kernel)[0]


def _tool(robot: Robot, q: Array, qd: Array) -> Array | None:
    if robot.tool is None:
        return None
    tool = frame_motion(robot, robot.tool, q, qd)
    return np.concatenate([tool.p, quaternion_xyzw(tool.R), tool.v, tool.w])
