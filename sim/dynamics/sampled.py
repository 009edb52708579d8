"""Motion under a sampled controller: one step of a fixed rule from each instant to the next.

Between two instants the motor torques are constant, so that the equations are smooth and one step
of high order is accurate to rounding. Engine and model use the same rule, each on a copy of the
loop:

* one Runge-Kutta step to the next instant, of order 8 (Dormand and Prince) or 4 (classic);
* every `CHECK_EVERY`-th step is also taken in two halves; the difference is recorded, and if it is
too large steps are halved from there on;
* if a step of order 8 is not accurate by its own estimate, or dry friction holds or releases a
joint in it, or a contact with stiction touches, the error-controlled solver of
`sim.dynamics.integration` takes that step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec
import numpy as np
from msgspec import Struct, structs

from sim.dynamics.constrained_dynamics import with_closed_loops
from sim.dynamics.control_loop import ControlLog, ControlLoop, Held
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.fixed_steps import FixedSteps
from sim.dynamics.grips import GripChange, Grips, consistent_grips
from sim.dynamics.hybrid import HybridDynamics, require_inertia
from sim.dynamics.integration import integrate, motion_at_samples, runs_through
from sim.dynamics.lagrange import energies
from sim.dynamics.prescription import Prescription
from sim.dynamics.smooth_pieces import (
    APART,
    MotionSegment,
    SmoothPiece,
    onto_samples,
    smooth_pieces,
)
from sim.dynamics.solved_motion import MotionSamples
from sim.dynamics.stick_slip import consistent_modes
from sim.dynamics.sticking import with_modes
from sim.errors import ScenarioError
from sim.maths.arrays import Array

CHECK_EVERY = 50  # steps

# Allowed error of a position or velocity after a step [rad, m, rad/s or m/s].
STEP_ERROR = 1e-10

MOST_PARTS = 64  # parts of a step; beyond, the loop is too stiff for its sample time

# A loop diverges if its motors have supplied this multiple of the reference's energy.
DIVERGED = 100.0

ENERGY_SAMPLES = 200  # samples of the reference for its energies


def solve_motion(
    stages: Sequence[tuple[float, HybridDynamics]],
    prescription: Prescription,
    t: Array,
    loads: ElementSum | None = None,
    progress: Callable[[int], None] | None = None,
) -> MotionSamples:
    """Motion of all joints: by `march_samples` under a sampled controller, else by `integrate`.

    Parameters are those of `sim.dynamics.integration.integrate`.
    """
    if isinstance(prescription.actuation, ControlLoop):
        return march_samples(stages, prescription, prescription.actuation, t, loads, progress)
    return integrate(stages, prescription, t, loads, progress)


def march_samples(
    stages: Sequence[tuple[float, HybridDynamics]],
    prescription: Prescription,
    loop: ControlLoop,
    t: Array,
    loads: ElementSum | None = None,
    progress: Callable[[int], None] | None = None,
) -> MotionSamples:
    """Motion of all joints under a sampled controller, their loops closed after every step.

    Parameters
    ----------
    loop : ControlLoop
        The actuation of `prescription`, which leaves all joints free.

    Raises
    ------
    ScenarioError
        If the law fails or the loop diverges (names sample and joint), a free joint has no inertia,
        or the solver makes no progress.
    """
    march = _March(loop, t, _energy_allowed(stages[0][1], loop, t), loads)
    loads = with_modes(loads)
    y = Mechanism(stages[0][1], prescription, loads).start()
    stages = with_closed_loops(stages, prescription.q0, ~prescription.free)
    for piece in smooth_pieces(stages, prescription, t, loads, progress):
        y = march.through(piece, y)
    return march.motion()


def _energy_allowed(dynamics: HybridDynamics, loop: ControlLoop, t: Array) -> float:
    """Return the energy that motors may supply before a loop counts as diverged [J].

    It is `DIVERGED` times the reference's energy plus that of lifting the robot by 1 m.
    """
    times = t[np.unique(np.linspace(0, t.size - 1, ENERGY_SAMPLES).round().astype(int))]
    robot, gravity = dynamics.robot, dynamics.gravity
    q, qd, _ = loop.reference(times)
    ke, pe = (np.sum(each, axis=0) for each in energies(robot, q, qd, gravity)[1:])
    masses = sum(float(link.inertia.mass) for link in robot.links if link.inertia)
    lifted = masses * float(np.linalg.norm(gravity)) * 1.0  # m
    return float(DIVERGED * (ke.max() + np.ptp(pe) + lifted + 1.0))


class _March:
    """One march through all samples, and its results so far."""

    def __init__(
        self, loop: ControlLoop, t: Array, allowed: float, loads: ElementSum | None
    ) -> None:
        self.loop, self.t, self.allowed, self.loads = loop, t, allowed, loads
        near = APART * float(t[-1] - t[0])
        self.near = near
        self.instants = onto_samples(t, np.arange(t[0], t[-1] - near, loop.sample_time), near)
        self.references = tuple(np.ascontiguousarray(x.T) for x in loop.reference(self.instants))
        self.memory, self.k, self.parts = loop.memory(), 0, 1
        self.unchecked = self.controlled = 0  # steps since a check; steps by the other solver
        zero = np.zeros(loop.states)
        self.held = Held(zero, zero, zero, zero)
        self.log: list[Held] = []
        self.checked: list[tuple[float, float]] = []
        self.passed = list[_Passed]()
        self.grips: Grips | None = None  # contacts with stiction of the piece
        self.last: MotionSegment | None = None  # of the last step, where they touch

    def through(self, piece: SmoothPiece, y: Array) -> Array:
        """Return the state at the end of a piece; store the samples in it."""
        mechanism, near = piece.mechanism, self.near
        self.grips, self.last = Grips.of(mechanism), None
        start, _, _ = mechanism.motion(np.array([piece.begin]), y[:, None])
        require_inertia(mechanism.dynamics, mechanism.prescription.free, piece.begin, start)
        inside = self.instants[(self.instants >= piece.begin) & (self.instants < piece.end)]
        edges = np.unique(np.concatenate([[piece.begin], inside, piece.t, [piece.end]]))
        edges = edges[np.diff(edges, append=np.inf) > near]
        stepper = FixedSteps(mechanism, self.loop.rule)
        samples, reported = set(piece.t.tolist()), 0
        n = mechanism.layout.joints
        modes = FrictionModes(np.zeros(n, dtype=bool), np.zeros(n))  # without dry friction
        for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            y = self._sample(mechanism, begin, y)
            is_kept = begin in samples
            reported += is_kept
            if self._is_gripped(begin, y):
                y = self._solve(piece, begin, end, y, is_kept=is_kept)
            else:
                if stepper.is_rough:
                    modes = consistent_modes(mechanism, begin, y, {})
                if is_kept:
                    self._keep(_Passed(mechanism, modes), begin, y)
                y = self._step(piece, stepper, modes, begin, end, y)
                y = mechanism.with_closed_loops(np.array([end]), y[:, None], modes)[:, 0]
                y = mechanism.with_nearer_rotations(y)
            if reported >= CHECK_EVERY:
                piece.report(reported)
                reported = 0
        if piece.end == self.t[-1]:
            if stepper.is_rough:  # a joint may have come to rest in the last step
                modes = consistent_modes(mechanism, piece.end, y, {})
            grips = self.grips if self._is_gripped(piece.end, y) else None
            if grips is not None:
                change = GripChange(piece.end)
                modes, grips, y = consistent_grips(grips, piece.end, y, modes, {}, change)
            self._keep(_Passed(mechanism, modes, grips), piece.end, y)
            reported += 1
        piece.report(reported)
        return y

    def _sample(self, mechanism: Mechanism, now: float, y: Array) -> Array:
        """Return the state right after an instant, if there is one now; else unchanged."""
        if self.k >= self.instants.size or self.instants[self.k] > now:
            return y
        k, layout = self.k, mechanism.layout
        self._require_bounded(mechanism, now, y)
        q, qd = y[layout.q].copy(), y[layout.qd].copy()
        reference = tuple(rows[k] for rows in self.references)
        self.held, self.memory = self.loop.advance(k, reference, q, qd, self.memory)
        self.k += 1
        y = y.copy()
        y[layout.actuators] = self.held.tau
        return y

    def _require_bounded(self, mechanism: Mechanism, now: float, y: Array) -> None:
        """Check that motors have not supplied far more energy than the reference requires."""
        layout = mechanism.layout
        gained = y[layout.motor_work].sum() - y[layout.friction_loss].sum()
        gained += y[layout.external_work]
        if abs(gained) <= self.allowed:
            return
        qd = np.abs(y[layout.qd])
        fastest = mechanism.dynamics.robot.row_names[int(np.argmax(np.nan_to_num(qd, nan=np.inf)))]
        unit = mechanism.dynamics.robot.coordinates[int(np.argmax(qd))].units.of("velocity")
        raise ScenarioError(
            f"The control loop diverges: at sample {self.k}, t = {now:.6g} s, the robot has gained "
            f"{gained:.3g} J, and more than {self.allowed:.3g} J are never needed for the motion "
            f"that is wanted; joint {fastest!r} is fastest, {np.max(qd):.3g} {unit}: lower the "
            "gains, shorten the sample time or the delay"
        )

    def _keep(self, passed: _Passed, now: float, y: Array) -> None:
        if not (self.passed and self.passed[-1].is_like(passed)):
            self.passed.append(passed)
        self.passed[-1].times.append(now)
        self.passed[-1].states.append(y)
        self.log.append(self.held)

    def _is_gripped(self, t: float, y: Array) -> bool:
        """Whether a contact with stiction touches at a state y (size,)."""
        grips = self.grips
        return grips is not None and bool(grips.patches(np.array([t]), y[:, None]).push.any())

    def _solve(
        self, piece: SmoothPiece, begin: float, end: float, y: Array, *, is_kept: bool = False
    ) -> Array:
        """Return the state at the end of a step by the error-controlled solver.

        That at its beginning is kept as a sample if `is_kept`.
        """
        self.controlled += 1
        if not np.isfinite(y).all():
            self._require_bounded(piece.mechanism, begin, y)
        samples = np.array([begin] if is_kept else [])
        short = structs.replace(piece, begin=begin, end=end, t=samples, progress=None)
        for run in runs_through(short, y, self.last):
            y, self.last = run.y, run
            if run.t.size:
                self._keep(_Passed(piece.mechanism, run.modes, run.grips), begin, run.states[:, 0])
        if self.grips is None:
            self.last = None
        return y

    def _step(
        self,
        piece: SmoothPiece,
        stepper: FixedSteps,
        modes: FrictionModes,
        begin: float,
        end: float,
        y: Array,
    ) -> Array:
        """Return the state at the end of a step, by the rule or by the error-controlled solver."""
        is_checked = self.unchecked == 0
        new = stepper.advance(modes, begin, end, y, self.parts)
        while is_checked and new is not None:
            halved = stepper.advance(modes, begin, end, y, 2 * self.parts)
            if halved is None:
                break
            motion = slice(0, piece.mechanism.layout.qd.stop)
            error = float(np.max(np.abs(halved[motion] - new[motion]), initial=0.0))
            if not error <= STEP_ERROR and self.parts < MOST_PARTS:
                self.parts, new = 2 * self.parts, halved
                continue
            self.checked.append((begin, error))
            break
        if new is not None and not self._is_gripped(end, new):
            self.unchecked = (self.unchecked + 1) % CHECK_EVERY
            return new
        return self._solve(piece, begin, end, y)

    def motion(self) -> MotionSamples:
        """Motion passed so far, at the samples."""
        runs = []
        for one in self.passed:
            t, y = np.array(one.times), np.stack(one.states, axis=1)
            run = MotionSegment(one.modes, t, y, t[-1], y[:, -1], 0.0, None, grips=one.grips)
            runs.append(motion_at_samples(one.mechanism, run, self.loads))
        return replace(MotionSamples.join(runs), control=self._log())

    def _log(self) -> ControlLog:
        q, qd, command, tau = (np.stack(rows, axis=1) for rows in zip(*self.log, strict=True))
        q_ref, qd_ref, _ = self.loop.reference(self.t)
        t_checked, errors = np.array(self.checked).reshape(-1, 2).T
        held = q, qd, command, q_ref, qd_ref, command != tau
        return ControlLog(*held, t_checked, errors, self.controlled)


class _Passed(Struct, frozen=True, eq=False):
    """Samples passed in the same modes."""

    mechanism: Mechanism
    modes: FrictionModes
    grips: Grips | None = None
    times: list[float] = msgspec.field(default_factory=list)
    states: list[Array] = msgspec.field(default_factory=list)

    def is_like(self, other: _Passed) -> bool:
        """Whether the modes are the same."""
        grips = [
            None if one is None else [(mode.sticks, mode.start_of_slip) for mode in one.modes]
            for one in (self.grips, other.grips)
        ]
        return (
            self.mechanism is other.mechanism
            and np.array_equal(self.modes.stuck, other.modes.stuck)
            and np.array_equal(self.modes.slide, other.modes.slide)
            and grips[0] == grips[1]
        )
