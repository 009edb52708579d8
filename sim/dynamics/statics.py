"""Statics: what holds a robot still, and where joints that nothing drives come to rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics import lagrange, newton_euler
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.joint_forces import joint_force
from sim.dynamics.newton_euler import Wrenches
from sim.dynamics.wrench import Acting, AppliedWrench, joint_torque
from sim.errors import ScenarioError
from sim.kinematics.loop_equations import passive_joints
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask, frozen
from sim.robots.robot import Robot

Stability = Literal["stable", "neutral", "unstable"]

# q (n, N) -> torques on the independent joints (n, N) and wrenches on links
Loads = Callable[[Array], tuple[Array, Iterable[AppliedWrench]]]

STEP = 1e-4  # rad or m; a fourth-order difference leaves 1e-16, rounding 1e-12 of the torque
FOUND = 1e-10  # of the loads: what may be left of the balance
PLACED = 1e-12  # rad or m; what is left where the joint cannot be placed better
NEUTRAL = 1e-10  # of the loads per rad or m; a stiffness below it is none
RELAXATION = 100.0  # s; long against the period of any joint that a robot has


def at_rest(robot: Robot, q: Array, gravity: Gravity = GRAVITY, external: Acting = ()) -> Wrenches:
    """Torques that hold a robot still and the reactions, at a pose or along a path of poses.

    Springs and stops in the joints help; dry friction, which might hold anything, does not. Other
    arguments and errors are those of `sim.dynamics.newton_euler.inverse_dynamics`.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        [rad or m]
    """
    still = np.zeros_like(q)
    held = newton_euler.wrenches(robot, q, still, still, gravity, external)
    return Wrenches(held.tau - _in_joints(robot, q), held.reaction)


def _in_joints(robot: Robot, q: Array) -> Array:
    """Torque of springs and stops on the independent joints at rest, (n, N) [N·m or N]."""
    q_tree, still = robot.on_tree(q, np.zeros_like(q))
    return np.asarray(robot.coupling[0].T @ joint_force(robot, q_tree, still))


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A pose in which the free joints stay by themselves.

    Parameters
    ----------
    q : ndarray, shape (n,)
        Positions of all independent joints [rad or m].
    residual : ndarray, shape (free,)
        What is left of the balance at each free joint [N·m or N].
    stiffness : ndarray, shape (free, free)
        K = ∂(g - Jᵀ F - tau)/∂q of the free joints, springs and stops included
        [N·m/rad, N, N/m].
    frequency : ndarray, shape (free,)
        Of the small oscillations about it, without damping, ascending [Hz]: zero where nothing
        drives the joints back, not a number where they run away.
    stability : str
        ``stable``; ``unstable``; ``neutral`` if some motion is neither driven back nor away.
    """

    q: Array
    residual: Array
    stiffness: Array
    frequency: Array
    stability: Stability

    def __post_init__(self) -> None:
        for name in ("q", "residual", "stiffness", "frequency"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


def equilibrium(
    robot: Robot,
    free: Mask | Sequence[str],
    q0: ArrayLike,
    torque: Array | None = None,
    gravity: Gravity = GRAVITY,
    external: Acting = (),
    loads: Loads | None = None,
) -> Equilibrium:
    """Pose with ``g(q) - Jᵀ F - tau = 0`` at the free joints, and its stability.

    The free joints sink from `q0` by an overdamped motion, to a stable equilibrium if there is one;
    then the balance is solved (Levenberg and Marquardt). Started on an unstable equilibrium, they
    stay there. Springs and stops of the robot's joints are counted in `tau`. Dry friction is left
    out: it holds a joint anywhere near.

    Parameters
    ----------
    free : ndarray of bool, shape (n,), or sequence of str
        The joints that nothing holds, as a mask or by name; the others stay at `q0`.
    q0 : array_like, shape (n,)
        Where to start [rad or m].
    torque : ndarray, shape (n,), optional
        Constant torques on the joints [N·m or N]; those of held joints do not matter.
    gravity : tuple of float
        In the world [m/s²].
    external : sequence of AppliedWrench
        Wrenches that do not change, one sample each.
    loads : callable, optional
        Torques and wrenches that depend on the position, besides the robot's springs and stops.

    Returns
    -------
    Equilibrium
        Stable if all eigenvalues of M⁻¹ K are positive (frequencies √λ / 2π).

    Raises
    ------
    ScenarioError
        If no equilibrium is found, then the message gives the joint that is farthest from its
        balance; if nothing is free, if a free joint has no inertia, or if closed loops position
        joints of the robot.
    ModelError
        If a wrench acts on a link that is not in the robot.
    """
    free, q0 = _free(robot, free), _start(robot, q0)
    problem = _Problem(robot, free, q0, torque, gravity, tuple(external), loads)
    _require_free(problem)
    inertia = problem.inertia(q0[free])
    _require_inertia(problem, inertia)
    x = _solve(problem, np.diag(inertia))
    K, residual = problem.stiffness(x), problem.residual(x[:, None])[:, 0]
    scale = problem.scale(x)
    allowed = FOUND * scale + np.abs(K) @ (PLACED * (1 + np.abs(x)))
    if not np.all(np.abs(residual) <= allowed):
        _refuse(problem, residual, residual / allowed)
    frequency, stability = _oscillation(problem.inertia(x), K, scale)
    return Equilibrium(problem.q(x[:, None])[:, 0], residual, K, frequency, stability)


def _free(robot: Robot, free: Mask | Sequence[str]) -> Mask:
    """Which joints are free, from a mask or from their names."""
    names = robot.row_names
    told = [free] if isinstance(free, str) else np.ravel(free).tolist()
    if told and all(isinstance(one, str) for one in told):
        unknown = [one for one in told if one not in names]
        if unknown:
            raise ScenarioError(
                f"Robot {robot.name!r} has no joint {unknown[0]!r} that could be free; joints: "
                f"{', '.join(names)}"
            )
        return np.array([name in told for name in names])
    mask = np.asarray(free)
    if mask.shape != (len(names),) or mask.dtype != bool:
        raise ScenarioError(
            f"`free` takes names of joints, or {len(names)} times True or False, one a joint of "
            f"{robot.name!r} ({', '.join(names)}); got {free!r}"
        )
    return mask


def _start(robot: Robot, q0: ArrayLike) -> Array:
    names = robot.row_names
    try:
        return frozen(q0, (len(names),))
    except (TypeError, ValueError):
        raise ScenarioError(
            f"`q0` takes {len(names)} numbers [rad or m], one a joint of {robot.name!r} "
            f"({', '.join(names)}); got {q0!r}"
        ) from None


@dataclass(frozen=True, eq=False)
class _Problem:
    """The balance of the free joints as a function of their positions x, (free, N)."""

    robot: Robot
    free: Mask
    q0: Array
    torque: Array | None
    gravity: Gravity
    external: tuple[AppliedWrench, ...]
    loads: Loads | None

    @property
    def joints(self) -> list[str]:
        names = self.robot.row_names
        return [name for name, free in zip(names, self.free, strict=True) if free]

    def q(self, x: Array) -> Array:
        q = np.repeat(self.q0[:, None], x.shape[1], axis=1)
        q[self.free] = x
        return q

    def acting(self, q: Array) -> tuple[Array, tuple[AppliedWrench, ...]]:
        """Torques on the joints (n, N) and wrenches on links."""
        tau = _in_joints(self.robot, q)
        if self.torque is not None:
            tau = tau + self.torque[:, None]
        if self.loads is None:
            return tau, self.external
        more, wrenches = self.loads(q)
        return tau + more, (*self.external, *wrenches)

    def residual(self, x: Array) -> Array:
        q = self.q(x)
        tau, wrenches = self.acting(q)
        still = np.zeros_like(q)
        needed = newton_euler.inverse_dynamics(self.robot, q, still, still, self.gravity, wrenches)
        return (needed - tau)[self.free]

    def stiffness(self, x: Array) -> Array:
        """∂residual/∂x by fourth-order differences, shape (free, free)."""
        n = x.size
        steps = STEP * np.eye(n)
        places = [x[:, None] + k * steps for k in (1, -1, 2, -2)]
        near, behind, far, far_behind = np.split(
            self.residual(np.concatenate(places, axis=1)), 4, axis=1
        )
        return np.asarray((8 * (near - behind) - (far - far_behind)) / (12 * STEP))

    def inertia(self, x: Array) -> Array:
        q = self.q(x[:, None])
        M = lagrange.mass_matrix(self.robot, q)[:, :, 0]
        return M[np.ix_(self.free, self.free)]

    def scale(self, x: Array) -> Array:
        """How large the loads are that balance, |g| √(m M_ii) + |Jᵀ F| + |tau|, shape (free,).

        The first is an upper bound of the gravity torque, (Σ m |g| |Jv|)² ≤ |g|² Σ m Σ m Jv².
        """
        q = self.q(x[:, None])
        tau, wrenches = self.acting(q)
        mass = sum(each.mass for each in tree_of(self.robot).masses)
        weight = np.linalg.norm(self.gravity) * np.sqrt(mass * np.diag(self.inertia(x)))
        pushed = np.abs(joint_torque(self.robot, q, wrenches)) + np.abs(tau)
        return np.asarray(weight + pushed[self.free, 0])


def _solve(problem: _Problem, inertia: Array) -> Array:
    """Where the joints come to rest, or as near as it goes; shape (free,)."""
    from scipy.integrate import solve_ivp
    from scipy.optimize import least_squares

    def residual(x: Array) -> Array:
        return problem.residual(x[:, None])[:, 0]

    def rate(_: float, x: Array) -> Array:
        return -residual(x) / inertia

    def slope(_: float, x: Array) -> Array:
        return -problem.stiffness(x) / inertia[:, None]

    start = problem.q0[problem.free]
    if not np.isfinite(residual(start)).all():
        _refuse(problem, residual(start), residual(start))
    sunk = solve_ivp(rate, (0.0, RELAXATION), start, method="BDF", jac=slope, rtol=1e-4, atol=1e-7)
    lowest = sunk.y[:, -1]
    solution = least_squares(
        residual, lowest, problem.stiffness, method="lm", ftol=1e-15, xtol=1e-15, gtol=1e-15
    )
    return np.asarray(solution.x)


def _oscillation(M: Array, K: Array, scale: Array) -> tuple[Array, Stability]:
    """Frequencies of M ẍ + K x = 0 [Hz], and the stability that follows."""
    eigenvalues = np.linalg.eigvals(np.linalg.solve(M, K))
    eigenvalues = eigenvalues[np.argsort(eigenvalues.real)]
    none = NEUTRAL * np.max((scale + np.abs(K).sum(axis=1)) / np.diag(M))
    away = (eigenvalues.real < -none) | (np.abs(eigenvalues.imag) > none)
    idle = ~away & (eigenvalues.real < none)
    squared = np.where(away, np.nan, np.where(idle, 0.0, eigenvalues.real))
    frequency = np.sqrt(squared) / (2 * np.pi)
    if away.any():
        return frequency, "unstable"
    return frequency, "neutral" if idle.any() else "stable"


def _require_free(problem: _Problem) -> None:
    if not problem.joints:
        raise ScenarioError("No joint is free, so there is no equilibrium to look for")
    passive = passive_joints(problem.robot)
    if passive.any():
        names = np.array(problem.robot.row_names)[passive]
        raise ScenarioError(
            f"Closed loops position joints {', '.join(names)} of robot {problem.robot.name!r}; "
            "the equilibrium is found for trees only"
        )


def _require_inertia(problem: _Problem, M: Array) -> None:
    for name, own in zip(problem.joints, np.diag(M), strict=True):
        if not own > np.max(np.diag(M)) * 1e-14:
            raise ScenarioError(
                f"Free joint {name!r} moves no inertia; give the bodies that it carries a mass "
                "and moments of inertia, or hold it"
            )


def _refuse(problem: _Problem, residual: Array, excess: Array) -> None:
    worst = int(np.argmax(np.where(np.isfinite(excess), np.abs(excess), np.inf)))
    row = problem.robot.coordinates[int(np.flatnonzero(problem.free)[worst])]
    raise ScenarioError(
        f"No equilibrium of the free joints ({', '.join(problem.joints)}) was found: joint "
        f"{row.name!r} is left with {abs(residual[worst]):.6g} {row.units.effort}; "
        "start elsewhere, or hold it"
    )
