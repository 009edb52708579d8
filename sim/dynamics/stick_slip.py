"""Joints held by dry friction, and the events at which their modes change.

A joint at rest stays while holding it takes no more than its dry limit; a moving one has the limit
against its motion. The holding torque depends on which other joints are held, so the modes of all
are determined together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.friction_in_loops import breaks_away
from sim.dynamics.holding_friction import HELD
from sim.dynamics.hybrid import HoldingDynamics
from sim.dynamics.pinned_joints import GRIP, PINNED, ROUNDING, STILL, first_turns
from sim.dynamics.rough_joints import AT_REST
from sim.dynamics.solver import DenseSolution
from sim.dynamics.sticking import has_stiction
from sim.errors import ScenarioError
from sim.maths.arrays import Array, Mask

# Times (N,) and states (size, N) -> dry friction that each stuck joint could still take, (n, N)
# [N·m or N]; None if it is not known.
SpareFriction = Callable[[Array, Array], Array | None]

CHECKS = 8  # points per step where modes are checked, besides the samples
HALVINGS = 40  # bisections of the first, to find where a joint that starts at rest slides


def consistent_modes(
    mechanism: Mechanism, t: float, y: Array, breaking: Mapping[int, float]
) -> FrictionModes:
    """Return the modes of all joints from an instant on.

    Joints at rest are first assumed to be held. While some exceed their limits, the one that
    exceeds its limit most is released; one that then moves against its friction is held again.

    Parameters
    ----------
    t : float
        [s]
    y : ndarray, shape (size,)
        The solver's state; velocities are zero at rest.
    breaking : mapping of int to float
        Joints that break away now, and the sense of their motion, 1 or -1.

    Raises
    ------
    ScenarioError
        If there are no consistent modes; names joint and time.
    """
    free, rough = mechanism.prescription.free, mechanism.has_dry_friction
    slide = np.zeros(free.size)
    qd = y[mechanism.layout.qd]
    at_rest = 0.0 if mechanism.rough_loops is None else AT_REST
    slide[free] = np.where(np.abs(qd) > at_rest, np.sign(qd), 0.0)
    slide[~rough] = 0.0
    resting = rough & (slide == 0)
    if mechanism.rough_loops is not None:
        return _consistent_in_loops(mechanism, t, y, slide, resting)
    for joint, sense in breaking.items():
        slide[joint] = sense
    joint = 0
    for _ in range(4 * free.size + 4):
        modes = FrictionModes(rough & (slide == 0), slide.copy())
        if not resting.any():
            return modes
        balance = mechanism.at(np.array([t]), y[:, None], modes)
        grip = (1 + GRIP) * balance.limit[:, 0] + ROUNDING * mechanism.weight
        excess = np.where(modes.stuck, np.abs(balance.friction[:, 0]) - grip, 0.0)
        still = PINNED * (1.0 + np.abs(balance.qdd).max()) if _slack(mechanism) else 0.0
        dragged = resting & (slide * balance.qdd[:, 0] < -still)
        if dragged.any():
            joint = int(np.argmax(dragged))
            slide[joint] = 0.0
        elif (excess > 0).any():
            joint = int(np.argmax(excess / np.maximum(grip, np.finfo(float).tiny)))
            slide[joint] = np.sign(balance.friction[joint, 0])
        else:
            return modes
    raise ScenarioError(
        f"Joint {mechanism.dynamics.robot.row_names[joint]!r} can neither stick nor slip at "
        f"t = {t:.6g} s: the dry friction of several joints has no consistent solution"
    )


def _consistent_in_loops(
    mechanism: Mechanism, t: float, y: Array, slide: Array, resting: Mask
) -> FrictionModes:
    """Return consistent modes if joints of closed loops come to rest, and break away, together."""
    if not resting.any():
        return FrictionModes(resting, slide)
    at = np.array([t]), y[:, None]
    excess = mechanism.at(*at, FrictionModes(resting, slide)).excess[:, 0]
    free = np.where(
        resting, mechanism.at(*at, FrictionModes(np.zeros_like(resting), slide)).qdd[:, 0], 0.0
    )
    excess = np.where(np.abs(excess) > _rounding(mechanism), excess, 0.0)
    sense = breaks_away(excess, free)
    return FrictionModes(resting & (sense == 0), slide + sense)


def come_to_rest(mechanism: Mechanism, y: Array, joint: int) -> Array:
    """Return the state y (size,) with a sliding joint at rest, and those coupled to it by loops."""
    y, free = y.copy(), mechanism.prescription.free
    qd = y[mechanism.layout.qd]  # a view
    if mechanism.rough_loops is not None:
        qd[mechanism.has_dry_friction[free] & (np.abs(qd) <= AT_REST)] = 0.0
    qd[np.count_nonzero(free[:joint])] = 0.0
    return y


def margins(
    mechanism: Mechanism,
    modes: FrictionModes,
    t: Array,
    y: Array,
    spare_friction: SpareFriction | None = None,
) -> Array:
    """Return the margin of each joint before it leaves its mode, at y (size, N), shape (n, N).

    Below zero it has left it.

    The velocity of a sliding joint along its sense, or how far it is from the bounds of its range
    of speed; the dry limit of a stuck joint less what it takes to hold it; infinite where nothing
    dry rubs. `spare_friction` computes the second faster.
    """
    free = mechanism.prescription.free
    margin = np.full((free.size, t.size), np.inf)
    slides = modes.slide != 0
    along = (modes.slide[free, None] * y[mechanism.layout.qd])[slides[free]]
    margin[slides] = _margin(modes, slides, along) + _slack(mechanism)
    if modes.stuck.any() and mechanism.rough_loops is not None:
        excess = np.abs(mechanism.at(t, y, modes).excess).max(axis=0)
        loose = mechanism.at(t, y, FrictionModes(np.zeros_like(modes.stuck), modes.slide)).qdd
        least = np.maximum(HELD * np.abs(loose[modes.stuck]).max(axis=0), _rounding(mechanism))
        margin[modes.stuck] = least - excess
    elif not modes.stuck.any():
        pass
    elif spare_friction is not None and (spare := spare_friction(t, y)) is not None:
        margin[modes.stuck] = spare[modes.stuck]
    else:
        balance = mechanism.at(t, y, modes)
        grip = (1 + GRIP) * balance.limit + ROUNDING * mechanism.weight
        margin[modes.stuck] = (grip - np.abs(balance.friction))[modes.stuck]
    return margin


def _rounding(mechanism: Mechanism) -> float:
    """Rounding of accelerations in loops [rad/s² or m/s²] where a contact may balance the rest."""
    return PINNED if any(map(has_stiction, mechanism.elements)) else 0.0


def _slack(mechanism: Mechanism) -> float:
    """Speed against its sense at which a joint still slides [rad/s or m/s]."""
    return STILL if isinstance(mechanism.dynamics, HoldingDynamics) else 0.0


def _margin(modes: FrictionModes, joints: Mask | list[int], along: Array) -> Array:
    """Distance of speeds along the motion, (joints, N), from the nearer bound of their range."""
    if modes.speeds is None:
        return along
    low, high = modes.speeds[joints].T[..., None]
    return np.asarray(np.minimum(along - low, high - along))


def _dips(x: Array, values: Array) -> Array:
    """Return where the parabolas through three adjacent values (n, N) have their minima."""
    known = values[np.isfinite(values).all(axis=1)]
    slopes = np.diff(known) / np.diff(x)
    joints, k = np.nonzero((slopes[:, :-1] < 0) & (slopes[:, 1:] > 0))
    left, right = slopes[joints, k], slopes[joints, k + 1]
    return np.asarray(0.5 * (x[k] + x[k + 1] - left * (x[k + 2] - x[k]) / (right - left)))


def first_change(
    mechanism: Mechanism,
    modes: FrictionModes,
    t: Array,
    solution: DenseSolution,
    spare_friction: SpareFriction | None = None,
) -> tuple[float, int | None]:
    """Return time and joint of the first change of mode in a step; its end if there is none.

    A sliding joint that starts at rest has a margin of zero there, and rounding may leave any joint
    at its margin: only a negative margin later in the step counts.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Samples at which the modes are checked, besides `CHECKS` points of the step [s].
    solution : callable
        Time [s] -> state within a step, with its ends `t_old` and `t`.
    spare_friction : callable, optional
        In these modes.
    """
    begin, end = float(solution.t_old), float(solution.t)
    free, layout = mechanism.prescription.free, mechanism.layout
    if not mechanism.has_dry_friction.any():
        return end, None
    from scipy.optimize import brentq

    def margin(times: Array) -> Array:
        return margins(mechanism, modes, times, solution(times), spare_friction)

    def of_joint(time: float, joint: int) -> float:
        if modes.slide[joint]:  # its margin is its speed; the balance is not needed
            row = np.count_nonzero(free[:joint])
            along = modes.slide[joint] * solution(time)[layout.qd][row]
            return float(_margin(modes, [joint], np.array([[along]]))[0, 0]) + slack
        return float(margin(np.array([time]))[joint, 0])

    slack, inside = _slack(mechanism), t[(t > begin) & (t < end)]
    places = np.unique(np.concatenate([inside, np.linspace(begin, end, CHECKS + 1)]))
    values = margin(places)
    if (dips := _dips(places, values)).size:  # in between, a margin may be negative
        places, at = np.unique(np.concatenate([places, dips]), return_index=True)
        values = np.concatenate([values, margin(dips)], axis=1)[:, at]
    has_changed = values[:, 1:] < 0
    changes = first_turns(mechanism, modes, solution, places)
    for joint in np.flatnonzero(has_changed.any(axis=1)).tolist():
        k = int(np.argmax(has_changed[joint]))
        low, high = places[k : k + 2].tolist()
        # One that slides from rest may have moved and returned before the first check.
        parts = (low + (high - low) * 0.5**halvings for halvings in range(1, HALVINGS + 1))
        times = [low, *parts] if modes.slide[joint] else [low]
        slides = next((time for time in times if of_joint(time, joint) > 0), None)
        if slides is not None:
            low = brentq(of_joint, slides, high, args=(joint,), xtol=1e-15)
        changes.append((low, joint))
    return min(changes, default=(end, None))
