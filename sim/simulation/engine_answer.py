"""Solution of a problem by the engine, for each method."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from sim.dynamics.drive_trains import rotor_energies, rotor_names
from sim.dynamics.friction import friction_torque
from sim.dynamics.solved_motion import Efforts, EnergySamples, MotionSamples, Works
from sim.dynamics.wrench import AppliedWrench, pin_wrenches
from sim.engines.contract import Engine, Marching, Reacting
from sim.engines.loads import PrescribedLoads
from sim.engines.opening import open_engine
from sim.engines.samples import Samples
from sim.engines.stepped import solve_stepped
from sim.kinematics.trajectory import Trajectory
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.maths.pieces import by_pieces, pieces
from sim.recording.schema.methods import ADAPTIVE, IDEAL, STEPPED
from sim.simulation.answer import (
    Answer,
    exact_works,
    prescribed_drives,
    solved_drives,
    taken_by_trains,
    work_from_differences,
)
from sim.simulation.problem import Problem


def engine_answer(
    problem: Problem, progress: Callable[[int, int], None] | None
) -> Iterator[Answer]:
    """Simulate, then evaluate the engine's energies and tool, for successive pieces of the samples.

    Raises
    ------
    EngineError
        If the engine fails; names joint and time.
    """
    t = problem.t
    # the full step, the half step and the survey; or the samples, the nodes and the survey
    nodes = problem.nodes.t.size if problem.method == IDEAL else 0
    total = t.size * (4 if problem.method.is_discretised else 2) + nodes
    count = None if progress is None else (lambda done: progress(done, total))
    links = tuple(mass.link for mass in tree_of(problem.robot).masses)
    payloads = tuple(problem.payloads.links.values())
    with open_engine(
        problem.scenario.engine, problem.robot, problem.gravity, count, keep_separate=payloads
    ) as engine:
        samples = SOLVERS[problem.method.name](engine, problem)
        at = _at_samples(engine, problem, samples)
        engine.set_payloads(dict.fromkeys(payloads, True))
        for part in pieces(t.size):
            here = samples.during(part)
            surveyed = engine.energies(here.q, here.qd, links)
            yield _answer(engine, problem, here, at(part), surveyed)
            del here, surveyed  # before the next are computed


def _answer(
    engine: Engine,
    problem: Problem,
    samples: Samples,
    motion: MotionSamples,
    surveyed: EnergySamples,
) -> Answer:
    """The engine's answer at the samples of a piece."""
    z = motion.element_states
    friction, tau = motion.friction_tree, motion.tau
    reaction, force = engine_reaction(engine, problem, samples, motion, friction, z, tau)
    return Answer(
        **vars(motion),
        on_tree=samples,
        tau_error=np.abs(problem.drive_torque(samples.q, samples.tau_error)),
        reaction=reaction,
        loop_force=force,
        energies=_with_rotors(problem, motion, surveyed),
    )


def _at_samples(
    engine: Marching, problem: Problem, samples: Samples
) -> Callable[[slice], MotionSamples]:
    """The engine's motion at the samples of a piece, with what its drives give."""
    t, S = problem.t, problem.robot.coupling[0]

    def motion(part: slice) -> Trajectory:
        return _independent_motion(problem, samples.during(part))

    def torque(part: slice) -> Array:
        here = samples.during(part)
        return engine_drive_torque(engine, problem, here)

    tau = by_pieces(t.size, torque)
    if samples.solved is not None:
        return solved_drives(problem, samples.solved, tau).during
    rubbing = by_pieces(t.size, lambda part: _friction_of_drives(problem, motion(part)))
    friction = S.T @ rubbing
    friction_tree = rubbing if problem.robot.loops else None
    del rubbing

    train = np.empty((0, t.size))
    if problem.robot.has_drives:
        train = by_pieces(t.size, lambda part: _in_trains(problem, motion(part), tau[:, part]))

    def powers(part: slice) -> Array:
        here, rows = motion(part), (each[:, part] for each in (tau, friction, train))
        return Efforts(*rows).powers(problem.robot, here, problem.load_torque(here))

    works = _works(engine, problem, by_pieces(t.size, powers))
    efforts = Efforts(tau, friction, train)
    drives = prescribed_drives(problem, motion, efforts, friction_tree, works)
    return lambda part: drives.during(part).on(motion(part))


def _independent_motion(problem: Problem, on_tree: Trajectory) -> Trajectory:
    """The motion of the independent joints, of that of all tree joints."""
    robot = problem.robot
    rows = [robot.tree_row_names.index(name) for name in robot.row_names]
    return Trajectory(on_tree.t, on_tree.q[rows], on_tree.qd[rows], on_tree.qdd[rows])


def _friction_of_drives(problem: Problem, motion: Trajectory) -> Array:
    """Return the friction at each tree joint; for a held one at its prescribed speed."""
    prescribed = problem.prescribed_motion(motion.t)
    qd = _held_speed(problem, motion, prescribed)
    return problem.friction_torque(Trajectory(motion.t, prescribed.q, qd, prescribed.qdd))


def _in_trains(problem: Problem, motion: Trajectory, tau: Array) -> Array:
    """Return drive train losses at the engine's speeds, (n, N), with the prescribed sense if held.

    The recorded torque of a motor belongs to its recorded speed.
    """
    speed = _held_speed(problem, motion, problem.prescribed_motion(motion.t))
    return taken_by_trains(problem, motion, tau, speed)


def _held_speed(problem: Problem, motion: Trajectory, prescribed: Trajectory) -> Array:
    """Return prescribed speeds of held joints, exact at rest, and actual speeds of the others."""
    return np.where(~problem.path.free[:, None], prescribed.qd, motion.qd)


def _with_rotors(problem: Problem, motion: Trajectory, surveyed: EnergySamples) -> EnergySamples:
    """The engine's energies of the links, and those of rotors at its speeds."""
    robot = problem.robot
    if not robot.has_drives:
        return surveyed
    spin = rotor_energies(robot, motion.qd)
    ke, pe = (np.concatenate(rows) for rows in ((surveyed.ke, spin), (surveyed.pe, 0.0 * spin)))
    return replace(surveyed, ke=ke, pe=pe, links=(*surveyed.links, *rotor_names(robot)))


def _works(engine: Marching, problem: Problem, powers: Array) -> Works:
    """Works from the powers of a motion that was not solved for."""
    if problem.method.is_discretised:
        return work_from_differences(problem, powers)
    at_nodes = _at_nodes(engine, problem) if problem.nodes.t.size else None
    return exact_works(problem, powers, at_nodes)


def _at_nodes(engine: Marching, problem: Problem) -> Array:
    """The powers at the nodes of the works, by the engine's answer there."""
    inside = _impose(engine, problem, problem.nodes.t)
    motion = _independent_motion(problem, inside)
    friction = problem.robot.coupling[0].T @ _friction_of_drives(problem, motion)
    tau = engine_drive_torque(engine, problem, inside)
    efforts = Efforts(tau, friction, _in_trains(problem, motion, tau))
    return efforts.powers(problem.robot, motion, problem.load_torque(motion))


def _by_steps(engine: Marching, problem: Problem) -> Samples:
    if problem.driven.all():
        friction, loads = None, _loads(problem)
    else:  # here free joints have no dry friction, and none depends on a load
        friction, loads = partial(friction_torque, problem.robot), PrescribedLoads()
    return solve_stepped(
        engine, problem.t, partial(_on_tree, problem), problem.driven, friction, loads
    )


def _by_states(engine: Marching, problem: Problem) -> Samples:
    return _impose(engine, problem, problem.t)


def _impose(engine: Marching, problem: Problem, t: Array) -> Samples:
    """The prescribed states at the times `t`, imposed piece by piece."""
    from sim.engines.ideal import solve_ideal

    loads = _loads(problem)

    def rows(part: slice) -> Array:
        one = solve_ideal(engine, t[part], *_on_tree(problem, t[part]), loads)
        return np.stack([one.q, one.qd, one.qdd, one.tau, one.tau_error])

    return Samples(t, *by_pieces(t.size, rows))


def _by_solver(engine: Marching, problem: Problem) -> Samples:
    from sim.engines.adaptive import solve_adaptive

    stages = [(stage.begin, stage.robot, stage.carried) for stage in problem.payloads.stages]
    return solve_adaptive(engine, problem.t, problem.broken_path, problem.loads, stages)


SOLVERS: Mapping[str, Callable[[Marching, Problem], Samples]] = {
    STEPPED.name: _by_steps,
    IDEAL.name: _by_states,
    ADAPTIVE.name: _by_solver,
}


def _on_tree(problem: Problem, t: Array) -> tuple[Array, Array, Array]:
    """Return the prescribed motion of all tree joints."""
    prescribed = problem.prescribed_motion(t)
    q, qd, qdd = problem.robot.on_tree(prescribed.q, prescribed.qd, prescribed.qdd)
    return q, qd, qdd


def _loads(problem: Problem) -> PrescribedLoads:
    """Return the loads on the engine's robot on the prescribed motion, except its drives."""
    robot = problem.robot
    has_friction = any(j.damping or j.friction or j.friction_law for j in robot.tree_joints)

    def wrenches(prescribed: Trajectory) -> tuple[AppliedWrench, ...]:
        if not problem.elements:
            return ()
        return problem.wrenches(_independent_motion(problem, prescribed))

    def torques(prescribed: Trajectory) -> Array | None:
        if not (has_friction or problem.elements):
            return None
        motion = _independent_motion(problem, prescribed)
        acting = problem.elements.joint_efforts(problem.state(motion))
        return acting - problem.friction_torque(motion)

    carried = [(stage.begin, stage.carried) for stage in problem.payloads.stages]
    return PrescribedLoads(wrenches, torques, carried)


def engine_drive_torque(engine: Engine, problem: Problem, samples: Samples) -> Array:
    """Return drive torques (n, N) equivalent to the engine's torques of all tree joints.

    If loops distribute them among the drives, the engine's own constraints are used, if it has any.
    """
    from_engine = isinstance(engine, Reacting) and problem.passive.any()
    equations = engine.loops(samples.q) if from_engine and isinstance(engine, Reacting) else None
    return problem.drive_torque(samples.q, samples.tau, equations)


def engine_reaction(
    engine: Engine,
    problem: Problem,
    samples: Samples,
    motion: Trajectory,
    friction: Array | None,
    z: Array,
    tau: Array | None = None,
) -> tuple[Array, Array]:
    """Return reactions of the tree joints (n_tree, 6, N) and forces of the loops (loops, 6, N).

    The engine has the payloads carried at each time; at the end, all payloads. `friction`, `z` and
    `tau` are those of `Problem.reaction`.
    """
    if not isinstance(engine, Reacting):
        # PyBullet's joint sensor is wrong in motion (it counts the velocity terms twice), so
        # reactions come from Newton-Euler for its motion.
        return problem.reaction(motion, friction, z, tau)
    robot, links = problem.robot, problem.payloads.links.values()
    external = problem.wrenches(motion, z)
    N = motion.t.size
    reaction = np.empty((len(robot.tree_coordinates), 6, N))
    rods = np.empty((len(robot.loops), 6, N))
    for part, stage in problem.payloads.split(motion.t):
        engine.set_payloads(stage.carried)
        here = [wrench.during(part) for wrench in external]
        q, qd, qdd = (x[:, part] for x in (samples.q, samples.qd, samples.qdd))
        reaction[..., part] = engine.reactions(q, qd, qdd, here)
        if not robot.loops:
            continue
        from sim.dynamics.loop_forces import about_axes, share_among_drives

        moving = motion.during(part)
        rubbing = None if friction is None else friction[:, part]
        needed = about_axes(robot, reaction[..., part]) + problem.passive_torque(
            moving, rubbing, z[:, part], None if tau is None else tau[:, part]
        )
        _, rods[..., part] = share_among_drives(
            robot, q, needed, engine.loops(q), problem.free_in_loops
        )
        here += pin_wrenches(robot, moving.q, rods[..., part])
        reaction[..., part] = engine.reactions(q, qd, qdd, here)
    engine.set_payloads(dict.fromkeys(links, True))
    return reaction, rods
