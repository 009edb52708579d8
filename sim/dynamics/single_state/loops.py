"""Closed loops at one state: their equations, corrections of the model, and closed positions.

`model_on_loops` and `approach_loops` return None if there is no machine code, or if a value is not
finite; NumPy then computes the result or raises the error.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.dynamics.gravity import Gravity
from sim.dynamics.single_state.body_constants import body_constants, joint_constants
from sim.dynamics.single_state.switch import is_on
from sim.dynamics.wrench import Acting
from sim.functions.expression import StateExpression
from sim.functions.program import OPCODES, compile_expression
from sim.functions.state_functions import ANGLES
from sim.kinematics.forward import frame_of
from sim.kinematics.loop_equations import LoopFrames, joint_equations, loop_bias, loop_frames
from sim.kinematics.loop_rows import AlongRows, FunctionRow, LengthRow, Rows, SquareRows
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from sim.dynamics.kernels.loop_dynamics import LoopModes
    from sim.dynamics.kernels.records import Bodies, Joints, Loops
    from sim.dynamics.single_state.program_table import ProgramTable

Constants = tuple["Bodies", "Joints", "Loops"]

NO_GRAVITY = (0.0, 0.0, 0.0)


def equations_at(robot: Robot, q: Array, qd: Array | None = None) -> tuple[Array, Array, Array]:
    """Return e, J and γ of ``ë = J qdd + γ`` of all loops at one state.

    Parameters
    ----------
    q, qd : ndarray, shape (n,)
        States of the independent joints [rad or m], [rad/s or m/s]; γ is zero without `qd`.

    Returns
    -------
    e : ndarray, shape (rows,)
        [m or rad]
    J : ndarray, shape (rows, n)
    bias : ndarray, shape (rows,)
        [m/s² or rad/s²]
    """
    if not is_on():
        return _by_numpy(robot, q, qd)
    from sim.dynamics.kernels.loop_equations import close_loops

    bodies, loops = loop_constants(robot)
    given_q, given_qd = q, qd
    qd = np.zeros_like(q) if qd is None else qd
    S, q_0 = robot.coupling
    if not robot.is_plain:
        q, qd = S @ q + q_0.ravel(), S @ qd
    rows = len(loops.kinds)
    e, bias, J = np.empty(rows), np.empty(rows), np.empty((rows, q.size))
    close_loops(bodies, loops, np.ascontiguousarray(q), np.ascontiguousarray(qd), e, J, bias)
    if not (np.isfinite(e).all() and np.isfinite(bias).all()):  # NumPy raises the error
        return _by_numpy(robot, given_q, given_qd)
    return e, J if robot.is_plain else J @ S, bias


def _by_numpy(robot: Robot, q: Array, qd: Array | None) -> tuple[Array, Array, Array]:
    e, J = (x[..., 0] for x in joint_equations(robot, q[:, None]))
    if qd is None:
        return e, J, np.zeros_like(e)
    return e, J, loop_bias(robot, *robot.on_tree(q[:, None], qd[:, None]))[:, 0]


@lru_cache(maxsize=64)
def loop_constants(robot: Robot) -> tuple[Bodies, Loops]:
    """Return bodies and loops as records for kernels."""
    from sim.dynamics.kernels.records import Loops
    from sim.dynamics.single_state.program_table import ProgramTable

    ends, frames, kinds, vectors = [], [], list[tuple[int, int]](), []
    table = ProgramTable()
    for number, loop in enumerate(loop_frames(robot)):
        ends.append((loop.body_a, loop.body_b))
        frames.append((loop.T_a, loop.T_b))
        for rows in loop.rows:
            kind, form = _form_of(rows, loop, table)
            kinds += [(number, kind)] * len(form)
            vectors.append(form)
    loops = Loops(
        ends=np.array(ends).reshape(-1, 2),
        frames=np.array(frames).reshape(-1, 2, 4, 4),
        kinds=np.array(kinds).reshape(-1, 2),
        vectors=np.concatenate(vectors),
        code=np.array(table.code).reshape(-1, 5),
        constants=np.array(table.numbers),
        hinges=np.array(table.hinges).reshape(-1, 1 + len(robot.tree_coordinates)),
    )
    return body_constants(robot, (0.0, 0.0, 0.0)), loops  # loops do not need gravity


def _form_of(rows: Rows, loop: LoopFrames, table: ProgramTable) -> tuple[int, Array]:
    """Return kind and vectors (k, 6) of equations of one form; link the program of a function."""
    from sim.dynamics.kernels.loop_equations import ALONG, FUNCTION, LENGTH, SQUARE, TWIST

    vectors = np.zeros((rows.count, 6))
    match rows:
        case AlongRows():
            vectors[:, :3] = rows.D
            return ALONG, vectors
        case SquareRows():
            vectors[:, :3], vectors[:, 3:] = rows.u, rows.w
            return SQUARE, vectors
        case LengthRow():
            vectors[0, 0] = rows.length
            return LENGTH, vectors
        case FunctionRow():
            vectors[0, :3] = _link_function(rows.expression, loop, table)
            return FUNCTION, vectors
    return TWIST, vectors


def _link_function(
    expression: StateExpression, loop: LoopFrames, table: ProgramTable
) -> tuple[int, int, int]:
    """Link a loop function; return begin and end of the program, and its angles without hinges."""
    hinges = {
        ANGLES[axis]: table.add_hinges(at_zero, signs) for axis, at_zero, signs in loop.hinges
    }
    program = compile_expression(expression.tree)
    ends = table.link(program, lambda one: (OPCODES[one.name], hinges.get(one.name, -1)))
    names = {one.name for one in expression.readings}
    return *ends, len(names.intersection(ANGLES) - hinges.keys())


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
