"""Number of steps that stiff springs and dampers of free joints cost, before a run begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.dynamics.force_element import ElementSum
from sim.dynamics.friction import viscous_matrix
from sim.dynamics.lagrange import mass_matrix
from sim.errors import ScenarioError
from sim.maths.arrays import Array, Mask
from sim.robots.actuation import Actuation
from sim.simulation.problem import Problem

# An explicit solver of order eight is stable up to about h |λ| = 6 (Hairer, Nørsett and Wanner,
# Solving Ordinary Differential Equations II, section IV.2: the size of its region).
STABLE = 6.0
STEP = 1e-6  # rad, m and per second, of central differences
MOST_STEPS = 20_000  # a few minutes; a step evaluates engine and model twelve times each
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


def stiffest_mode(
    elements: ElementSum, q: Array, free: Mask, actuation: Actuation | None = None
) -> StiffMode | None:
    """Of M qdd + D qd + K q = 0, with elements, motors and viscous friction; None without any.

    Elements that act in a part of their range only are left out: stops and contacts. So are motors
    whose torque is held between samples: it does not follow the state within a step.

    Parameters
    ----------
    elements : ElementSum
        With the robot that carries what it does.
    q : ndarray, shape (n,)
        [rad or m]
    free : ndarray of bool, shape (n,)
    actuation : Actuation, optional
        What motors give at a state.
    """
    robot = elements.robot
    steady = ElementSum(robot, tuple(e for e in elements.elements if not e.is_sudden))
    at = steady.at(np.zeros(1), q[:, None], 0.0 * q[:, None], steady.start[:, None])
    slopes = steady.slopes(at)
    own = np.ix_(free, free)
    of_motors = _slopes_of_motors(actuation, q)
    K = -slopes.q[..., 0] - of_motors[0]
    D = viscous_matrix(robot) - slopes.qd[..., 0] - of_motors[1]
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


def _slopes_of_motors(actuation: Actuation | None, q: Array) -> Array:
    """∂τ/∂q and ∂τ/∂qd of the motors at the start, at rest, by central differences, (2, n, n)."""
    n = q.size
    if actuation is None or actuation.hold is not None:
        return np.zeros((2, n, n))
    aside = STEP * np.eye(2 * n)
    states = np.concatenate([q, np.zeros(n)])[:, None] + np.hstack([aside, -aside])
    z = np.repeat(actuation.start[:, None], 4 * n, axis=1)
    tau = actuation(np.zeros(4 * n), states[:n], states[n:], z)
    ahead, behind = np.split(tau, 2, axis=1)
    slopes = (ahead - behind) / (2 * STEP)
    return np.stack([slopes[:, :n], slopes[:, n:]])


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
            f"{_stiffness_text(mode)} a second, {steps:.3g} for {duration:g} s; at most "
            f"{MOST_STEPS} are taken, which is {MOST_STEPS / mode.steps_a_second:.3g} s. "
            "Give it less stiffness or damping, more inertia, a shorter run, or hold it by a drive"
        )


def stiffness_note(problem: Problem) -> tuple[str, ...]:
    """Warning of a run that is stiff, yet not too stiff."""
    mode = _of(problem)
    if mode is None or mode.steps_a_second < WORTH_A_WORD:
        return ()
    return (f"{_stiffness_text(mode)} a second",)


def _of(problem: Problem) -> StiffMode | None:
    """The stiffest mode of what any stage carries, at the start; only where a solver marches."""
    free, t = problem.path.free, problem.t
    if not (problem.method.solves_motion and free.any()) or problem.robot.loops:
        return None
    q = problem.prescribed_motion(t[:1]).q[:, 0]
    elements = (ElementSum(s.robot, problem.elements.elements) for s in problem.payloads.stages)
    actuation = problem.path.actuation
    modes = [stiffest_mode(each, q, free, actuation) for each in elements]
    return max((one for one in modes if one is not None), key=lambda m: m.rate, default=None)


def _stiffness_text(mode: StiffMode) -> str:
    moves = f"oscillates at {mode.frequency:.3g} Hz"
    if mode.frequency == 0:
        moves = f"decays by 1/e in {1 / mode.rate:.2g} s"
    return (
        f"Free joint {mode.joint!r} is stiff: with its spring, motor and damping it {moves}, and "
        f"the solver takes some {mode.steps_a_second:.3g} steps"
    )
