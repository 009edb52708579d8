"""Motion of a closed mechanism with one freedom that nothing drives.

Such a mechanism has one path q(s). It is found first, in smooth pieces, from the loop equations
alone; with m = q'ᵀ M q' and the speed u = √m ds/dt, so that the kinetic energy is ½ u², Lagrange's
equation on it is

    ds/dt = u/√m,      du/dt = -q'ᵀ g/√m

Nothing here becomes singular where the bars of a mechanism come to lie in one line. There its path
crosses another one, the loop equations do not distinguish them and their multipliers are
undetermined; but only one continuation is smooth, and a polynomial through points on both sides of
the crossing can take no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.lagrange import inverse_dynamics, mass_matrix
from sim.errors import ScenarioError
from sim.kinematics.closure import require_closed
from sim.kinematics.loop_equations import joint_equations
from sim.maths.arrays import Array
from sim.maths.newton import RANK, newton, pseudo_inverse
from sim.robots.robot import Robot

RTOL, ATOL = 1e-11, 1e-12
DEGREE = 17  # of the polynomials of a piece; odd, so that none of their points is its middle
SMOOTH = 1e-11  # of the largest value; the last coefficients must have decayed to that
ROUNDING = 2e-14  # of an equation, before its inverse magnifies it
FIRST_PIECE = 0.3  # [rad or m]; half its length, in the joint that moves most
BEYOND = 1.2  # of a piece; as far as its polynomials are evaluated
SHORTEST = 1e-6  # of the first piece
LARGEST_OPENING = 1e-6  # of the start velocity


def free_loop_motion(
    robot: Robot, q0: Array, qd0: Array, t: Array, gravity: Gravity = GRAVITY
) -> tuple[Array, Array, Array]:
    """Motion of all independent joints of a mechanism with one freedom and no drive.

    Parameters
    ----------
    q0, qd0 : ndarray, shape (n,)
        Start, with closed loops that the velocity does not open.
    t : ndarray, shape (N,)
        Ascending times, the first one that of the start [s].
    gravity : tuple of float
        In the world [m/s²].

    Returns
    -------
    q, qd, qdd : ndarray, shape (n, N)
        Of all independent joints [rad or m] and rates.

    Raises
    ------
    ScenarioError
        If a loop is open at the start or opened by the start velocity, if the mechanism cannot move
        or can move in several ways, if its path ends, or if the solver fails.
    """
    from scipy.integrate import solve_ivp

    require_closed(robot, t[:1], q0[:, None])
    path = _Path(robot, gravity)
    direction = path.direction(q0, qd0)
    half = FIRST_PIECE / float(np.abs(direction).max())
    M = mass_matrix(robot, q0[:, None])[:, :, 0]
    speed = float(np.sqrt(qd0 @ M @ qd0))
    result = np.empty((3, q0.size, t.size))
    q, now, done = q0, float(t[0]), 0
    while True:
        piece = path.piece(q, direction, half)
        solved = solve_ivp(
            piece.rates,
            (now, float(t[-1])),
            [0.0, speed],
            method="DOP853",
            t_eval=t[done:],
            events=_End(piece.half),
            rtol=RTOL,
            atol=ATOL,
        )
        if not solved.success:
            raise ScenarioError(
                f"The motion of robot {robot.name!r} could not be integrated beyond "
                f"t = {now:.6g} s: {solved.message}"
            )
        here = slice(done, done + len(solved.t))
        result[:, :, here] = piece.motion(*np.reshape(solved.y, (2, -1)))  # empty lists if none
        if solved.status == 0:
            return result[0], result[1], result[2]
        now, done = float(cast(list[Array], solved.t_events)[0][0]), here.stop
        s, speed = cast(list[Array], solved.y_events)[0][0]
        q, direction = piece.q(s), piece.tangent(s)
        half = 2 * half if piece.half == half else piece.half


class _End:
    """The event of leaving a piece."""

    terminal = True

    def __init__(self, half: float) -> None:
        self.half = half

    def __call__(self, time: float, y: Array) -> float:
        return self.half - abs(float(y[0]))


@dataclass(frozen=True, eq=False)
class _Polynomial:
    """Polynomials of one or several quantities over s in [-half, half]."""

    coefficients: Array  # of Chebyshev's polynomials, (DEGREE + 1, ...)
    half: float

    def __call__(self, s: ArrayLike) -> Array:
        """Values, shape (..., N)."""
        return np.asarray(chebyshev.chebval(np.asarray(s) / self.half, self.coefficients))

    def derivative(self, s: ArrayLike) -> Array:
        """Derivatives by s, shape (..., N)."""
        rates: Array = np.asarray(chebyshev.chebder(self.coefficients, scl=1 / self.half), float)
        return _Polynomial(rates, self.half)(s)

    @property
    def tail(self) -> float:
        """The largest of the last coefficients, which decay where the quantities are smooth."""
        return float(np.abs(self.coefficients[-2:]).max())


@dataclass(frozen=True, eq=False)
class _Piece:
    """A piece of the path with what the dynamics need of it."""

    half: float
    q: _Polynomial
    tangent: _Polynomial  # q'
    rate: _Polynomial  # 1/√m
    drive: _Polynomial  # -q'ᵀ g/√m

    def rates(self, time: float, y: Array) -> Array:
        """ds/dt and du/dt; a trial step may reach beyond the piece, where polynomials explode."""
        s = np.clip(y[0], -BEYOND * self.half, BEYOND * self.half)
        return np.array([self.rate(s) * y[1], self.drive(s)])

    def motion(self, s: Array, u: Array) -> Array:
        """q, qd and qdd, shape (3, n, N)."""
        sd = self.rate(s) * u
        sdd = self.rate.derivative(s) * sd * u + self.rate(s) * self.drive(s)
        along, bend = self.tangent(s), self.tangent.derivative(s)
        return np.stack([self.q(s), along * sd, bend * sd**2 + along * sdd])


@dataclass(frozen=True, eq=False)
class _Path:
    robot: Robot
    gravity: Gravity

    def direction(self, q: Array, qd: Array) -> Array:
        """Tangent of the path at the start, along `qd` where that is not zero, shape (n,)."""
        J = joint_equations(self.robot, q[:, None])[1][:, :, 0]
        size = np.abs(qd).max()
        if size > 0:
            if np.abs(J @ qd).max(initial=0.0) > LARGEST_OPENING * size:
                raise ScenarioError(
                    f"The start velocity of robot {self.robot.name!r} opens its loops, "
                    f"by {np.abs(J @ qd).max():.6g} m/s; give a velocity that keeps them closed"
                )
            return qd / size
        freedom = q.size - int(_rank(J[:, :, None])[0])
        if freedom != 1:
            raise self._not_one(freedom, "at the start; with a start velocity it knows where to go")
        return np.asarray(np.linalg.svd(J)[2][-1])

    def piece(self, q: Array, direction: Array, half: float) -> _Piece:
        """The path around `q`, as long as is smooth, at most `half` to each side.

        The parameter s is the way along `direction`.
        """
        while half > SHORTEST * FIRST_PIECE / float(np.abs(direction).max()):
            piece = self._try_piece(q, direction, half)
            if piece is not None:
                return piece
            half /= 2
        raise ScenarioError(
            f"The path of robot {self.robot.name!r} ends: no smooth motion leads on from "
            f"q = {np.round(q, 6).tolist()}"
        )

    def _try_piece(self, q: Array, direction: Array, half: float) -> _Piece | None:
        x = chebyshev.chebpts1(DEGREE + 1)
        M = mass_matrix(self.robot, q[:, None])[:, :, 0]
        across = M @ direction / np.abs(M @ direction).max()
        way = direction / (across @ direction)

        def equations(at: Array) -> tuple[Array, Array]:
            e, J = joint_equations(self.robot, at)
            ahead = across @ (at - q[:, None]) - half * x
            row = np.broadcast_to(across[None, :, None], (1, *at.shape))
            return np.concatenate([e, ahead[None]]), np.concatenate([J, row])

        places = newton(equations, q[:, None] + half * x * way[:, None])
        if places is None:
            return None
        J = equations(places)[1]
        freedom = q.size - _rank(J[:-1])
        if (freedom != 1).any():
            raise self._not_one(int(freedom.max()), "")
        inverse = pseudo_inverse(J)
        tangent = inverse[:, -1]  # J q' = 0, one unit of s ahead
        M, still = mass_matrix(self.robot, places), np.zeros_like(places)
        root_m = np.sqrt(np.einsum("iN,ijN,jN->N", tangent, M, tangent))
        push = -tangent * inverse_dynamics(self.robot, places, still, still, self.gravity)
        values = [places, tangent, 1 / root_m, push.sum(axis=0) / root_m]
        sizes = [np.abs(x).max() for x in (*values[:3], push / root_m)]  # the sum may cancel
        parts = [_through(x, y, half) for y in values]
        rounding = ROUNDING * float(np.abs(J).max() * np.abs(inverse).max())
        smooth = [
            part.tail <= max(SMOOTH, rounding) * size
            for part, size in zip(parts, sizes, strict=True)
        ]
        return _Piece(half, *parts) if all(smooth) else None

    def _not_one(self, freedom: int, where: str) -> ScenarioError:
        return ScenarioError(
            f"Robot {self.robot.name!r} can move in {freedom} ways with its loops closed; "
            f"it needs exactly one {where}".rstrip()
        )


def _through(x: Array, values: Array, half: float) -> _Polynomial:
    """The polynomials through values (..., N) at s = half x."""
    return _Polynomial(np.asarray(chebyshev.chebfit(x, values.T, DEGREE)), half)


def _rank(J: Array) -> Array:
    """Number of independent equations in each of (rows, n, N), shape (N,)."""
    size = np.linalg.svd(np.moveaxis(J, -1, 0), compute_uv=False)
    return np.asarray((size > RANK * size.max(axis=1, initial=0.0)[:, None]).sum(axis=1))
