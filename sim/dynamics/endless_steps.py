"""Detection of endless integrations: steps without progress, or too many."""

from __future__ import annotations

import numpy as np

from sim.dynamics.equations_of_motion import FrictionModes
from sim.dynamics.fastest_change import fastest_change
from sim.dynamics.implicit_steps import rates_of_motion
from sim.dynamics.single_state import machine_code
from sim.dynamics.smooth_pieces import SmoothPiece
from sim.dynamics.solver import DenseSolver
from sim.dynamics.step_choice import rate_on_loops
from sim.dynamics.stiff_motion import Pace
from sim.errors import ScenarioError

STOPPED = "The free joints could not be integrated beyond"
LESS = "less stiffness or damping, or the joints more inertia, or hold them by drives"

# Relative to the steps per second: slower motions do not explain such short steps.
SLOWER = 0.03


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
    reason = reason.rstrip(".").replace("Required", "the required")
    why = f"{reason}; {_fastest_motion(piece, modes, solver)[1]}. {_remedy(piece, solver)}"
    return ScenarioError(f"{STOPPED} t = {solver.t:.6g} s: {why}")


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
