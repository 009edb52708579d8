"""Detection of endless integrations, and the force that changes fastest with the motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.dynamics.constrained_dynamics import loops_of
from sim.dynamics.element_sum import STEP, ElementSum
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.force_element import ElementState, ForceElement, Slopes
from sim.dynamics.friction import viscous_matrix
from sim.dynamics.implicit_steps import rates_of_motion
from sim.dynamics.single_state import machine_code
from sim.dynamics.smooth_pieces import SmoothPiece
from sim.dynamics.solver import DenseSolver
from sim.dynamics.step_choice import rate_on_loops
from sim.dynamics.sticking_dynamics import mobility
from sim.dynamics.stiff_motion import Pace
from sim.errors import ScenarioError, SimError
from sim.kinematics.loop_equations import loop_equations
from sim.maths.arrays import Array

STOPPED = "The free joints could not be integrated beyond"
LESS = "less stiffness or damping, give the joints more inertia, or hold them by drives"

# Relative to the steps per second: slower motions do not explain such short steps.
SLOWER = 0.03

DEAD = 1e-5  # singular value of loop equations, relative to the largest: a solver comes to 1e-8


def fastest_change(mechanism: Mechanism, t: float, y: Array) -> tuple[str, float]:
    """Return what alone makes the free joints' motion fastest at a state (size,), and |λ| [1/s].

    λ are the eigenvalues of M⁻¹ ∂τ/∂qd, and the roots of those of M⁻¹ ∂τ/∂q; infinite for what has
    no finite value next to the state. Far away, where no slope is left of the digits, it is the
    largest force. The text is empty without forces.
    """
    q, _, _ = mechanism.motion(np.array([t]), y[:, None])
    P, rates = mobility(mechanism.dynamics, q, ~mechanism.prescription.free)[0], [("", 0.0)]
    with np.errstate(all="ignore"):
        for label, slopes in _slopes(mechanism, t, y):
            parts = [P @ x[..., 0] for x in (slopes.q, slopes.qd)]
            if not all(np.isfinite(x).all() for x in parts):
                return label, np.inf
            k, c = (float(np.abs(np.linalg.eigvals(x)).max()) for x in parts)
            rates.append((label, max(np.sqrt(k), c)))
        if (most := max(rates, key=lambda one: one[1]))[0]:
            return most
        sizes = [
            (float(np.abs(P @ ElementSum(at.robot, (one,)).torque(at)).max()), one)
            for one, at in _elements(mechanism, t, y)
        ]
    largest = max(sizes, key=lambda one: one[0], default=(0.0, None))[1]
    return ("", 0.0) if largest is None else (_name_of(largest, mechanism), np.inf)


def _elements(
    mechanism: Mechanism, t: float, y: Array
) -> Iterator[tuple[ForceElement, ElementState]]:
    if (loads := mechanism.loads) is not None:
        times = np.array([t])
        q, qd, _ = mechanism.motion(times, y[:, None])
        yield from loads.each(loads.at(times, q, qd, y[mechanism.layout.elements, None]))


def _slopes(mechanism: Mechanism, t: float, y: Array) -> Iterator[tuple[str, Slopes]]:
    """Yield the slopes of each force element, of the motors and of viscous friction."""
    q, qd, _ = mechanism.motion(np.array([t]), y[:, None])
    none = np.zeros((len(q), len(q), 1))
    for one, state in _elements(mechanism, t, y):
        try:
            slopes = one.slopes(state)
        except SimError:  # the force has no value next to this state
            slopes = Slopes(none + np.inf, none)
        if slopes is not None:
            yield _name_of(one, mechanism), slopes
    viscous = viscous_matrix(mechanism.dynamics.robot)[..., None]
    yield "viscous friction of the joints", Slopes(none, viscous)
    if (motors := mechanism.prescription.actuation) is not None:
        aside = STEP * np.hstack([np.eye(2 * len(q)), -np.eye(2 * len(q))])
        q_aside, qd_aside = np.split(np.concatenate([q, qd]) + aside, 2)
        z = np.repeat(mechanism.motor_states(y)[:, None], aside.shape[1], axis=1)
        ahead, behind = np.split(motors(np.full(len(z.T), t), q_aside, qd_aside, z), 2, axis=1)
        of_q, of_qd = np.split((ahead - behind)[..., None] / (2 * STEP), 2, axis=1)
        yield "the torque of the motors", Slopes(of_q, of_qd)


def _name_of(element: ForceElement, mechanism: Mechanism) -> str:
    """Return the text for a message: ``Contact 'foot'``, ``"joint 'elbow' has an end stop"``."""
    name = getattr(element, "label", "")
    return str(name) if name else element.title(mechanism.dynamics.robot)


def require_advance(piece: SmoothPiece, solver: DenseSolver, last: float) -> float:
    """Return the time after another `machine_code.STEPS` steps if they made progress [s]."""
    now = solver.t
    if machine_code.is_stalled(now - last, piece.longest_step):
        name, _ = fastest_change(piece.mechanism, now, solver.y)
        raise ScenarioError(
            f"{STOPPED} t = {now:.6g} s: there "
            f"{machine_code.STEPS} steps of the solver are {now - last:.1g} s long; "
            f"{name or 'a force or a torque'} grows without bound, or jumps again and again"
        )
    return now


def require_end(piece: SmoothPiece, modes: FrictionModes, solver: DenseSolver, pace: Pace) -> None:
    """Require that the remaining steps are not too many, at the pace of the previous ones.

    Raises
    ------
    ScenarioError
        Names the fastest motion and its rate, the steps per second, and a remedy.
    """
    steps = pace.steps_left(solver.cost * machine_code.STEPS, solver.t, piece.end)
    if steps is None:
        return
    steps /= solver.cost
    a_second = steps / (piece.end - solver.t)
    rate, why = _fastest_motion(piece, modes, solver)
    if rate < SLOWER * a_second:
        name = fastest_change(piece.mechanism, solver.t, solver.y)[0] or "a force or a torque"
        why = f"{name} changes within {1 / a_second:.1g} s"
    raise ScenarioError(
        f"{STOPPED} t = {solver.t:.6g} s: {why}, and the solver takes some "
        f"{a_second:.3g} steps per second, {steps:.3g} up to t = {piece.end:.6g} s. "
        f"{_remedy(piece, solver)}, or shorten the run"
    )


def stopped_error(
    piece: SmoothPiece, modes: FrictionModes, solver: DenseSolver, reason: str
) -> ScenarioError:
    """Return the error of a solver that failed for a reason of its own."""
    if _is_dead_point(piece.mechanism, solver):
        return ScenarioError(
            f"{STOPPED} t = {solver.t:.6g} s: the loops come to a dead point there, beyond which "
            "no motion of the free joints follows the drives. Change the drives or the lengths of "
            "the links, or free a joint that is driven"
        )
    reason = reason.rstrip(".").replace("Required", "the required")
    why = f"{reason}; {_fastest_motion(piece, modes, solver)[1]}. {_remedy(piece, solver)}"
    return ScenarioError(f"{STOPPED} t = {solver.t:.6g} s: {why}")


def _is_dead_point(mechanism: Mechanism, solver: DenseSolver) -> bool:
    """Whether closed loops lose an equation for the joints without a drive at the last state."""
    dynamics, free = loops_of(mechanism.dynamics), mechanism.prescription.free
    if dynamics is None or not dynamics.rank or free.all():
        return False
    q = mechanism.motion(np.array([solver.t]), solver.y[:, None])[0]
    robot = dynamics.robot
    J = loop_equations(robot, robot.q_tree(q)).J[..., 0] @ robot.coupling[0][:, free]
    sizes = np.linalg.svd(J, compute_uv=False)[: dynamics.rank]
    return bool(sizes.size < dynamics.rank or sizes[-1] < DEAD * sizes[0])


def _remedy(piece: SmoothPiece, solver: DenseSolver) -> str:
    """Return which force or torque makes the motion fast, and what to change."""
    name, rate = fastest_change(piece.mechanism, solver.t, solver.y)
    if not name:
        return f"Give it {LESS}"
    alone = f" ({rate:.3g} 1/s alone)" if np.isfinite(rate) else ""
    return f"Most of it is due to {name}{alone}: give it {LESS}"


def _fastest_motion(
    piece: SmoothPiece, modes: FrictionModes, solver: DenseSolver
) -> tuple[float, str]:
    """Return the magnitude |λ| of the free joints' fastest motion [1/s], and a text."""
    rate, size = rate_on_loops(piece.mechanism, modes), piece.mechanism.layout.moving
    with np.errstate(all="ignore"):
        values = rates_of_motion(rate, solver.t, solver.y, size)
    fastest = values[np.argmax(np.abs(values))]
    moves = f"oscillates at {abs(fastest.imag) / (2 * np.pi):.3g} Hz"
    if abs(fastest.imag) <= abs(fastest.real):
        moves = f"{'decays' if fastest.real < 0 else 'grows'} with {abs(fastest.real):.3g} 1/s"
    return float(abs(fastest)), f"the fastest motion of the free joints {moves}"
