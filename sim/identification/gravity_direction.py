"""Direction of gravity in the frame of a robot's base, from the torques of a log.

Gravity is one acceleration in an unknown direction. For a given direction the torques are linear in
friction and in the payload, if one is sought; the direction with the least residual is the
estimate. The payload's mass is positive and its centre near the tool, since a negative one could
reverse gravity. The magnitude of gravity is free within `MAGNITUDES`, because masses in files are
off by as much; otherwise a component that no joint feels would follow from errors in the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from sim.dynamics.newton_euler import inverse_dynamics
from sim.dynamics.regressor import regressor
from sim.identification.payload import REACH, payload_columns
from sim.identification.signals import MOVES, MeasuredStates
from sim.maths.arrays import Array
from sim.robots.robot import Robot

G = 9.81  # [m/s²]
MAGNITUDES = 0.75, 1.3  # of G; relative error of the masses in a file
PLACES = 60  # directions over the sphere, 26° apart
STARTS = 3  # starting points of the search
APART = 0.5  # [rad]; directions closer than this are the same
ALIKE = 12.0  # variances by which another direction may fit worse: 3.5 standard deviations
WIDEST = 0.5  # [rad]; the direction is unknown if half of its interval is wider
NOISELESS = 1e-3  # relative to a torque; smallest error assumed of the model
CORNERS = np.array([[1.0, *corner] for corner in product((-REACH, REACH), repeat=3)])


@dataclass(frozen=True, eq=False)
class GravityFit:
    """Direction of gravity that fits a log best, and the quality of others.

    Parameters
    ----------
    direction : ndarray, shape (3,)
        Unit vector in the base frame.
    half_width, narrowest : float
        Half of the 95 % interval along its widest direction, and across it [rad]; infinite where
        the torques do not determine it.
    widest : ndarray, shape (3,)
        Widest direction: a component of gravity that joints feel least.
    others : tuple of ndarray
        Other directions that fit equally well.
    residual : float
        Residual power of the direction, in variances.
    """

    direction: Array
    half_width: float
    narrowest: float
    widest: Array
    others: tuple[Array, ...]
    residual: float
    _search: _Search

    @property
    def is_known(self) -> bool:
        """Whether the log determines one direction."""
        return not self.others and self.half_width < WIDEST

    def fits(self, direction: Array) -> bool:
        """Whether a direction fits the log about as well as the best one."""
        return self._search.refine(direction, is_free=False)[0] <= self.residual + ALIKE


@dataclass(frozen=True, eq=False)
class _Search:
    """Least squares for given gravity, after projection onto friction and the payload's tensor.

    Parameters
    ----------
    arm : ndarray, shape (k, 4)
        Torques of the arm without gravity, and for unit gravity along each axis.
    body : ndarray, shape (k, 4, 4)
        Torques of mass and first moments of the payload, in the same four cases.
    right : ndarray, shape (k,)
        Measured torques.
    """

    arm: Array
    body: Array
    right: Array

    def solve(self, gravity: Array) -> tuple[Array, Array]:
        """Return residual torques for a gravity [m/s²], mass and first moments of the payload."""
        from scipy.optimize import nnls

        parts = np.r_[1.0, gravity]
        b = self.right - self.arm @ parts
        corners = np.einsum("kip,i,cp->kc", self.body, parts, CORNERS)
        if not corners.any():
            return b, np.zeros(4)
        x = nnls(corners, b, maxiter=200)[0]
        return np.asarray(b - corners @ x), np.asarray(x @ CORNERS)

    def residual(self, gravity: Array) -> Array:
        """Return residual torques for a gravity [m/s²]."""
        return self.solve(gravity)[0]

    def refine(self, direction: Array, *, is_free: bool = True) -> tuple[float, Array]:
        """Return the least residual power near or along a direction, and that gravity [m/s²]."""
        from scipy.optimize import least_squares

        across = perpendiculars(direction)

        def gravity(x: Array) -> Array:
            turned = direction + (across @ x[1:] if is_free else 0.0)
            return np.asarray(G * x[0] * turned / np.linalg.norm(turned))

        def root_residual(x: Array) -> Array:
            return self.residual(gravity(x))

        low, high = MAGNITUDES
        far = [np.inf] * (2 * is_free)
        solution = least_squares(
            root_residual,
            np.r_[1.0, [0.0] * len(far)],
            bounds=([low, *(-x for x in far)], [high, *far]),
            x_scale=[1.0, *[0.3 for _ in far]],
            max_nfev=15,
        )
        return 2 * float(solution.cost), gravity(solution.x)

    def interval(self, gravity: Array) -> tuple[float, float, Array]:
        """Return half a direction's 95 % interval along its widest axis, and across; that axis."""
        direction, step = gravity / np.linalg.norm(gravity), 1e-3
        across = perpendiculars(direction)
        ways = np.column_stack([gravity, G * across])
        J = np.column_stack(
            [
                (self.residual(gravity + step * way) - self.residual(gravity - step * way))
                / (2 * step)
                for way in ways.T
            ]
        )
        # the effect of the magnitude is not part of the direction
        length = float(J[:, 0] @ J[:, 0])
        turns = J[:, 1:] - np.outer(J[:, 0], J[:, 0] @ J[:, 1:]) / max(length, 1e-300)
        w, V = np.linalg.eigh(turns.T @ turns)
        width, narrow = (float(2 / np.sqrt(x)) if x > 1e-300 else float("inf") for x in w)
        return width, narrow, np.asarray(across @ V[:, 0])


def fit_gravity(
    robot: Robot, states: MeasuredStates, numbers: float, *, payload: bool = False
) -> GravityFit:
    """Return the direction of gravity from samples of a log.

    Parameters
    ----------
    robot : Robot
        Its mounting has no effect.
    states : MeasuredStates
    numbers : float
        Independent samples per joint: twice the bandwidth times the length of the log.
    payload : bool
        Whether an unknown body at the robot's tool is part of the model.
    """
    if not (blocks := _blocks(robot, states, payload=payload)):
        return GravityFit(-np.eye(3)[2], np.inf, np.inf, np.eye(3)[0], (), 0.0, _nothing())
    share = min(numbers / states.q.shape[1], 1.0)  # share of independent samples
    search = _search(blocks, [float(np.std(A[:, -1])) for A in blocks], share)
    places = _sphere(PLACES)
    residuals = np.array([float(np.sum(search.residual(G * u) ** 2)) for u in places])
    starts: list[Array] = []
    for k in np.argsort(residuals):
        if len(starts) < STARTS and all(places[k] @ u < np.cos(APART) for u in starts):
            starts.append(places[k])
    first = min((search.refine(u) for u in starts[:2]), key=lambda one: one[0])[1]
    body = search.solve(first)[1]
    search = _search(blocks, [_noise(A, first, body) for A in blocks], share)
    starts.insert(0, first / np.linalg.norm(first))
    candidates = sorted((search.refine(u) for u in starts), key=lambda one: one[0])
    freedom = max(share * sum(len(A) for A in blocks) - blocks[0].shape[1] + 20, 5.0)
    noise = np.sqrt(max(candidates[0][0] / freedom, 1e-12))
    search = _Search(search.arm / noise, search.body / noise, search.right / noise)
    least, best = candidates[0][0] / noise**2, candidates[0][1]
    directions = [best / np.linalg.norm(best)]
    for power, g in candidates[1:]:
        u = g / np.linalg.norm(g)
        if power / noise**2 <= least + ALIKE and all(u @ v < np.cos(APART) for v in directions):
            directions.append(u)
    return GravityFit(directions[0], *search.interval(best), tuple(directions[1:]), least, search)


def gravity_in_base(robot: Robot) -> Array:
    """Return the direction of gravity in the frame of a robot's base, (3,)."""
    return np.asarray(-robot.T_0b[2, :3])


def rpy_of(direction: Array) -> tuple[float, float, float]:
    """Return roll, pitch and yaw [rad] of a base in whose frame gravity has a direction; yaw 0."""
    x, y, z = (direction / np.linalg.norm(direction)).tolist()
    across = float(np.hypot(y, z))
    roll = float(np.arctan2(-y + 0.0, -z + 0.0)) if across > 1e-9 else 0.0
    return roll, float(np.arctan2(x, across)), 0.0


def _nothing() -> _Search:
    return _Search(np.zeros((1, 4)), np.zeros((1, 4, 4)), np.zeros(1))


def _blocks(robot: Robot, states: MeasuredStates, *, payload: bool) -> list[Array]:
    """Return columns of each moving joint, (N, k) [N·m or N].

    The columns of the arm (4), of a payload's mass and first moments (16), of all that gravity
    does not act on, and the measured torque.
    """
    q, qd, qdd, tau = states.q, states.qd, states.qdd, states.tau
    base, still = robot.mounted(), np.zeros_like(q)
    axes = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    none = (0.0, 0.0, 0.0)
    torques = [inverse_dynamics(base, q, qd, qdd, none)]
    torques += [inverse_dynamics(base, q, still, still, axis) for axis in axes]
    ends = np.zeros((4, len(q), 10, q.shape[1]))
    if payload:
        ends[0] = payload_columns(base, regressor(base, q, qd, qdd, none))
        for k, axis in enumerate(axes, 1):
            ends[k] = payload_columns(base, regressor(base, q, still, still, axis))
    moving = np.flatnonzero((np.ptp(q, axis=1) >= MOVES) & (np.std(tau, axis=1) > 0))
    blocks = []
    for k, row in enumerate(moving):
        friction = np.zeros((q.shape[1], 3 * moving.size))
        friction[:, 3 * k] = states.sliding[row]
        friction[:, 3 * k + 1] = qd[row]
        friction[:, 3 * k + 2] = 1.0
        columns = [part[row] for part in torques]
        columns += [ends[way, row, column] for way in range(4) for column in range(4)]
        columns += [*ends[0, row, 4:]]
        blocks.append(np.column_stack([*columns, friction, tau[row]]))
    return blocks


def _search(blocks: Sequence[Array], noise: Sequence[float], share: float) -> _Search:
    """Stack all rows over the noise of their joints, at least a thousandth of the torque."""
    rows = np.concatenate(
        [
            A * (np.sqrt(share) / max(one, NOISELESS * float(np.std(A[:, -1]))))
            for A, one in zip(blocks, noise, strict=True)
        ]
    )
    free, rest = rows[:, 20:-1], np.column_stack([rows[:, :20], rows[:, -1]])
    scale = np.linalg.norm(free, axis=0)
    U, s, _ = np.linalg.svd(free / np.where(scale > 0, scale, 1.0), full_matrices=False)
    U = U[:, s > 1e-9 * s.max(initial=0.0)]
    R = np.asarray(np.linalg.qr(rest - U @ (U.T @ rest), mode="r"))
    return _Search(R[:, :4], R[:, 4:20].reshape(len(R), 4, 4), R[:, 20])


def _noise(A: Array, gravity: Array, body: Array) -> float:
    """Return the standard deviation of one joint's torque residual for a gravity and a body."""
    parts = np.r_[1.0, gravity]
    residual = A[:, -1] - A[:, :4] @ parts
    residual -= np.einsum("kip,i,p->k", A[:, 4:20].reshape(len(A), 4, 4), parts, body)
    free = A[:, 20:-1]
    return float(np.std(residual - free @ np.linalg.lstsq(free, residual, rcond=1e-9)[0]))


def _sphere(count: int) -> Array:
    """Return evenly spaced directions over the sphere, on a spiral, (count, 3)."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, np.pi * (1 + np.sqrt(5)) * k
    across = np.sqrt(1 - z**2)
    return np.stack([across * np.cos(turn), across * np.sin(turn), z], axis=1)


def perpendiculars(direction: Array) -> Array:
    """Return two unit vectors perpendicular to a direction and to each other, (3, 2)."""
    return np.asarray(np.linalg.svd(direction[None])[2][1:].T)
