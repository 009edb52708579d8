"""How many steps stiff springs and dampers of free joints will cost, said before a run begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.dynamics.lagrange import mass_matrix
from sim.errors import ScenarioError
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot
from sim.simulation.problem import Problem

# An explicit solver of order eight is stable up to about h |λ| = 6 (Hairer, Nørsett and Wanner,
# Solving Ordinary Differential Equations II, section IV.2: the size of its region).
STABLE = 6.0
MOST_STEPS = 20_000  # a few minutes; a step asks engine and model twelve times each
WORTH_A_WORD = 1000.0  # steps a second


@dataclass(frozen=True)
class StiffMode:
    """The fastest motion of the free joints about the start.

    Parameters
    ----------
    joint : str
        That moves most in it, by its inertia.
    rate : float
        |λ| [1/s].
    frequency : float
        Of its oscillation [Hz]; zero if it only decays.
    """

    joint: str
    rate: float
    frequency: float

    @property
    def steps_a_second(self) -> float:
        """How many steps an explicit solver needs at least [1/s]."""
        return self.rate / STABLE


def stiffest_mode(robot: Robot, q: Array, free: Mask) -> StiffMode | None:
    """Of M qdd + D qd + K q = 0, with springs and viscous friction; None without any.

    Parameters
    ----------
    q : ndarray, shape (n,)
        [rad or m]
    free : ndarray of bool, shape (n,)
    """
    S, _ = robot.coupling
    springs = [joint.force("spring") for joint in robot.tree_row_joints]
    k = np.array([getattr(spring, "stiffness", 0.0) for spring in springs])
    d = np.array([getattr(spring, "damping", 0.0) for spring in springs])
    d += [joint.damping for joint in robot.tree_row_joints]
    own = np.ix_(free, free)
    K, D = (S.T @ (rates[:, None] * S) for rates in (k, d))
    if not (K[own].any() or D[own].any()):
        return None
    M = mass_matrix(robot, q[:, None])[own][..., 0]
    n = len(M)
    A = np.zeros((2 * n, 2 * n))
    A[:n, n:] = np.eye(n)
    A[n:] = -np.linalg.solve(M, np.hstack([K[own], D[own]]))
    values, vectors = np.linalg.eig(A)
    fastest = int(np.argmax(np.abs(values)))
    share = np.sqrt(np.diag(M)) * np.abs(vectors[n:, fastest])
    names = [name for name, is_free in zip(robot.row_names, free, strict=True) if is_free]
    oscillates = abs(values[fastest].imag) / (2 * np.pi)
    return StiffMode(names[int(np.argmax(share))], float(abs(values[fastest])), float(oscillates))


def require_affordable_steps(problem: Problem) -> None:
    """Refuse a run whose free joints are so stiff that its steps would take very long.

    Raises
    ------
    ScenarioError
        Names joint, frequency or decay, steps a second and in all, and what to do.
    """
    mode = _of(problem)
    if mode is None:
        return
    duration = float(problem.t[-1] - problem.t[0])
    steps = mode.steps_a_second * duration
    if steps > MOST_STEPS:
        raise ScenarioError(
            f"{_told(mode)} a second, {steps:.3g} for {duration:g} s; at most {MOST_STEPS} are "
            f"taken, which is {MOST_STEPS / mode.steps_a_second:.3g} s. Give it less stiffness or "
            "damping, more inertia or a shorter run, or hold it by a drive"
        )


def stiffness_note(problem: Problem) -> tuple[str, ...]:
    """What is said of a run that is stiff, yet not too stiff."""
    mode = _of(problem)
    if mode is None or mode.steps_a_second < WORTH_A_WORD:
        return ()
    return (f"{_told(mode)} a second",)


def _of(problem: Problem) -> StiffMode | None:
    """The stiffest mode of what any stage carries, at the start; only where a solver marches."""
    free, t = problem.path.free, problem.t
    if not (problem.method.solves_motion and free.any()) or problem.robot.loops:
        return None
    q = problem.prescribed(t[:1]).q[:, 0]
    modes = [stiffest_mode(stage.robot, q, free) for stage in problem.payloads.stages]
    return max((one for one in modes if one is not None), key=lambda m: m.rate, default=None)


def _told(mode: StiffMode) -> str:
    moves = f"oscillates at {mode.frequency:.3g} Hz"
    if mode.frequency == 0:
        moves = f"decays by 1/e in {1 / mode.rate:.2g} s"
    return (
        f"Free joint {mode.joint!r} is stiff: with its spring and damping it {moves}, and the "
        f"solver takes some {mode.steps_a_second:.3g} steps"
    )
