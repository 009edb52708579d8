"""Loops closed by passive joints, for a teach page, and poses that satisfy them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
import numpy as np

from sim.curves.language import SIGNALS, function_names
from sim.errors import ModelError, ScenarioError
from sim.functions.operations import OPERATORS
from sim.functions.syntax import Call, walk
from sim.kinematics.closure import close_motion
from sim.kinematics.inverse.sliders import slider_ends
from sim.kinematics.inverse.travel import TAU, inside_limits, turns
from sim.kinematics.loop_equations import (
    LoopFrames,
    joint_equations,
    loop_error,
    loop_frames,
    passive_joints,
    position_equations,
)
from sim.kinematics.loop_rows import AlongRows, FunctionRow, LengthRow, SquareRows
from sim.maths.arrays import Array
from sim.maths.rotations import pose
from sim.robots.loop import Loop
from sim.robots.robot import Robot
from sim.showing.one_line import count_text

CLOSED = 1e-9  # [m, rad]; tolerance of loops closed by mimic joints
SAMPLES = 5  # positions between the joints' ends at which closure is tested
TRIES = 30  # starting points of the search for a closed pose, always the same ones
SAME = 3  # of these, starts with the driven joints as requested
ROUGH = 50  # evaluations of a search that also moves the driven joints
SINGULAR = 1e-6  # relative to the largest singular value: passive joints are undetermined


class Turning(msgspec.Struct, frozen=True):
    """An angle with full turns, ``of · q + at_zero`` [rad]; `axis` is 0, 1 or 2."""

    axis: int
    of: list[float]
    at_zero: float


class TeachLoop(msgspec.Struct, frozen=True, kw_only=True):
    """A loop: frames (3, 4) in two links, and its equations as in `sim.kinematics.loop_rows`."""

    link_a: str
    link_b: str
    T_a: list[list[float]]
    T_b: list[list[float]]
    along: list[list[float]]
    square: list[tuple[list[float], list[float]]]
    length: float | None
    function: str | None
    turns: list[Turning]


def loop_facts(robot: Robot) -> list[TeachLoop]:
    """Return the loops that the page solves; none without passive joints.

    Raises
    ------
    ModelError
        If a loop is a function that the page does not support, or a loop without passive joints
        opens as the joints move.
    """
    if not robot.loops:
        return []
    if not passive_joints(robot).any():
        _require_followed(robot)
        return []
    both = zip(robot.loops, loop_frames(robot), strict=True)
    return [_facts_of(robot, loop, frames) for loop, frames in both]


def _facts_of(robot: Robot, loop: Loop, frames: LoopFrames) -> TeachLoop:
    along, square, length = list[list[float]](), list[tuple[list[float], list[float]]](), None
    function = None
    for rows in frames.rows:
        match rows:
            case AlongRows():
                along = rows.D.tolist()
            case SquareRows():
                square = list(zip(rows.u.tolist(), rows.w.tolist(), strict=True))
            case LengthRow():
                length = rows.length
            case FunctionRow():
                function = loop.function
                _require_known(robot, loop, rows)
    S, q_0 = robot.coupling
    return TeachLoop(
        link_a=loop.link_a,
        link_b=loop.link_b,
        T_a=pose(loop.frame_a, loop.point_a)[:3].tolist(),
        T_b=pose(loop.frame_b, loop.point_b)[:3].tolist(),
        along=along,
        square=square,
        length=length,
        function=function,
        turns=[
            Turning(axis, (signs @ S).tolist(), float(at_zero + signs @ q_0))
            for axis, at_zero, signs in frames.hinges
        ],
    )


def _require_known(robot: Robot, loop: Loop, rows: FunctionRow) -> None:
    """Check that the page's language has all functions that a loop calls.

    Raises
    ------
    ModelError
        If one is missing; the message names the loop and the functions.
    """
    known = {*function_names(), *OPERATORS} - set(SIGNALS)
    calls = (node.name for node in walk(rows.expression.tree) if isinstance(node, Call))
    if unknown := sorted(set(calls) - known):
        raise ModelError(
            f"Loop {loop.name!r} of robot {robot.name!r} is the function {loop.function!r}, of "
            f"which the teach page does not know {', '.join(unknown)}; drive its joints in a "
            "scenario instead, which closes loops"
        )


def _require_followed(robot: Robot) -> None:
    """Check that mimic joints keep all loops closed at any position of the sliders.

    Raises
    ------
    ModelError
        If they do not: no other joint could close them.
    """
    low, high = slider_ends(robot)
    # Different shares for each joint: equal ones could close a loop by symmetry.
    shares = np.modf(np.outer(np.arange(1, low.size + 1) * 0.618034, np.arange(1, SAMPLES + 1)))[0]
    q = low[:, None] + shares * (high - low)[:, None]
    apart = loop_error(robot, robot.q_tree(q)).max(axis=1)
    if open_loops := [
        loop.name for loop, most in zip(robot.loops, apart, strict=True) if not most <= CLOSED
    ]:
        raise ModelError(
            f"Robot {robot.name!r} has {count_text(len(open_loops), 'loop')} "
            f"({', '.join(map(repr, open_loops))}) that its joints open as they move, and none "
            "that closes them: list in the loop's passive the joints that follow from it"
        )


def close_poses(robot: Robot, poses: Mapping[str, Array]) -> dict[str, Array]:
    """Close the loops at the named poses; those where that is impossible are left out."""
    closed = {}
    for name, q in poses.items():
        try:
            closed[name] = close_pose(robot, q)
        except ScenarioError:
            continue
    return closed


def close_pose(robot: Robot, q: Array) -> Array:
    """Return `q` (n,) with passive joints that close the loops, searched from their values.

    Raises
    ------
    ScenarioError
        If they cannot be closed; the message names the loop and the gap.
    """
    still = np.zeros((q.size, 1))
    return close_motion(robot, np.zeros(1), q[:, None], still, still)[0][:, 0]


def find_closed_pose(robot: Robot, q: Array) -> Array:
    """Return a pose with closed loops: `q` closed, or with other passive joints, or any other.

    Raises
    ------
    ScenarioError
        If none is found; the message names the loop that is open at `q`, and the gap.
    """
    failure: ScenarioError | None = None
    for start in _starts(robot, q):
        try:
            closed = close_pose(robot, start)
        except ScenarioError as error:
            failure = failure or error
            continue
        if not _is_singular(robot, closed):
            return _unwind(robot, closed)
    if failure is None:
        raise ScenarioError(f"The loops of robot {robot.name!r} have a dead point wherever looked")
    raise failure


def _starts(robot: Robot, q: Array) -> Iterator[Array]:
    """Yield `q`, then `q` with random passive joints, then nearly closed poses near random ones."""
    yield q
    rng, passive, (low, high) = np.random.default_rng(0), passive_joints(robot), slider_ends(robot)
    within_turn = np.maximum(low, -np.pi) < np.minimum(high, np.pi)
    for k in range(TRIES):
        anywhere = rng.uniform(
            np.where(within_turn, np.maximum(low, -np.pi), low),
            np.where(within_turn, np.minimum(high, np.pi), high),
        )
        yield np.where(passive, anywhere, q) if k < SAME else _close_roughly(robot, anywhere)


def _close_roughly(robot: Robot, q: Array) -> Array:
    """Return joints near `q` within the sliders' ends that nearly close the loops."""
    from scipy.optimize import least_squares

    def gap(x: Array) -> Array:
        return position_equations(robot, x[:, None])[0][:, 0]

    def gradient(x: Array) -> Array:
        return position_equations(robot, x[:, None])[1][:, :, 0]

    if not np.isfinite(gap(q)).all():  # a function is not defined there
        return q
    low, high = slider_ends(robot)
    ends = low, np.maximum(high, low + CLOSED)  # the bounds must differ
    return np.asarray(least_squares(gap, q, gradient, bounds=ends, max_nfev=ROUGH).x)


def _unwind(robot: Robot, q: Array) -> Array:
    """Return `q` with passive joints within half a turn, if within ends and still closed."""
    less = q - np.where(passive_joints(robot) & turns(robot), TAU * np.rint(q / TAU), 0.0)
    stays = inside_limits(robot, less) and loop_error(robot, robot.q_tree(less[:, None])) <= CLOSED
    return less if np.all(stays) else q


def _is_singular(robot: Robot, q: Array) -> bool:
    _, J = joint_equations(robot, q[:, None])
    sizes = np.linalg.svd(J[:, passive_joints(robot), 0], compute_uv=False)
    return bool(sizes[-1] <= SINGULAR * sizes[0])
