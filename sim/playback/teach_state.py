"""State of a robot in one position: pose, D-H rows, singularity, limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError, ScenarioError
from sim.kinematics.dh import DHTable, table_of
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import inverse_kinematics
from sim.kinematics.inverse.recognition import family_of
from sim.kinematics.inverse.travel import joint_limits, turns
from sim.kinematics.jacobian import chain_length, jacobian
from sim.maths.arrays import Array, frozen
from sim.maths.rotations import rpy_from_rotation
from sim.robots.coordinate import Coordinate
from sim.robots.robot import Robot
from sim.shapes.plain import length_of

# Threshold of a singularity: some joint has to turn more than fifty times as fast as the tool, or
# as the tool moves as seen from the base. A wrist of 180 deg/s then gives 3.6 deg/s, or at a length
# of 1.4 m 9 cm/s, which is less than most tasks need.
NEAR_SINGULAR = 0.02

_SAME = 1e-6  # rad and m; tolerance for identifying the branch
_SLACK = 1e-9  # rad and m; a slider at its end is inside the limits
Tone = Literal["plain", "good", "warning", "table"]


@dataclass(frozen=True, eq=False)
class TeachState:
    """One position of a robot.

    Parameters
    ----------
    q : ndarray, shape (n,)
        [rad or m]
    T_0e : ndarray, shape (4, 4)
        Pose of the tool frame in the world [m].
    rpy : ndarray, shape (3,)
        Its roll, pitch and yaw, as in a URDF [rad].
    dh : DHTable or None
        Rows of the card's D-H table plus the joint variables; None without a table.
    sigma : float
        Smallest singular value of the Jacobian in radians of tool motion per radian of joint
        motion; lengths count as the angle they subtend from the far end of the chain, as in the
        channel ``least_singular_value`` of a run.
    lost : ndarray, shape (6,)
        Tool motion (linear, angular; world axes) that is hardest to make, a unit vector.
    outside : tuple of str
        A sentence for each joint outside its limits.
    branch : str or None
        Branch of the inverse kinematics; None for a robot without closed form.
    """

    q: Array
    T_0e: Array
    rpy: Array
    dh: DHTable | None
    sigma: float
    lost: Array
    outside: tuple[str, ...]
    branch: str | None

    @property
    def is_near_singular(self) -> bool:
        """Whether some tool motion needs joint motions more than 50 times as fast."""
        return self.sigma < NEAR_SINGULAR

    @property
    def hardest_motion(self) -> str:
        """Tool motion that is hardest to make, as text."""
        linear, angular = self.lost[:3], self.lost[3:]
        sizes = float(np.linalg.norm(linear)), float(np.linalg.norm(angular))
        word, v = ("move along", linear) if sizes[0] >= sizes[1] else ("turn about", angular)
        v = v / max(sizes)
        v = v * (np.sign(v[np.argmax(np.abs(v))]) or 1.0)  # the sign of a direction is arbitrary
        x, y, z = np.round(v, 2) + 0.0
        return f"{word} ({x:.2f}, {y:.2f}, {z:.2f})"


def teach_state(robot: Robot, q: ArrayLike) -> TeachState:
    """Return pose, D-H rows, singularity, limits and branch of one position.

    Parameters
    ----------
    q : array_like, shape (n,)
        Positions of the independent joints [rad or m].

    Raises
    ------
    ModelError
        If the robot has no tool frame.
    ScenarioError
        If `q` is not one finite number per joint.
    """
    position = np.asarray(q, dtype=np.float64)
    names = robot.row_names
    if position.shape != (len(names),) or not np.isfinite(position).all() or not names:
        raise ScenarioError(
            f"Robot {robot.name!r} needs one finite number for each of its joints "
            f"({', '.join(names) or 'it has none that moves'}); got {position.tolist()}"
        )
    T = frame_pose(robot, position[:, None])[:, :, 0]
    sigma, weakest = _weakest_direction(robot, position)
    return TeachState(
        frozen(position),
        frozen(T),
        frozen(rpy_from_rotation(T[:3, :3])),
        _rows(robot, position),
        sigma,
        frozen(weakest),
        outside_limits(robot, position),
        _branch(robot, T, position),
    )


def reach_of(robot: Robot) -> float:
    """Return the reach of an arm by its card, or the length of its longest chain of offsets [m]."""
    if robot.card is not None and robot.card.reach is not None:
        return robot.card.reach.value
    return length_of(robot) or 1.0


def outside_limits(robot: Robot, q: Array) -> tuple[str, ...]:
    """Return a sentence for each joint outside its limits, in degrees or millimetres."""
    excesses = []
    for row, x, lower, upper in zip(robot.coordinates, q, *joint_limits(robot), strict=True):
        if lower - _SLACK <= x <= upper + _SLACK:
            continue
        factor, unit = factor_and_unit(row)
        low, value, high = (factor * end for end in (lower, x, upper))
        excesses.append(f"{row.name} is at {value:.1f} {unit}, allowed {low:.1f} to {high:.1f}")
    return tuple(excesses)


def factor_and_unit(row: Coordinate) -> tuple[float, str]:
    """Return factor and ASCII name of the display unit of a row's positions."""
    size, unit = row.degrees_or_millimetres
    return 1 / size, unit.replace("°", "deg")


def _weakest_direction(robot: Robot, q: Array) -> tuple[float, Array]:
    """Return the smallest singular value of the scaled Jacobian and its tool motion."""
    J = jacobian(robot, q[:, None])[:, :, 0]
    J = np.concatenate([J[:3] / chain_length(robot), J[3:]])
    U, sigma, _ = np.linalg.svd(J, full_matrices=False)
    return float(sigma[-1]), U[:, -1]


def _rows(robot: Robot, q: Array) -> DHTable | None:
    try:
        table = table_of(robot)
    except ModelError:
        return None
    turns = np.array([row.is_angle for row in robot.coordinates])
    d, theta = table.d + np.where(turns, 0.0, q), table.theta + np.where(turns, q, 0.0)
    return replace(table, d=d, theta=theta)


def _branch(robot: Robot, T: Array, q: Array) -> str | None:
    if family_of(robot) is None:
        return None
    whole = np.where(turns(robot), 2 * np.pi, np.inf)
    for solution in inverse_kinematics(robot, T, near=q).solutions:
        difference = solution.q - q
        difference = difference - np.where(
            np.isinf(whole), 0.0, whole * np.rint(difference / whole)
        )
        if np.max(np.abs(difference)) < _SAME:
            return solution.branch
    return None


@dataclass(frozen=True)
class TeachLine:
    """One line, and its kind."""

    text: str
    tone: Tone = "plain"


def lines_of(robot: Robot, state: TeachState) -> dict[str, TeachLine]:
    """The lines that describe a position, by a name that stays while the position changes."""
    x, y, z = np.round(state.T_0e[:3, 3], 4) + 0.0  # no minus before a zero
    roll, pitch, yaw = np.round(np.degrees(state.rpy), 2) + 0.0
    lines = {
        "tool": TeachLine(f"{robot.tool}:  x {x:+.4f}   y {y:+.4f}   z {z:+.4f} m"),
        "angles": TeachLine(f"roll {roll:+.2f}   pitch {pitch:+.2f}   yaw {yaw:+.2f} deg"),
        "singular": _singularity_line(state),
        "limits": _limits(state),
    }
    if state.branch is not None:
        lines["branch"] = TeachLine(f"branch: {state.branch}")
    if state.dh is not None:
        head = "D-H  theta [deg]   d [m]     a [m]     alpha [deg]"
        lines["dh"] = TeachLine(head, "table")
        lines |= {
            f"dh{k}": TeachLine(text, "table") for k, text in enumerate(_text_rows(state.dh), 1)
        }
    return lines


def joint_line(robot: Robot, q: Iterable[float]) -> str:
    """Format joint positions: degrees, or millimetres for a prismatic joint."""
    shown = []
    for row, x in zip(robot.coordinates, q, strict=True):
        factor, unit = factor_and_unit(row)
        shown.append(f"{row.name} {factor * x:+.2f} {unit}")
    return "   ".join(shown)


def _singularity_line(state: TeachState) -> TeachLine:
    if not state.is_near_singular:
        return TeachLine(f"not singular (smallest singular value {state.sigma:.3f})", "good")
    return TeachLine(
        f"NEAR SINGULAR ({state.sigma:.4f}): the tool can hardly {state.hardest_motion}", "warning"
    )


def _limits(state: TeachState) -> TeachLine:
    if not state.outside:
        return TeachLine("inside all joint limits", "good")
    more = f" (and {len(state.outside) - 1} more)" if len(state.outside) > 1 else ""
    return TeachLine(f"OUTSIDE LIMITS: {state.outside[0]}{more}", "warning")


def _text_rows(table: DHTable) -> list[str]:
    theta, alpha = (np.round(np.degrees(x), 2) + 0.0 for x in (table.theta, table.alpha))
    # Equal numbers of digits: in the window only digits have a common width.
    return [
        f"{k + 1:2d}    {theta[k]:+07.2f}     {table.d[k]:+.4f}   {table.a[k]:+.4f}   "
        f"{alpha[k]:+07.2f}"
        for k in range(table.n)
    ]
