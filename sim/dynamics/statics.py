"""Statics: torques that hold a robot still, and equilibria of joints without drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics import newton_euler
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force_element import ForceElement
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.newton_euler import Wrenches
from sim.dynamics.static_balance import Loads, StaticBalance, torque_in_joints
from sim.dynamics.wrench import Acting
from sim.errors import ScenarioError
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arguments import checked
from sim.maths.arrays import Array, Mask, frozen
from sim.robots.robot import Robot

Stability = Literal["stable", "neutral", "unstable"]

FOUND = 1e-10  # allowed residual of the balance, relative to the loads
PLACED = 1e-12  # rad or m; resolution of a joint's position
NEUTRAL = 1e-10  # relative to the loads, per rad or m; a lower stiffness counts as none
TURNED = 4 * np.pi  # rad; a joint that has moved so far has no equilibrium
RELAXATION = 100.0  # s; long compared to any natural period of a robot


def at_rest(robot: Robot, q: Array, gravity: Gravity = GRAVITY, external: Acting = ()) -> Wrenches:
    """Return torques that hold a robot still, and the reactions, at a pose or a path of poses.

    Springs and stops in the joints are included; dry friction, which could hold any pose, is not.
    Other arguments and errors are those of `sim.dynamics.newton_euler.inverse_dynamics`.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        [rad or m]
    """
    still = np.zeros_like(q)
    held = newton_euler.wrenches(robot, q, still, still, gravity, external)
    return Wrenches(held.tau - torque_in_joints(robot, q), held.reaction)


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A pose in which the free joints are in equilibrium.

    Parameters
    ----------
    joints : tuple of str, length n
        All independent joints.
    q : ndarray, shape (n,)
        Their positions [rad or m].
    residual : ndarray, shape (free,)
        Residual of the balance at each free joint [N·m or N].
    stiffness : ndarray, shape (free, free)
        K = ∂(g - Jᵀ F - tau)/∂q of the free joints, including springs and stops
        [N·m/rad, N, N/m].
    frequency : ndarray, shape (free,)
        Undamped natural frequencies about the pose, ascending [Hz]: zero without a restoring force,
        NaN if unstable. If a force is not smooth at the pose, they use the mean of its slopes.
    stability : str
        ``stable``; ``unstable``; ``neutral`` if some motion has neither a restoring nor a repelling
        force; if a force is not smooth at the pose, the worst of its two sides and their mean.
    """

    joints: tuple[str, ...]
    q: Array
    residual: Array
    stiffness: Array
    frequency: Array
    stability: Stability

    @property
    def positions(self) -> dict[str, float]:
        """Positions by joint [rad or m]."""
        return dict(zip(self.joints, self.q.tolist(), strict=True))

    def __post_init__(self) -> None:
        for name in ("q", "residual", "stiffness", "frequency"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


@checked
def equilibrium(
    robot: Robot,
    free: Mask | Sequence[str],
    q0: ArrayLike | Mapping[str, float],
    torque: ArrayLike | None = None,
    gravity: Gravity = GRAVITY,
    external: Acting = (),
    loads: Loads | None = None,
    forces: Sequence[ForceElement] = (),
    t: float = 0.0,
) -> Equilibrium:
    """Find a pose with ``g(q) - Jᵀ F - tau = 0`` at the free joints, and its stability.

    With closed loops the balance is that of the motions that they allow, Zᵀ (g - Jᵀ F - tau) = 0:
    the joints determined by the loops follow, and loop forces are not needed.

    From `q0` an overdamped motion leads to a stable equilibrium, if there is one; then the balance
    is solved (Levenberg and Marquardt). From an unstable equilibrium there is no motion. Springs
    and stops of the robot's joints are part of `tau`. Dry friction is omitted: it would hold a
    joint anywhere nearby.

    Parameters
    ----------
    free : ndarray of bool, shape (n,), or sequence of str
        Free joints, as a mask or by name; the others stay at `q0`, except for those determined by
        closed loops.
    q0 : array_like, shape (n,), or mapping of str to float
        Start of the search [rad or m] (default of joints not named: zero). For joints determined by
        closed loops it is a guess that selects the assembly.
    torque : ndarray, shape (n,), optional
        Constant torques on the joints [N·m or N]; those of held joints are ignored.
    gravity : tuple of float
        In the world [m/s²].
    external : sequence of AppliedWrench
        Constant wrenches, one sample each.
    loads : callable, optional
        Torques and wrenches that depend on position, in addition to the robot's springs and stops.
    forces : sequence of ForceElement
        Force elements on links, such as a `Spring` between markers; at rest, in their first state.
    t : float
        Time, for forces that depend on it [s].

    Returns
    -------
    Equilibrium
        Stable if all eigenvalues of M⁻¹ K are positive (frequencies √λ / 2π).

    Raises
    ------
    ScenarioError
        If no equilibrium is found (the message gives the joint farthest from its balance), nothing
        is free, a free joint has no inertia, or loops stay open.
    ModelError
        If a wrench acts on a link that is not in the robot.
    """
    free, q0 = _free_mask(robot, free) & ~passive_joints(robot), _start(robot, q0)
    tau = None if torque is None else _of_joints(robot, torque, "torque", "N·m or N")
    for force in forces:
        force.require_usable(robot, t)
    elements = ElementSum(robot, tuple(forces))
    problem = StaticBalance(robot, free, q0, tau, gravity, tuple(external), loads, elements, t)
    _require_free(problem)
    problem = replace(problem, q0=problem.close_loops(q0[free]))
    inertia = problem.inertia(q0[free])
    _require_inertia(problem, inertia)
    x = _solve(problem, np.diag(inertia))
    K, residual = problem.stiffness(x), problem.residual(x[:, None])[:, 0]
    scale = problem.scale(x)
    allowed = FOUND * scale + np.abs(K) @ (PLACED * (1 + np.abs(x)))
    if not np.all(np.abs(residual) <= allowed):
        _refuse(problem, residual, residual / allowed)
    M = problem.inertia(x)
    frequency, stability = _oscillation(M, K, scale)
    if problem.is_rough(x):
        sides = [_oscillation(M, problem.stiffness(x, side), scale)[1] for side in (-1, 1)]
        stability = max(stability, *sides, key=("stable", "neutral", "unstable").index)
    q = problem.q(x[:, None])[:, 0]
    return Equilibrium(tuple(robot.row_names), q, residual, K, frequency, stability)


def _free_mask(robot: Robot, free: Mask | Sequence[str]) -> Mask:
    """Return the mask of the free joints, from a mask or from their names."""
    names = robot.row_names
    listed = [free] if isinstance(free, str) else np.ravel(free).tolist()
    if all(isinstance(one, str) for one in listed):
        unknown = [one for one in listed if one not in names]
        if unknown:
            raise ScenarioError(
                f"Robot {robot.name!r} has no joint {unknown[0]!r} that could be free; joints: "
                f"{', '.join(names)}"
            )
        return np.array([name in listed for name in names])
    mask = np.asarray(free)
    if mask.shape != (len(names),) or mask.dtype != bool:
        raise ScenarioError(
            f"`free` takes names of joints, or {len(names)} times True or False, one per joint of "
            f"{robot.name!r} ({', '.join(names)}); got {free!r}"
        )
    return mask


def _start(robot: Robot, q0: ArrayLike | Mapping[str, float]) -> Array:
    names = robot.row_names
    if isinstance(q0, Mapping):
        unknown = [name for name in q0 if name not in names]
        if unknown:
            raise ScenarioError(
                f"Robot {robot.name!r} has no joint {unknown[0]!r} to set an initial position "
                f"for; joints: {', '.join(names)}"
            )
        q0 = [q0.get(name, 0.0) for name in names]
    return _of_joints(robot, q0, "q0", "rad or m")


def _of_joints(robot: Robot, values: ArrayLike, what: str, unit: str) -> Array:
    names = robot.row_names
    try:
        return frozen(values, (len(names),))
    except (TypeError, ValueError):
        raise ScenarioError(
            f"`{what}` takes {len(names)} numbers [{unit}], one per joint of {robot.name!r} "
            f"({', '.join(names)}); got {values!r}"
        ) from None


def _solve(problem: StaticBalance, inertia: Array) -> Array:
    """Find positions where the joints come to rest, or the closest approach, shape (free,).

    A balanced start is returned as it is: on a summit the motion is slow, with short steps.
    """
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
    lowest = start
    if np.any(np.abs(residual(start)) > FOUND * problem.scale(start)):
        rows = [row for row, is_free in enumerate(problem.free) if is_free]
        turns = np.array([problem.robot.coordinates[row].is_angle for row in rows])

        def has_turned(_: float, x: Array) -> float:
            return float(np.abs(x - start)[turns].max(initial=0.0)) - TURNED

        has_turned.terminal = True  # type: ignore[attr-defined]
        span = (0.0, RELAXATION)
        lowest = solve_ivp(
            rate, span, start, "BDF", jac=slope, rtol=1e-4, atol=1e-7, events=has_turned
        ).y[:, -1]
    solution = least_squares(
        residual, lowest, problem.stiffness, method="lm", ftol=1e-15, xtol=1e-15, gtol=1e-15
    )
    return np.asarray(solution.x)


def _oscillation(M: Array, K: Array, scale: Array) -> tuple[Array, Stability]:
    """Return the frequencies of M ẍ + K x = 0 [Hz], and the resulting stability."""
    eigenvalues = np.linalg.eigvals(np.linalg.solve(M, K))
    eigenvalues = eigenvalues[np.argsort(eigenvalues.real)]
    none = NEUTRAL * np.max((scale + np.abs(K).sum(axis=1)) / np.diag(M))
    away = (eigenvalues.real < -none) | (np.abs(eigenvalues.imag) > none)
    idle = ~away & (eigenvalues.real <= none)
    squared = np.where(away, np.nan, np.where(idle, 0.0, eigenvalues.real))
    frequency = np.sqrt(squared) / (2 * np.pi)
    if away.any():
        return frequency, "unstable"
    return frequency, "neutral" if idle.any() else "stable"


def _require_free(problem: StaticBalance) -> None:
    if not problem.joints:
        raise ScenarioError("No joint is free, so there is no equilibrium to compute")


def _require_inertia(problem: StaticBalance, M: Array) -> None:
    for name, inertia in zip(problem.joints, np.diag(M), strict=True):
        if not inertia > np.max(np.diag(M)) * 1e-14:
            raise ScenarioError(
                f"Free joint {name!r} moves no inertia; give the bodies that it carries a mass "
                "and moments of inertia, or hold it"
            )


def _refuse(problem: StaticBalance, residual: Array, excess: Array) -> None:
    worst = int(np.argmax(np.where(np.isfinite(excess), np.abs(excess), np.inf)))
    row = problem.robot.coordinates[int(np.flatnonzero(problem.free)[worst])]
    raise ScenarioError(
        f"No equilibrium of the free joints ({', '.join(problem.joints)}) was found: joint "
        f"{row.name!r} has a residual of {abs(residual[worst]):.6g} {row.units.effort}; "
        "use other initial positions, or hold it"
    )
