"""What drives, joints and loops carry, by the engine where it computes that itself."""

from __future__ import annotations

import numpy as np

from sim.dynamics.loop_forces import about_axes, share_among_drives
from sim.dynamics.wrench import pin_wrenches
from sim.engines.contract import Engine, Reacting
from sim.engines.samples import Samples
from sim.maths.arrays import Array
from sim.motion.joint_path import Trajectory
from sim.simulation.problem import Problem


def engine_drive_torque(engine: Engine, problem: Problem, samples: Samples) -> Array:
    """Torques of the drives (n, N) that are worth the engine's of all tree joints.

    Where loops share them among the drives it is by the engine's own constraints, if it has any.
    """
    own = isinstance(engine, Reacting) and problem.passive.any()
    equations = engine.loops(samples.q) if own and isinstance(engine, Reacting) else None
    return problem.drive_torque(samples.q, samples.tau, equations)


def engine_reaction(
    engine: Engine,
    problem: Problem,
    samples: Samples,
    motion: Trajectory,
    friction: Array | None,
    z: Array,
) -> tuple[Array, Array]:
    """Reactions of the tree joints (n_tree, 6, N) and forces of the loops (loops, 3, N).

    The engine carries what the robot carries at the time; at the end, all payloads.
    `friction` and `z` are those of `Problem.reaction`.
    """
    if not isinstance(engine, Reacting):
        # PyBullet's own joint sensor is wrong in motion (it counts the velocity terms twice), so
        # its reactions come from Newton-Euler on its motion.
        return problem.reaction(motion, friction, z)
    robot, links = problem.robot, problem.payloads.links.values()
    external = problem.wrenches(motion, z)
    N = motion.t.size
    reaction = np.empty((len(robot.tree_joints), 6, N))
    rods = np.empty((len(robot.loops), 3, N))
    for part, stage in problem.payloads.split(motion.t):
        engine.set_payloads({link: link in stage.carried for link in links})
        here = [wrench.during(part) for wrench in external]
        q, qd, qdd = (x[:, part] for x in (samples.q, samples.qd, samples.qdd))
        reaction[..., part] = engine.reactions(q, qd, qdd, here)
        if not robot.loops:
            continue
        moving = Trajectory(*motion.during(part))
        rubbing = None if friction is None else friction[:, part]
        needed = about_axes(robot, reaction[..., part]) + problem.passive_torque(
            moving, rubbing, z[:, part]
        )
        _, rods[..., part] = share_among_drives(robot, q, needed, engine.loops(q))
        here += pin_wrenches(robot, moving.q, rods[..., part])
        reaction[..., part] = engine.reactions(q, qd, qdd, here)
    engine.set_payloads(dict.fromkeys(links, True))
    return reaction, rods
