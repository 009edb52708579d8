"""What the engine says of a problem, by one of the methods of solving."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from sim.answer import Answer, Energies, Works, works_of
from sim.dynamics.contact import stop_torque
from sim.dynamics.friction import friction_torque
from sim.dynamics.wrench import world_point
from sim.engine.adaptive import adaptive
from sim.engine.bullet import Engine
from sim.engine.ideal import ideal
from sim.engine.samples import Samples
from sim.engine.stepped import stepped
from sim.engine.surroundings import Push, Surroundings
from sim.engine.survey import survey
from sim.kinematics.tree import tree_of
from sim.motion.path import Trajectory
from sim.problem import Problem
from sim.spatial import Array


def engine_answer(problem: Problem, progress: Callable[[int, int], None] | None) -> Answer:
    """Simulate, then ask the engine for the energies and the tool at every sample.

    Raises
    ------
    EngineError
        If the engine fails; names joint and time.
    """
    robot, t = problem.robot, problem.t
    S, _ = robot.coupling
    # the full step, the half step and the survey; or the samples and the survey
    total = t.size * (4 if problem.scenario.method == "stepped" else 2)
    told = None if progress is None else (lambda done: progress(done, total))
    links = tuple(mass.link for mass in tree_of(robot).masses)
    with Engine(robot, problem.gravity, told) as engine:
        got = _samples(engine, problem)
        for link in problem.carriage.links.values():
            engine.weigh(link, has_mass=True)
        found = survey(engine, got.q, got.qd, links, problem.gravity)
    own = [robot.tree_joints.index(joint) for joint in robot.independent_joints]
    motion = Trajectory(t, got.q[own], got.qd[own], got.qdd[own])
    if got.hybrid is not None:
        friction, spent = got.hybrid.friction, None
    else:
        spent = _spent(problem, motion)
        friction = S.T @ spent
    # The engine's own joint sensor is wrong in motion (it counts the velocity terms twice), so
    # reactions come from Newton-Euler on the engine's motion.
    reaction, rods = problem.reaction(motion, spent)
    tau = problem.by_drives(got.q, got.tau)
    return Answer(
        motion=motion,
        q_tree=got.q,
        qd_tree=got.qd,
        qdd_tree=got.qdd,
        tau=tau,
        tau_error=np.abs(problem.by_drives(got.q, got.tau_error)),
        friction=friction,
        reaction=reaction,
        rods=rods,
        works=_works(problem, got, motion, tau, friction),
        energies=Energies(found.links, found.ke, found.pe),
        tool=found.tool,
    )


def _spent(problem: Problem, motion: Trajectory) -> Array:
    """What friction takes at each tree joint; of a held one at its prescribed speed, as there."""
    wanted, held = problem.prescribed(motion.t), ~problem.path.free[:, None]
    qd = np.where(held, wanted.qd, motion.qd)
    return problem.friction(Trajectory(motion.t, wanted.q, qd, wanted.qdd))


def _works(
    problem: Problem, got: Samples, motion: Trajectory, tau: Array, friction: Array
) -> Works:
    if got.hybrid is None:
        blurred = problem.scenario.method == "stepped"
        return works_of(problem, motion, tau, friction, blurred=blurred)
    solved = got.hybrid
    return Works(solved.motor_work, solved.friction_loss, solved.external_work)


def _samples(engine: Engine, problem: Problem) -> Samples:
    t, robot = problem.t, problem.robot
    S, q_0 = robot.coupling

    def on_tree(time: Array) -> tuple[Array, Array, Array]:
        wanted = problem.prescribed(time)
        return S @ wanted.q + q_0[:, None], S @ wanted.qd, S @ wanted.qdd

    if problem.scenario.method == "adaptive":
        stages = [
            (stage.begin, stage.robot, carried)
            for stage, (_, carried) in zip(problem.carriage.stages, _carried(problem), strict=True)
        ]
        return adaptive(engine, t, problem.broken_path, problem.loads, stages)
    if problem.scenario.method == "ideal":
        q, qd, qdd = on_tree(t)
        return ideal(engine, t, q, qd, qdd, _surroundings(problem))
    if problem.driven.all():
        return stepped(engine, t, on_tree, problem.driven, None, _surroundings(problem))
    # Here free joints have no dry friction, and no friction follows a load.
    return stepped(engine, t, on_tree, problem.driven, partial(friction_torque, robot))


def _surroundings(problem: Problem) -> Surroundings:
    """What acts on the engine's robot at the prescribed motion besides its drives."""
    robot = problem.robot
    S, q_0 = robot.coupling
    rubs = any(j.damping or j.friction or j.friction_law for j in robot.tree_joints)
    stops = any(joint.stop for joint in robot.tree_joints)

    def pushes(t: Array) -> list[Push]:
        wanted = problem.prescribed(t)
        wrenches = problem.wrenches(t, wanted.q, wanted.qd)
        return [Push(w.link, world_point(robot, wanted.q, w), w.force, w.torque) for w in wrenches]

    def efforts(t: Array) -> Array | None:
        if not (rubs or stops):
            return None
        wanted = problem.prescribed(t)
        stopped = stop_torque(robot, S @ wanted.q + q_0[:, None], S @ wanted.qd)
        return stopped - problem.friction(wanted)

    acting = problem.scenario.forces or problem.scenario.contacts
    return Surroundings(pushes if acting else (lambda t: ()), efforts, _carried(problem))


def _carried(problem: Problem) -> list[tuple[float, dict[str, bool]]]:
    """From when on which of the payload links are carried."""
    carriage = problem.carriage
    return [
        (stage.begin, {link: link in stage.carried for link in carriage.links.values()})
        for stage in carriage.stages
    ]
