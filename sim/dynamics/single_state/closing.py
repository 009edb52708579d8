"""Closed loops at one state in machine code: corrections of the model, and closed positions.

Each function returns None if there is no machine code, or if a value is not finite; NumPy then
computes the result or raises the error.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.dynamics.gravity import Gravity
from sim.dynamics.single_state.body_constants import body_constants, joint_constants
from sim.dynamics.single_state.loops import loop_constants
from sim.dynamics.single_state.switch import is_on
from sim.dynamics.wrench import Acting
from sim.kinematics.forward import frame_of
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from sim.dynamics.kernels.loop_dynamics import LoopModes
    from sim.dynamics.kernels.records import Bodies, Joints, Loops

Constants = tuple["Bodies", "Joints", "Loops"]

NO_GRAVITY = (0.0, 0.0, 0.0)


class OnLoops(Struct, frozen=True, eq=False):
    """The model of one state with closed loops.

    Parameters
    ----------
    qdd, effort, pull : ndarray, shape (n, cases)
        Accelerations, efforts, and the loop forces Jᵀ λ [N·m or N].
    G : ndarray, shape (f, f)
        Factor of M⁻¹ = G Gᵀ of the loose joints.
    J, bias : ndarray, shape (rows, n), (rows,)
        Loop equations ``J qdd + γ = 0``.
    modes : tuple of ndarray
        Modes of A = J G, as in `sim.dynamics.closed_positions.LoopModes`.
    """

    qdd: Array
    effort: Array
    pull: Array
    G: Array
    J: Array
    bias: Array
    modes: LoopModes


def model_on_loops(
    robot: Robot, gravity: Gravity, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array,
    wrenches: Acting, rank: int, noise: float
) -> OnLoops | None:  # fmt: skip
    """Return the model with closed loops.

    `qdd` (n,) is given for held joints, `effort` (n, cases) for the others; arguments and results
    are those of `sim.dynamics.constrained_dynamics`.
    """
    constants = _constants(robot, gravity, held.tobytes()) if is_on() else None
    acting = _rows_of(robot, wrenches) if constants is not None else None
    if constants is None or acting is None:
        return None
    from sim.dynamics.kernels.loop_dynamics import accelerate_on_loops

    cases = effort.shape[1]
    result = np.repeat(np.where(held, qdd, 0.0)[:, None], cases, axis=1), effort.copy("C")
    pull, state = np.empty(effort.shape), (np.ascontiguousarray(q), np.ascontiguousarray(qd))
    is_sound, G, J, bias, modes = accelerate_on_loops(
        *constants, rank, noise, *state, *acting, *result, pull
    )
    return OnLoops(*result, pull, G, J, bias, modes) if is_sound else None


def _rows_of(robot: Robot, wrenches: Acting) -> tuple[NDArray[np.intp], Array] | None:
    """Return bodies (k,) of wrenches, and forces, torques, points (k, 9); None without points."""
    bodies, rows = np.zeros(len(wrenches), dtype=np.intp), np.zeros((len(wrenches), 9))
    for k, wrench in enumerate(wrenches):
        if wrench.place is None:
            return None
        bodies[k] = frame_of(robot, wrench.link)[0]
        rows[k, :3], rows[k, 3:6] = wrench.force[:, 0], wrench.torque[:, 0]
        rows[k, 6:] = wrench.place[:, 0]
    return bodies, rows


def approach_loops(
    robot: Robot, q: Array, held: Mask, rank: int, noise: float, closed: float, most: int
) -> tuple[Array, float, LoopModes, Array, Array] | None:
    """Return q (n,) on the loop equations, the gap before the last correction, modes, G and J.

    The result is that of `sim.dynamics.closed_positions.close_positions`.
    """
    is_sayable = is_on() and (robot.is_plain or not robot.ball_names)
    constants = _constants(robot, NO_GRAVITY, held.tobytes()) if is_sayable else None
    if constants is None:
        return None
    from sim.dynamics.kernels.loop_dynamics import approach_loops

    q = q.copy("C")
    gap, modes, G, J = approach_loops(*constants, rank, noise, closed, most, q)
    return None if np.isnan(gap) else (q, gap, modes, G, J)


@lru_cache(maxsize=64)
def _constants(robot: Robot, gravity: Gravity, held: bytes) -> Constants | None:
    """Return the arguments of the kernels; None if all joints are held or there are no loops."""
    (_, loops), mask = loop_constants(robot), np.frombuffer(held, dtype=bool)
    if mask.all() or not len(loops.kinds):
        return None
    return body_constants(robot, gravity), joint_constants(robot, ~mask, mask.copy()), loops
