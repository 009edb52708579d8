"""Effect of MuJoCo's integrator within a step on the robot's own law."""

from __future__ import annotations

from copy import copy

import mujoco
import numpy as np

from sim.maths.arrays import Array
from sim.watching.mujoco_loop import MujocoLoop

CONSTRAINT = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
ACTUATION = int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)


def within_step(loop: MujocoLoop, *, has_other_damping: bool, has_servos: bool = False) -> Array:
    """Return the effect of the integrator on the robot's own law, (n, N) [N·m or N].

    The model's torque is that of the state before a step. MuJoCo applies damping and servos (and
    with ``implicit`` also Coriolis forces) with the velocity after it, and RK4 takes the mean of
    four stages. Forces that the robot does not have are constant over the step.

    Parameters
    ----------
    loop : MujocoLoop
    has_other_damping : bool
        Keep MuJoCo's own damping even where the robot has another, which is a separate cause.
    has_servos : bool
        Keep MuJoCo's actuators (default: their forces are constant over the step).
    """
    r, v = loop.recorded, loop.places.v
    alone = _alone(loop, has_other_damping)
    named = dict(loop.replay.forces)
    del named["integrator"]
    forces = np.sum(list(named.values()), axis=0)
    constant = forces - named["actuator"] if has_servos else forces
    if not has_servos:
        alone.opt.disableflags |= ACTUATION
    before, after = mujoco.MjData(alone), mujoco.MjData(alone)
    torque, moved = np.zeros_like(loop.evidence.q), np.empty(alone.nv)
    for k in range(loop.evidence.count):
        for data in (before, after):
            data.qpos[:], data.qvel[:], data.act[:] = r.qpos[k], r.qvel[k], r.act[k]
            data.ctrl[:] = r.ctrl[k]
        alone.opt.timestep = r.lengths[k]
        mujoco.mj_forward(alone, before)
        after.qfrc_applied[v] = constant[:, k] - before.qfrc_passive[v]
        mujoco.mj_step(alone, after)
        mujoco.mj_mulM(alone, before, moved, (after.qvel - r.qvel[k]) / r.lengths[k])
        torque[:, k] = forces[:, k] - moved[v] - before.qfrc_bias[v]
    return np.where(loop.replay.is_other, 0.0, torque)


def _alone(loop: MujocoLoop, has_other_damping: bool) -> mujoco.MjModel:
    """The model with bodies, rotors, and those dampers and springs that the robot has too."""
    alone, robot, v = copy(loop.model), loop.evidence.robot, loop.places.v
    alone.opt.disableflags |= CONSTRAINT
    if not loop.shares("fluid"):
        alone.opt.density = alone.opt.viscosity = 0.0
    if not (loop.shares("gravcomp") or alone.jnt_actgravcomp.any()):  # which is of the actuators
        alone.body_gravcomp[:] = 0.0
    if not loop.shares("spring"):
        has_spring = np.array([bool(joint.forces) for joint in robot.tree_row_joints])
        alone.jnt_stiffness[loop.places.joint[~has_spring]] = 0.0
        alone.tendon_stiffness[:] = 0.0
    if not (has_other_damping or loop.shares("damper")):
        is_other = alone.dof_damping[v] != loop.evidence.held.damping
        is_other |= alone.dof_dampingpoly[v].any(axis=1)
        alone.dof_damping[v[is_other]] = alone.dof_dampingpoly[v[is_other]] = 0.0
        alone.tendon_damping[:] = alone.actuator_damping[:] = 0.0
    return alone
