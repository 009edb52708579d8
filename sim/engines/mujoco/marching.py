"""Stepping loop of MuJoCo: compute motor torques, step, verify the velocities."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import mujoco
import numpy as np

from sim.engines.contract import March
from sim.engines.mujoco.forward_inverse import FROM_VELOCITIES, forward_inverse, pushes
from sim.engines.mujoco.mujoco_model import MujocoModel
from sim.engines.samples import require_sound
from sim.errors import EngineError
from sim.maths.arrays import Array
from sim.robots.robot import Robot

# What `Marching.march` returns of a step, in this order: qfrc_applied are the torques of motors.
_STATE = mujoco.mjtState
MARCHED = int(_STATE.mjSTATE_QPOS | _STATE.mjSTATE_QVEL | _STATE.mjSTATE_QFRC_APPLIED)

CHUNK = 256  # steps between two checks, to detect divergence early

# For a motor with a commanded velocity: rounding of torques that MuJoCo converts back to
# accelerations, relative to the largest velocity and the change in the step [1].
REACHED = 1e-6


def march_through(
    plant: MujocoModel,
    march: March,
    carry: Callable[[Mapping[str, bool]], None],
    count: Callable[[int], None],
) -> Array:
    """Step once for each command with ``mj_step``; see `Marching.march`.

    MuJoCo has no motor that prescribes a velocity. Its torque in a step is computed in advance: the
    acceleration of a driven joint is (command - velocity)/h, MuJoCo's mass matrix and bias forces
    give the accelerations of the loose joints, and ``mj_inverse`` the torques. These are applied by
    ``qfrc_applied`` while MuJoCo steps with its semi-implicit Euler method, and the reached
    velocity is compared with the command.

    `carry` and `count` are those of the engine.
    """
    data, model, order = plant.marching, plant.model, plant.dofs
    model.opt.timestep = march.h
    if march.start is not None:
        mujoco.mj_resetData(model, data)
        data.qpos[order], data.qvel[order] = march.start.T
    rows = np.empty((march.t.size, 3, len(order)))  # per step, as in `Marching.march`
    step = _step_all(plant, march, rows) or _step_some(plant, march, rows)
    for k in range(march.t.size):
        if k in march.carried:
            carry(march.carried[k])
        step(k)
        if (k + 1) % CHUNK == 0 or k + 1 == march.t.size:
            block = slice(k - k % CHUNK, k + 1)
            count(k % CHUNK + 1)
            read, places = rows[block].transpose(2, 1, 0), march.places[:, block]
            require_sound(plant.robot, march.t[block], read, places, march.driven)
            _require_reached(plant.robot, march, read[:, 1], block)
    return np.ascontiguousarray(rows.transpose(2, 1, 0))


def _step_all(plant: MujocoModel, march: March, rows: Array) -> Callable[[int], None] | None:
    """Return a function that takes a step with all joints driven and reads it into its row.

    None if a joint is loose, torques or wrenches act, or MuJoCo orders the joints differently.
    """
    model, data, order = plant.model, plant.marching, plant.dofs
    is_own_order = model.nq == model.nv == order.size and np.array_equal(order, range(order.size))
    if not (is_own_order and march.driven.all()) or march.torques or march.wrenches:
        return None
    # A step is 2 µs in MuJoCo: outputs by position and an array for h take half of NumPy's time.
    commands, h, states = march.commands.T.copy(), np.array(march.h), rows.reshape(len(rows), -1)
    qd, qdd, effort, applied = data.qvel, data.qacc, data.qfrc_inverse, data.qfrc_applied
    begin, end, inverse, read = (
        mujoco.mj_step1,
        mujoco.mj_step2,
        mujoco.mj_inverseSkip,
        mujoco.mj_getState,
    )

    def step(k: int) -> None:
        begin(model, data)
        np.subtract(commands[k], qd, qdd)
        np.divide(qdd, h, qdd)
        inverse(model, data, FROM_VELOCITIES, 1)
        applied[:] = effort
        end(model, data)
        read(model, data, states[k], MARCHED)

    return step


def _step_some(plant: MujocoModel, march: March, rows: Array) -> Callable[[int], None]:
    """Return such a function for any march."""
    model, data, order = plant.model, plant.marching, plant.dofs
    drive = _drive_some(plant, march, rows)

    def step(k: int) -> None:
        mujoco.mj_step1(model, data)
        drive(k)
        mujoco.mj_step2(model, data)
        rows[k, 0], rows[k, 1] = data.qpos[order], data.qvel[order]

    return step


def _drive_some(plant: MujocoModel, march: March, rows: Array) -> Callable[[int], None]:
    """Return a function that writes the motor torques of a step to MuJoCo's state and its row."""
    data, order, driven = plant.marching, plant.dofs, march.driven
    places = march.places if march.places_of_wrenches is None else march.places_of_wrenches
    push = pushes(plant, places, march.wrenches)

    def drive(k: int) -> None:
        before, given = data.qvel[order], np.zeros(len(order))
        if march.torques is not None:
            given[:] = march.torques(k, data.qpos[order].tolist(), before.tolist())
        pushed = None if push is None else push(k, data)[order]
        qdd = np.where(driven, (march.commands[:, k] - before) / march.h, 0.0)
        applied, motor = given, np.zeros(len(order))
        if driven.any():
            _, effort = forward_inverse(plant, data, qdd, given, driven, pushed, is_new=False)
            motor = np.where(driven, effort, 0.0)
            applied = np.where(driven, effort, given)
        data.qfrc_applied[order] = applied if pushed is None else applied + pushed
        rows[k, 2] = motor

    return drive


def _require_reached(robot: Robot, march: March, velocity: Array, block: slice) -> None:
    """Check that MuJoCo's steps have reached the commands.

    Raises
    ------
    EngineError
        Names the joint and the time.
    """
    commands = march.commands[:, block]
    off = np.where(march.driven[:, None], np.abs(velocity - commands), 0.0)
    allowed = REACHED * (1.0 + np.abs(commands).max(axis=1, keepdims=True))
    if not (off > allowed).any():
        return
    i, k = np.unravel_index(int(np.argmax(off / allowed)), off.shape)
    row = robot.tree_coordinates[int(i)]
    unit = row.units.velocity
    raise EngineError(
        f"MuJoCo's step of robot {robot.name!r} ends at {velocity[i, k]:.9g} {unit} in joint "
        f"{row.name!r} at t = {march.t[block][k]:.6g} s instead of {commands[i, k]:.9g} {unit}; "
        "give its link inertia, or use method 'ideal'"
    )
