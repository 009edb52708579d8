"""Motion of free joints by an error-controlled solver, with stick and slip.

The solver is the Runge–Kutta pair of Dormand and Prince of order eight; if the motion is stiff,
from the start or since a contact began, Radau's rule of order 13 (`sim.dynamics.implicit_steps`).
It restarts where the equations are not smooth: at the corners of the drives, at a change of the
dynamics (a payload is picked up), and at a change of the mode of dry friction:

* a joint that slides comes to rest; there it stops, or turns back;
* a joint that is stuck breaks away when holding it takes more than the dry limit.

Both events are located on the solution within a step, so that a joint stops in finite time and
stays at rest without chatter. The works of motors, friction and loads are integrated too.

A motion can also be integrated up to the first time at which it makes a condition true.

References
----------
Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, section II.10 (DOP853).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from sim.dynamics.constrained_dynamics import with_closed_loops
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.endless_steps import require_advance, require_end, stopped_error
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.friction_regimes import in_speed_ranges, leaves_range, with_speed_ranges
from sim.dynamics.grip_changes import first_change as first_change_of_grips
from sim.dynamics.grips import GripChange, Grips, consistent_grips
from sim.dynamics.hybrid import HybridDynamics, require_inertia
from sim.dynamics.passages import Watch
from sim.dynamics.pinned_joints import pinned_joints
from sim.dynamics.prescription import Prescription
from sim.dynamics.single_state import machine_code
from sim.dynamics.single_state.rate import Rate, SingleStateRate, rate_of
from sim.dynamics.smooth_pieces import MotionSegment, SmoothPiece, first_passage, smooth_pieces
from sim.dynamics.solved_motion import MotionSamples, Works
from sim.dynamics.step_choice import ATOL, RTOL, steps_from, tolerance_of_works, with_suited_steps
from sim.dynamics.stick_slip import CHECKS, come_to_rest, consistent_modes, first_change
from sim.dynamics.sticking import recorded_states, with_modes
from sim.dynamics.stiff_motion import CALM, LOOKED_AT, WORTH_IT, Pace
from sim.dynamics.switched_drives import state_after
from sim.dynamics.touch_guard import TouchGuard
from sim.errors import ScenarioError
from sim.maths.arrays import Array
from sim.maths.rotation_vectors import with_short_vectors
from sim.robots.actuation import fastest_rate

# Mode changes per joint that are too many within so short a time [s].
MOST_CHANGES, INSTANT = 20, 1e-9


def integrate(
    stages: Sequence[tuple[float, HybridDynamics]],
    prescription: Prescription,
    t: Array,
    loads: ElementSum | None = None,
    progress: Callable[[int], None] | None = None,
) -> MotionSamples:
    """Motion of all joints, of which `prescription` leaves some free.

    Parameters
    ----------
    stages : sequence of (float, HybridDynamics)
        Dynamics valid from each time [s] on, ascending; the first at or before the first sample.
        Positions and velocities are continuous at a change.
    prescription : Prescription
        Prescribed motion, and start of the free joints.
    t : ndarray, shape (N,)
        Ascending sample times [s].
    loads : ElementSum, optional
        Time- and state-dependent loads.
    progress : callable, optional
        Called now and then with the number of further samples reached.

    Raises
    ------
    ScenarioError
        If a free joint has no inertia, dry friction jams or has no consistent mode, or the solver
        makes no progress; names joint and time.
    """
    y, pieces = pieces_of(stages, prescription, t, loads, progress)
    last: MotionSegment | None = None
    runs, before = list[MotionSamples](), None
    for piece in pieces:
        y = state_after(before, piece.mechanism, piece.begin, y)
        before = piece.mechanism
        for run in runs_through(piece, y, last):
            if run.t.size:
                runs.append(motion_at_samples(piece.mechanism, run, loads))
            y, last = run.y, run
    return MotionSamples.join(runs)


def pieces_of(
    stages: Sequence[tuple[float, HybridDynamics]],
    prescription: Prescription,
    t: Array,
    loads: ElementSum | None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Array, Iterator[SmoothPiece]]:
    """Return the state at the first sample (size,), and a run's smooth pieces; see `integrate`."""
    loads = with_modes(loads)
    open_start = Mechanism(stages[0][1], prescription.during(float(t[0])), loads)
    y = open_start.start()
    q, qd, _ = open_start.motion(t[:1], y[:, None])
    stages = with_closed_loops(stages, q[:, 0], ~prescription.free)
    actuation = prescription.actuation
    rates = (
        0.0
        if actuation is None
        else fastest_rate(actuation, t[:1], q, qd, open_start.motor_states(y[:, None]))
    )
    longest = CALM / rates if rates else np.inf
    return y, smooth_pieces(stages, prescription, t, loads, progress, longest)


def runs_through(
    piece: SmoothPiece, y: Array, last: MotionSegment | None
) -> Iterator[MotionSegment]:
    """Yield the segments of a piece, each in its own modes; `last` precedes them, if any."""
    mechanism, free = piece.mechanism, piece.mechanism.prescription.free
    n, row_of = mechanism.layout.free, np.cumsum(free) - 1  # of the free joints
    robot = mechanism.dynamics.robot
    now, since, changes = piece.begin, -np.inf, 0
    y = mechanism.after_sample(now, y) if piece.is_sampled else y
    breaking: dict[int, float] = {}
    start, _, _ = mechanism.motion(np.array([now]), y[:, None])
    require_inertia(mechanism.dynamics, free, now, start)
    grips, change = Grips.of(mechanism), GripChange(now)
    while True:
        modes = consistent_modes(mechanism, now, y, breaking)
        if grips is not None:
            modes, grips, y = consistent_grips(grips, now, y, modes, breaking, change)
            mechanism = grips.in_modes()
            piece = replace(piece, mechanism=mechanism)
        modes = with_speed_ranges(mechanism, modes, now, y)
        if now == piece.begin:
            piece = with_suited_steps(piece, modes, y, last)
        last = run = _run(piece, modes, now, y, None if last is None else last.step, grips)
        now, y, change = run.end, run.y, run.regripped or GripChange(run.end)
        joint, breaking = run.changed, {}
        if joint is None and run.regripped is None:
            yield run
            if now >= piece.end or run.passed is not None:
                return
            piece = replace(piece, begin=now)  # stiff from here on
            continue
        if joint is None:  # contacts let go of joints, or come to rest with them
            pinned = np.flatnonzero(pinned_joints(mechanism, modes, y[:, None]))
            breaking |= {k: float(modes.slide[k]) for k in pinned.tolist()}
        elif modes.stuck[joint]:
            # a load that passes zero has its sense right after
            at = mechanism.at(np.array([now, now + INSTANT]), np.tile(y[:, None], 2), modes)
            senses = np.sign(at.friction[joint])
            breaking[joint] = float(senses[0] or senses[1])
        elif not leaves_range(modes, joint, abs(y[mechanism.layout.qd][row_of[joint]])):
            y = come_to_rest(mechanism, y, joint)
            change = change if grips is None else grips.rest_with_joint(now, y)
        yield run
        since, changes = (since, changes + 1) if now - since < INSTANT else (now, 0)
        if changes > MOST_CHANGES * n:
            what = "A contact" if joint is None else f"Joint {robot.row_names[joint]!r}"
            raise ScenarioError(
                f"{what} changes between stick and slip without end at t = {now:.9g} s"
            )


def _run(
    piece: SmoothPiece,
    modes: FrictionModes,
    begin: float,
    y: Array,
    step: float | None,
    grips: Grips | None,
) -> MotionSegment:
    """Integrate in constant modes until one of them ends, or the motion gets stiff."""
    piece = in_speed_ranges(piece, modes, begin, y)
    mechanism, rate = piece.mechanism, rate_of(piece.mechanism, modes)
    solver = steps_from(piece, modes, rate, begin, y, step)
    marched = _march(piece, modes, rate, begin, y, solver.h_abs)
    if marched is not None:
        return marched
    first = reached = int(np.searchsorted(piece.t, begin))
    spare = rate.spare_friction if isinstance(rate, SingleStateRate) else None
    guard = TouchGuard(mechanism, rate, piece.longest_in_contact)
    states_of_steps, pace = [np.empty((y.size, 0))], Pace(begin)
    changed, passed, behind, end, looked_at, n_steps = None, None, None, begin, begin, 0
    regripped: GripChange | None = None
    while changed is None and passed is None and regripped is None and end < piece.end:
        solver.resume(end, y, behind)
        message = solver.step()
        if message is not None:
            raise stopped_error(piece, modes, solver, message)
        n_steps += 1
        if n_steps % machine_code.STEPS == 0:
            looked_at = require_advance(piece, solver, looked_at)
            require_end(piece, modes, solver, pace)
        solution = solver.dense_output()
        end, changed = first_change(mechanism, modes, piece.t, solution, spare)
        end, changed, behind = guard.cut(solution, end, changed)
        if grips is not None and (regripped := first_change_of_grips(grips, solution, end, modes)):
            end, changed, behind = regripped.t, None, None
        end, changed, passed = first_passage(piece, solution, end, changed)
        y = _keep_state(mechanism, modes, end, solver.y if end == solver.t else solution(end))
        y = y if grips is None else grips.kept(end, y, modes)
        before = piece.t.size if end == piece.end else int(np.searchsorted(piece.t, end))
        inside = piece.t[reached:before]
        states_of_steps.append(mechanism.with_closed_loops(inside, solver.settle(inside), modes))
        piece.report(before - reached)
        reached = before
        is_due = (
            n_steps % LOOKED_AT == 0 and changed is None and regripped is None and end < piece.end
        )
        if is_due and _is_for_others(piece, modes, guard, end, y, solver.h_abs):
            break
    step = solver.h_abs if behind is None or end >= piece.end else behind
    t, states = piece.t[first:reached], np.concatenate(states_of_steps, axis=1)
    ended = end, y, step, changed, solver.singular_times, passed, piece.is_stiff
    return MotionSegment(modes, t, states, *ended, grips, regripped)


def _keep_state(mechanism: Mechanism, modes: FrictionModes, now: float, y: Array) -> Array:
    """Return the state projected onto closed loops, and with short rotation vectors."""
    if mechanism.loops is not None:
        y = mechanism.with_closed_loops(np.array([now]), y[:, None], modes)[:, 0]
    return mechanism.with_nearer_rotations(y)


def _gets_stiff(piece: SmoothPiece, modes: FrictionModes, now: float, y: Array) -> bool:
    """Whether implicit steps suit the rest of a piece better, because a contact has begun."""
    if piece.is_stiff or not now < piece.end:
        return False
    return with_suited_steps(replace(piece, begin=now), modes, y).is_stiff


def _is_for_others(
    piece: SmoothPiece, modes: FrictionModes, guard: TouchGuard, now: float, y: Array, length: float
) -> bool:
    """Whether implicit steps, or machine code if shapes are far apart, suit the rest better."""
    are_far = guard.are_far(now, y, length)
    if not (are_far and guard.are_alone) and _gets_stiff(piece, modes, now, y):
        return True
    is_free = not piece.is_stiff and piece.watch is None and are_far
    return is_free and machine_code.can_march(piece.mechanism)


def _march(
    piece: SmoothPiece, modes: FrictionModes, rate: Rate, begin: float, y: Array, step: float
) -> MotionSegment | None:
    """March in machine code; None if it does not support all loads."""
    is_suited = begin < piece.end and not piece.is_stiff and piece.watch is None
    if not is_suited or not machine_code.can_march(piece.mechanism):
        return None
    layout, atol = piece.mechanism.layout, np.full_like(y, ATOL)

    def gets_stiff(since: float, now: float, y: Array) -> bool:  # called occasionally
        atol[layout.works] = tolerance_of_works(rate, layout, now, y)
        steps = (piece.end - now) / (now - since) * machine_code.STEPS  # steps, at this pace
        return steps > WORTH_IT and _gets_stiff(piece, modes, now, y)

    limits = RTOL, atol, piece.longest_step, CHECKS
    return machine_code.march(piece, modes, begin, y, step, limits, gets_stiff)


def motion_at_samples(
    mechanism: Mechanism, run: MotionSegment, loads: ElementSum | None = None
) -> MotionSamples:
    """Return the motion at the samples of a run; `loads` have all states of the elements."""
    y, layout, robot = run.states, mechanism.layout, mechanism.dynamics.robot
    held = dict[str, Array]()
    if run.grips is not None:
        mechanism = run.grips.in_modes()
        held = run.grips.on_record(run.t, y, run.modes)
    at = machine_code.for_samples(mechanism, run.modes).at(run.t, y, run.modes)
    tau, friction = at.tau, at.friction
    if at.train.size:
        tau = tau - at.train - robot.rotor_inertia[:, None] * at.qdd
        friction = friction - at.train
    return MotionSamples(
        t=run.t,
        q=with_short_vectors(robot.balls, at.q),
        qd=at.qd,
        qdd=at.qdd,
        tau=tau,
        friction=friction,
        train=at.train,
        friction_tree=at.friction_tree if len(at.friction_tree) else None,
        stuck=np.broadcast_to(run.modes.stuck[:, None], at.q.shape),
        works=Works(y[layout.motor_work], y[layout.friction_loss], y[layout.external_work]),
        element_states=recorded_states(loads, y[layout.elements], held),
        actuator_states=y[layout.actuators],
        singular_times=run.singular,
    )


def segment_to_passage(
    stages: Sequence[tuple[float, HybridDynamics]],
    prescription: Prescription,
    t: Array,
    loads: ElementSum | None,
    watch: Watch,
    since: tuple[Mechanism, MotionSegment] | None = None,
) -> tuple[Mechanism, MotionSegment] | None:
    """Return the segment of a motion that ends when the first condition becomes true, or None.

    Parameters are those of `sim.dynamics.integration.integrate`; the motion continues from the end
    of the segment `since`. Both segments come with the mechanism that moved.
    """
    y, pieces = pieces_of(stages, prescription, t, loads)
    begin, before, last = float(t[0]), None, None
    if since is not None:
        before, (begin, y) = since[0], (since[1].end, since[1].y)
    for piece in pieces:
        if piece.end <= begin and since is not None:
            continue
        watched = replace(piece, begin=max(piece.begin, begin), watch=watch)
        y = state_after(before, piece.mechanism, watched.begin, y)
        before = piece.mechanism
        for run in runs_through(watched, y, last):
            y, last = run.y, run
            if run.passed is not None:
                return before, run
    return None
