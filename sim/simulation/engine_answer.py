"""What the engine says of a problem, by one of the methods of solving."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from sim.dynamics.friction import friction_torque
from sim.dynamics.joint_forces import has_joint_forces, joint_force
from sim.engines.adaptive import adaptive
from sim.engines.contract import Marching
from sim.engines.ideal import ideal
from sim.engines.loads import PrescribedLoads
from sim.engines.opening import open_engine
from sim.engines.samples import Samples
from sim.engines.stepped import stepped
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.motion.joint_path import Trajectory
from sim.recording.methods import ADAPTIVE, IDEAL, STEPPED
from sim.simulation.answer import (
    Answer,
    Efforts,
    Energies,
    Works,
    blurred_works,
    exact_works,
)
from sim.simulation.problem import Problem


def engine_answer(problem: Problem, progress: Callable[[int, int], None] | None) -> Answer:
    """Simulate, then ask the engine for the energies and the tool at every sample.

    Raises
    ------
    EngineError
        If the engine fails; names joint and time.
    """
    robot, t = problem.robot, problem.t
    S, _ = robot.coupling
    # the full step, the half step and the survey; or the samples, the nodes and the survey
    nodes = problem.nodes.t.size if problem.method == IDEAL else 0
    total = t.size * (4 if problem.method.is_discretised else 2) + nodes
    count = None if progress is None else (lambda done: progress(done, total))
    links = tuple(mass.link for mass in tree_of(robot).masses)
    payloads = tuple(problem.payloads.links.values())
    with open_engine(
        problem.scenario.engine, robot, problem.gravity, count, apart=payloads
    ) as engine:
        samples = SOLVERS[problem.method.name](engine, problem)
        engine.carry(dict.fromkeys(payloads, True))
        surveyed = engine.energies(samples.q, samples.qd, links)
    motion = _motion(problem, t, samples)
    if samples.hybrid is not None:
        friction, friction_tree = samples.hybrid.friction, problem.friction_in_loops(motion)
    else:
        friction_tree = _friction_of_drives(problem, motion)
        friction = S.T @ friction_tree
    # The engine's own joint sensor is wrong in motion (it counts the velocity terms twice), so
    # reactions come from Newton-Euler on the engine's motion.
    reaction, rods = problem.reaction(motion, friction_tree)
    tau = problem.drive_torque(samples.q, samples.tau)
    return Answer(
        motion=motion,
        q_tree=samples.q,
        qd_tree=samples.qd,
        qdd_tree=samples.qdd,
        tau=tau,
        tau_error=np.abs(problem.drive_torque(samples.q, samples.tau_error)),
        friction=friction,
        reaction=reaction,
        rods=rods,
        works=_works(problem, samples, Efforts(motion, tau, friction)),
        energies=Energies(surveyed.links, surveyed.ke, surveyed.pe),
        tool=surveyed.tool,
    )


def _motion(problem: Problem, t: Array, samples: Samples) -> Trajectory:
    """The motion of the independent joints at the times `t` of the samples."""
    robot = problem.robot
    own = [robot.tree_joints.index(joint) for joint in robot.independent_joints]
    return Trajectory(t, samples.q[own], samples.qd[own], samples.qdd[own])


def _friction_of_drives(problem: Problem, motion: Trajectory) -> Array:
    """What friction takes at each tree joint; of a held one at its prescribed speed, as there."""
    wanted, held = problem.prescribed(motion.t), ~problem.path.free[:, None]
    qd = np.where(held, wanted.qd, motion.qd)
    return problem.friction_torque(Trajectory(motion.t, wanted.q, qd, wanted.qdd))


def _works(problem: Problem, samples: Samples, efforts: Efforts) -> Works:
    if (solved := samples.hybrid) is not None:
        return Works(solved.motor_work, solved.friction_loss, solved.external_work)
    if problem.method.is_discretised:
        return blurred_works(problem, efforts)
    inside = samples.inside
    return exact_works(problem, efforts, None if inside is None else _at_nodes(problem, inside))


def _at_nodes(problem: Problem, inside: Samples) -> Efforts:
    """What the engine says at the nodes of the works."""
    motion = _motion(problem, problem.nodes.t, inside)
    friction = problem.robot.coupling[0].T @ _friction_of_drives(problem, motion)
    return Efforts(motion, problem.drive_torque(inside.q, inside.tau), friction)


def _by_steps(engine: Marching, problem: Problem) -> Samples:
    if problem.driven.all():
        friction, loads = None, _loads(problem)
    else:  # free joints have no dry friction here, and no friction follows a load
        friction, loads = partial(friction_torque, problem.robot), PrescribedLoads()
    return stepped(engine, problem.t, partial(_on_tree, problem), problem.driven, friction, loads)


def _by_states(engine: Marching, problem: Problem) -> Samples:
    loads, nodes = _loads(problem), problem.nodes.t
    samples = ideal(engine, problem.t, *_on_tree(problem, problem.t), loads)
    if not nodes.size:
        return samples
    return replace(samples, inside=ideal(engine, nodes, *_on_tree(problem, nodes), loads))


def _by_solver(engine: Marching, problem: Problem) -> Samples:
    stages = [
        (stage.begin, stage.robot, carried)
        for stage, (_, carried) in zip(problem.payloads.stages, _carried(problem), strict=True)
    ]
    return adaptive(engine, problem.t, problem.broken_path, problem.loads, stages)


SOLVERS: Mapping[str, Callable[[Marching, Problem], Samples]] = {
    STEPPED.name: _by_steps,
    IDEAL.name: _by_states,
    ADAPTIVE.name: _by_solver,
}


def _on_tree(problem: Problem, t: Array) -> tuple[Array, Array, Array]:
    """The prescribed motion of all tree joints."""
    wanted = problem.prescribed(t)
    q, qd, qdd = problem.robot.on_tree(wanted.q, wanted.qd, wanted.qdd)
    return q, qd, qdd


def _loads(problem: Problem) -> PrescribedLoads:
    """What acts on the engine's robot at the prescribed motion besides its drives."""
    robot = problem.robot
    rubs = any(j.damping or j.friction or j.friction_law for j in robot.tree_joints)

    def torques(t: Array) -> Array | None:
        if not (rubs or has_joint_forces(robot)):
            return None
        wanted = problem.prescribed(t)
        acting = joint_force(robot, *robot.on_tree(wanted.q, wanted.qd))
        return acting - problem.friction_torque(wanted)

    return PrescribedLoads(problem.prescribed_wrenches, torques, _carried(problem))


def _carried(problem: Problem) -> list[tuple[float, dict[str, bool]]]:
    """From when on which of the payload links are carried."""
    payloads = problem.payloads
    return [
        (stage.begin, {link: link in stage.carried for link in payloads.links.values()})
        for stage in payloads.stages
    ]
