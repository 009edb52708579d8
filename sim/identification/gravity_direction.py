"""The direction of gravity in the frame of a robot's base, from the torques of a log.

Gravity is one acceleration along an unknown direction. For any direction the torques are linear in
friction and in a body at the end of the arm, which stands for the load and for errors of the file's
masses; the direction with the least residual is the estimate. Its magnitude is free within
`MAGNITUDES`, because masses of files are off by as much: otherwise a component that no joint feels
would follow from what the others lack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.dynamics.newton_euler import inverse_dynamics
from sim.dynamics.regressor import regressor
from sim.identification.payload import payload_columns
from sim.identification.signals import MOVES, States
from sim.maths.arrays import Array
from sim.robots.robot import Robot

G = 9.81  # [m/s²]
MAGNITUDES = 0.75, 1.3  # of G; what masses of a file may be off by
PLACES = 60  # directions over the sphere, 26° from one to the next
STARTS = 3  # from which the best one is sought
APART = 0.5  # [rad]; nearer directions are one
ALIKE = 12.0  # of the variance of one number, by which a direction may fit worse: 3.5 deviations
WIDEST = 0.5  # [rad]; with a wider half of its interval a direction is not known
NOISELESS = 1e-3  # of a torque; no model is better


@dataclass(frozen=True, eq=False)
class GravityFit:
    """The direction of gravity that fits a log best, and how well others fit.

    Parameters
    ----------
    direction : ndarray, shape (3,)
        In the base's frame, of unit length.
    half_width : float
        Half of the 95 % interval along its widest direction [rad]; infinite where none is known.
    others : tuple of ndarray
        Other directions that fit as well.
    triangle : Triangle
    """

    direction: Array
    half_width: float
    others: tuple[Array, ...]
    triangle: Triangle

    @property
    def is_known(self) -> bool:
        """Whether the log has one direction."""
        return not self.others and self.half_width < WIDEST

    def fits(self, direction: Array) -> bool:
        """Whether a direction fits the log about as well as the best one."""
        least, _ = self.triangle.refined(direction, is_free=False)
        return least <= self.triangle.refined(self.direction, is_free=False)[0] + ALIKE * (
            self.triangle.variance
        )


@dataclass(frozen=True, eq=False)
class Triangle:
    """Least squares for any gravity, from the triangle R of all columns.

    Columns of `R` are torques without gravity and with a unit of it along each axis, those of a
    body at the end in the same four ways, friction, and the measured torque.

    Parameters
    ----------
    R : ndarray, shape (m, k)
    body : int
        Parameters of the body at the end: 10, or 0 where the robot has no single end.
    variance : float
        Of one number, by the best direction.
    """

    R: Array
    body: int
    variance: float = 0.0

    def residual(self, gravity: Array) -> Array:
        """What is left of the torques with a gravity [m/s²], in the weights of the rows."""
        return self.remainder(gravity, self.solution(gravity))

    def solution(self, gravity: Array) -> Array:
        """The body at the end and friction that leave least with a gravity [m/s²]."""
        A, b = self._equations(gravity)
        scale = np.linalg.norm(A, axis=0)
        scale[scale == 0] = 1.0
        return np.asarray(np.linalg.lstsq(A / scale, b, rcond=1e-9)[0] / scale)

    def remainder(self, gravity: Array, x: Array) -> Array:
        """What a body at the end and friction leave."""
        A, b = self._equations(gravity)
        return np.asarray(b - A @ x)

    def _equations(self, gravity: Array) -> tuple[Array, Array]:
        parts, R, last = np.r_[1.0, gravity], self.R, 4 + 4 * self.body
        end = np.einsum("kip,i->kp", R[:, 4:last].reshape(len(R), 4, self.body), parts)
        return np.column_stack([end, R[:, last:-1]]), R[:, -1] - R[:, :4] @ parts

    def refined(self, direction: Array, *, is_free: bool = True) -> tuple[float, Array]:
        """Least residual power near a direction, and that direction; or along it exactly.

        A direction that is free is followed by the slopes of the residual, which its gravity and
        its two turns have.
        """
        from scipy.optimize import least_squares

        across = _across(direction)

        def gravity(x: Array) -> Array:
            turned = direction + (across @ x[1:] if is_free else 0.0)
            return G * x[0] * turned / np.linalg.norm(turned)

        low, high = MAGNITUDES
        far = [np.inf] * 2 * is_free
        found = least_squares(
            lambda x: self.residual(gravity(x)),
            np.r_[1.0, [0.0] * len(far)],
            bounds=([low, *(-x for x in far)], [high, *far]),
            x_scale=[1.0, *[0.3 for _ in far]],
            max_nfev=15,
        )
        g = gravity(found.x)
        return 2 * float(found.cost), g / np.linalg.norm(g)

    def half_width(self, direction: Array) -> float:
        """Half of the 95 % interval of a direction along its widest way [rad]."""
        across, step, g = _across(direction), 1e-3, G * direction

        def slope(change: Array) -> Array:
            return (self.residual(g + change) - self.residual(g - change)) / (2 * step)

        J = np.column_stack([slope(step * g), *(slope(step * G * a) for a in across.T)])
        normal = J.T @ J
        if np.linalg.matrix_rank(normal, tol=1e-12 * max(float(np.trace(normal)), 1e-300)) < 3:
            return float("inf")
        covariance = self.variance * np.linalg.inv(normal)[1:, 1:]
        return float(2 * np.sqrt(np.linalg.eigvalsh(covariance)[-1]))


def fit_gravity(
    robot: Robot, states: States, numbers: float
) -> GravityFit:
    """The direction of gravity by samples of a log.

    Parameters
    ----------
    robot : Robot
        Its mounting does not count. The body at the end is at its tool, where it has one.
    states : States
    numbers : float
        How many samples of a joint count: twice the bandwidth times the length of the log.

    """
    blocks = _blocks(robot, states)
    body = 10 if robot.tool is not None else 0
    share = min(numbers / states.q.shape[1], 1.0)  # of the samples, which counts
    triangle = Triangle(_weighed(blocks, [float(np.std(A[:, -1])) for A in blocks], share), body)
    places = _sphere(PLACES)
    left = np.array([float(np.sum(triangle.residual(G * u) ** 2)) for u in places])
    starts: list[Array] = []
    for k in np.argsort(left):
        if len(starts) < STARTS and all(places[k] @ u < np.cos(APART) for u in starts):
            starts.append(places[k])
    first = min((triangle.refined(u) for u in starts[:2]), key=lambda one: one[0])[1]
    x = triangle.solution(G * first)
    noise = [float(np.std(Triangle(A, body).remainder(G * first, x))) for A in blocks]
    triangle = Triangle(_weighed(blocks, noise, share), body)
    found = sorted((triangle.refined(u) for u in (first, *starts)), key=lambda one: one[0])
    least, best = found[0]
    freedom = max(share * sum(len(A) for A in blocks) - triangle.R.shape[1] / 2, 5.0)
    triangle = Triangle(triangle.R, body, least / freedom)
    alike = least + ALIKE * triangle.variance
    others: list[Array] = []
    for power, u in found[1:]:
        if power <= alike and all(u @ v < np.cos(APART) for v in (best, *others)):
            others.append(u)
    return GravityFit(best, triangle.half_width(best), tuple(others), triangle)


def _blocks(robot: Robot, states: States) -> list[Array]:
    """Columns of `Triangle` for each joint that moves, (N, k) [N·m or N]."""
    q, qd, qdd, tau = states.q, states.qd, states.qdd, states.tau
    base, still = robot.mounted(), np.zeros_like(q)
    axes = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    none = (0.0, 0.0, 0.0)
    own = [inverse_dynamics(base, q, qd, qdd, none)]
    own += [inverse_dynamics(base, q, still, still, axis) for axis in axes]
    ends = []
    if robot.tool is not None:
        ends = [payload_columns(base, regressor(base, q, qd, qdd, none))]
        ends += [payload_columns(base, regressor(base, q, still, still, axis)) for axis in axes]
    used = np.flatnonzero((np.ptp(q, axis=1) >= MOVES) & (np.std(tau, axis=1) > 0))
    blocks = []
    for k, row in enumerate(used):
        friction = np.zeros((q.shape[1], 3 * used.size))
        friction[:, 3 * k] = states.sliding[row]
        friction[:, 3 * k + 1] = qd[row]
        friction[:, 3 * k + 2] = 1.0
        columns = [*(part[row] for part in own), *(c for end in ends for c in end[row])]
        blocks.append(np.column_stack([*columns, friction, tau[row]]))
    return blocks


def _weighed(blocks: Sequence[Array], noise: Sequence[float], share: float) -> Array:
    """The triangle of all rows over the noise of their joint, at least a thousandth of its torque."""
    rows = [
        A * (np.sqrt(share) / max(one, NOISELESS * float(np.std(A[:, -1]))))
        for A, one in zip(blocks, noise, strict=True)
    ]
    return np.asarray(np.linalg.qr(np.concatenate(rows), mode="r"))


def _sphere(count: int) -> Array:
    """Directions evenly over the sphere, on a spiral, (count, 3)."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, np.pi * (1 + np.sqrt(5)) * k
    across = np.sqrt(1 - z**2)
    return np.stack([across * np.cos(turn), across * np.sin(turn), z], axis=1)


def _across(direction: Array) -> Array:
    """Two directions across one, (3, 2)."""
    return np.asarray(np.linalg.svd(direction[None])[2][1:].T)
