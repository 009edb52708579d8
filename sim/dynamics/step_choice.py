"""Choice of the solver of a piece, its tolerances, and its longest step."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from msgspec import structs

from sim.dynamics.closed_positions import least_singular_values, rounding_through_loops
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.explicit_steps import ExplicitSteps
from sim.dynamics.friction import needs_reaction, viscous_matrix
from sim.dynamics.hybrid import ExtendedDynamics, HybridDynamics, LagrangianDynamics
from sim.dynamics.implicit_steps import ASIDE, ImplicitSteps, rates_of_motion
from sim.dynamics.lagrange import mass_matrix
from sim.dynamics.single_state.rate import Rate, SingleStateRate, rate_of
from sim.dynamics.singular_poses import SingularPoses
from sim.dynamics.smooth_pieces import MotionSegment, SmoothPiece, has_others, shapes_in
from sim.dynamics.solver import DenseSolver
from sim.dynamics.state_layout import StateLayout
from sim.dynamics.stiff_motion import CALM, is_stiff
from sim.kinematics.forward import Kinematics
from sim.maths.arrays import Array

RTOL, ATOL = 1e-12, 1e-13

# Tolerance of the states of motors and controllers, which decay in fractions of a millisecond; a
# tolerance of 1e-12, whose digits they do not have, would take two and a half times the steps.
OWN_RTOL, OWN_ATOL = 1e-9, 1e-10

# Steps allowed for the decay of fast modes; and width of differences to tell slopes from jumps.
MOST_CALM, WIDER = 4000, 10 * ASIDE

NOISY = 0.1  # s; allowed error of a step: rounding of accelerations times this duration
TRIALS = 4  # states with different last digits, to estimate the rounding of powers


def steps_from(
    piece: SmoothPiece, modes: FrictionModes, rate: Rate, begin: float, y: Array, step: float | None
) -> DenseSolver:
    """Return the solver of a piece from a state on; `step` is the first to be tried [s]."""
    mechanism, layout = piece.mechanism, piece.mechanism.layout
    rtol, atol = np.full_like(y, RTOL), np.full_like(y, ATOL)
    rtol[layout.actuators], atol[layout.actuators] = OWN_RTOL, OWN_ATOL
    nearby = _by_model(mechanism, modes) if piece.is_stiff else rate
    prepared = [one for one in (rate, nearby) if isinstance(one, SingleStateRate)]

    def prepare(times: Array) -> None:
        for one in prepared[:1]:
            one.prepare(times)
        for one in prepared[1:]:  # for the same motors and drives
            one.ahead, one.driven_at = prepared[0].ahead, prepared[0].driven_at

    def adapt(t: float, y: Array) -> tuple[Array, bool]:
        tolerance = absolute_tolerance(mechanism, modes, t, y)
        tolerance[layout.works] = tolerance_of_works(rate, layout, t, y)
        return tolerance, bool((tolerance[layout.qd] > ATOL).any())

    steps: DenseSolver
    if piece.is_stiff:
        ends, lengths = (piece.end, layout.moving), (step, piece.longest_step)
        steps = ImplicitSteps(rate, nearby, prepare, begin, y, *ends, *lengths, rtol, atol)
    else:
        lengths = step, piece.longest_step
        trains = mechanism.trains
        has_losses = trains is not None and bool(trains.has_losses.any())
        kinked = layout.qd if has_losses or needs_reaction(mechanism.dynamics.robot) else None
        steps = ExplicitSteps(
            rate, begin, y, piece.end, prepare, adapt, *lengths, rtol, atol, kinked
        )
    if mechanism.loops is not None:
        return SingularPoses(steps, mechanism, modes, rate, piece.end)
    return steps


def absolute_tolerance(mechanism: Mechanism, modes: FrictionModes, t: float, y: Array) -> Array:
    """Return the absolute tolerance (size,) of an explicit solver at a state y (size,).

    Near a singular pose of closed loops it is not below the rounding of accelerations there, which
    shorter steps would not reduce.
    """
    layout, free, atol = mechanism.layout, mechanism.prescription.free, np.full_like(y, ATOL)
    atol[layout.actuators] = OWN_ATOL
    loops = mechanism.loops
    if loops is not None and mechanism.is_nearly_singular(t, y):
        at = structs.replace(mechanism, dynamics=loops.tree).at(np.array([t]), y[:, None], modes)
        sigma = least_singular_values(loops.robot, at.q, ~free, loops.rank)
        M = mass_matrix(loops.robot, at.q)
        _, noise = rounding_through_loops(M, at.qdd, free, sigma)
        atol[layout.qd] = np.maximum(ATOL, NOISY * noise[free, 0])
        atol[layout.q] = np.maximum(ATOL, NOISY**2 * noise[free, 0])
    return atol


def tolerance_of_works(rate: Rate, layout: StateLayout, t: float, y: Array) -> Array:
    """Return the absolute tolerances (2 n + 1,) of the works at a state y (size,) [J].

    Powers that cancel leave rounding that no shorter step reduces: 1e10 W of a force on two links
    that move together leaves 1e-6 W. The tolerance is not below the accumulated rounding.
    """
    signs = _random_signs(layout.moving)
    aside = np.repeat(y[None], TRIALS, axis=0)
    aside[:, : layout.moving] += (
        np.finfo(float).eps * signs * np.maximum(1.0, np.abs(y[: layout.moving]))
    )
    powers = np.array([rate(t, one)[layout.works] for one in aside])
    return np.maximum(ATOL, NOISY * np.ptp(powers, axis=0))


@lru_cache(maxsize=16)
def _random_signs(count: int) -> Array:
    """Return random signs (TRIALS, count), always the same."""
    return np.random.default_rng(0).choice((-1.0, 1.0), size=(TRIALS, count))


def _by_model(mechanism: Mechanism, modes: FrictionModes) -> Rate:
    """Return the rate with the model's accelerations, which approximate an engine's."""
    return rate_of(structs.replace(mechanism, dynamics=_model_of(mechanism.dynamics)), modes)


def _model_of(dynamics: HybridDynamics) -> HybridDynamics:
    if isinstance(dynamics, ExtendedDynamics):
        return structs.replace(dynamics, tree=_model_of(dynamics.tree))
    return LagrangianDynamics(dynamics.robot, dynamics.gravity)


def rate_on_loops(mechanism: Mechanism, modes: FrictionModes) -> Rate:
    """Return the model's rate at the nearest state with closed loops: motions that loops allow.

    States off the loops have motions of their own, seemingly decaying behind a singular pose.
    """
    rate = _by_model(mechanism, modes)
    if mechanism.loops is None:
        return rate

    def closed_rate(t: float, y: Array) -> Array:
        return rate(t, mechanism.with_closed_loops(np.array([t]), y[:, None], modes)[:, 0])

    return closed_rate


def in_contact(mechanism: Mechanism, t: float, y: Array) -> bool:
    """Whether shapes touch at a state y (size,)."""
    if mechanism.loads is None:
        return False
    q, qd, _ = mechanism.motion(np.array([t]), y[:, None])
    kinematics, elements = Kinematics(mechanism.dynamics.robot, q, qd), shapes_in(mechanism.loads)
    return any(bool(one.totals(kinematics)[0, 10]) for one in elements)


def with_suited_steps(
    piece: SmoothPiece, modes: FrictionModes, y: Array, last: MotionSegment | None = None
) -> SmoothPiece:
    """Return the piece with implicit steps if these are fewer, else with a suitable longest step.

    The choice depends on the motion about the state at the beginning, and on the steps of the
    `last` segment, if it continues; a held law begins a piece at each sample.
    """
    mechanism = piece.mechanism
    actuation, span = mechanism.prescription.actuation, piece.end - piece.begin
    touches = in_contact(mechanism, piece.begin, y)
    is_left_alone = actuation is None and not (touches or has_others(mechanism.loads))
    is_held = actuation is not None and actuation.hold is not None
    if is_held or (is_left_alone and not viscous_matrix(mechanism.dynamics.robot).any()):
        return piece
    rate, size = rate_on_loops(mechanism, modes), mechanism.layout.moving
    values = rates_of_motion(rate, piece.begin, y, size)
    decay = -float(values.real.min(initial=0.0))
    longest = piece.longest_in_contact if touches else piece.longest_implicit_step
    if decay * longest <= CALM:
        return piece
    wider = rates_of_motion(rate, piece.begin, y, size, aside=WIDER)
    if not 0.5 < np.abs(wider).max() / np.abs(values).max() < 2.0:  # a law jumps there
        return piece
    if is_stiff(values, span, last.step if last is not None and last.is_stiff else 0.0):
        return structs.replace(piece, is_stiff=True, longest_step=longest)
    is_dear = decay * span > CALM * MOST_CALM
    step = min(piece.longest_step, CALM / decay)
    return piece if is_dear else structs.replace(piece, longest_step=step)
