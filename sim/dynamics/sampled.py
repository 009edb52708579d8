"""Motion under a sampled controller: one step of a fixed rule from each instant to the next.

Between two instants the motor torques are constant, so that the equations are smooth and one step
of high order is accurate to rounding. Engine and model use the same rule, each on a copy of the
loop:

* one Runge-Kutta step to the next instant, of order 8 (Dormand and Prince) or 4 (classic);
* every `CHECK_EVERY`-th step is also taken in two halves; the difference is recorded, and if it is
too large steps are halved from there on;
* if a step of order 8 is not accurate by its own estimate, or dry friction holds or releases a
joint in it, the error-controlled solver of `sim.dynamics.integration` takes that step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from sim.dynamics.constrained_dynamics import with_closed_loops
from sim.dynamics.control_loop import ControlLog, ControlLoop, Held
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.fixed_steps import FixedSteps
from sim.dynamics.hybrid import HybridDynamics, require_inertia
from sim.dynamics.integration import (
    integrate,
    motion_at_samples,
    runs_through,
)
from sim.dynamics.lagrange import energies
from sim.dynamics.loads import Loads
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
    loads: Loads | None = None,
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
    loads: Loads | None = None,
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
    march = _March(loop, t, _energy_allowed(stages[0][1], loop, t))
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

    def __init__(self, loop: ControlLoop, t: Array, allowed: float) -> None:
        self.loop, self.t, self.allowed = loop, t, allowed
        near = APART * float(t[-1] - t[0])
        self.near = near
        self.instants = onto_samples(t, np.arange(t[0], t[-1] - near, loop.sample_time), near)
        self.wanted = tuple(np.ascontiguousarray(x.T) for x in loop.reference(self.instants))
        self.memory, self.k, self.parts = loop.memory(), 0, 1
        self.unchecked = self.controlled = 0  # steps since a check; steps by the other solver
        zero = np.zeros(loop.states)
        self.held = Held(zero, zero, zero, zero)
        self.log: list[Held] = []
        self.checked: list[tuple[float, float]] = []
        self.passed: list[tuple[Mechanism, FrictionModes, list[float], list[Array]]] = []

    def through(self, piece: SmoothPiece, y: Array) -> Array:
        """Return the state at the end of a piece; store the samples in it."""
        mechanism, near = piece.mechanism, self.near
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
            if stepper.is_rough:
                modes = consistent_modes(mechanism, begin, y, {})
            if begin in samples:
                self._keep(mechanism, modes, begin, y)
                reported += 1
            y = self._step(piece, stepper, modes, begin, end, y)
            y = mechanism.with_closed_loops(np.array([end]), y[:, None], modes)[:, 0]
            y = mechanism.with_nearer_rotations(y)
            if reported >= CHECK_EVERY:
                piece.report(reported)
                reported = 0
        if piece.end == self.t[-1]:
            if stepper.is_rough:  # a joint may have come to rest in the last step
                modes = consistent_modes(mechanism, piece.end, y, {})
            self._keep(mechanism, modes, piece.end, y)
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
        reference = tuple(rows[k] for rows in self.wanted)
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

    def _keep(self, mechanism: Mechanism, modes: FrictionModes, now: float, y: Array) -> None:
        last = self.passed[-1] if self.passed else None
        same = last is not None and last[0] is mechanism and _same(last[1], modes)
        if last is None or not same:
            last = (mechanism, modes, [], [])
            self.passed.append(last)
        last[2].append(now)
        last[3].append(y)
        self.log.append(self.held)

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
        if new is not None:
            self.unchecked = (self.unchecked + 1) % CHECK_EVERY
            return new
        self.controlled += 1
        if not np.isfinite(y).all():
            self._require_bounded(piece.mechanism, begin, y)
        short = replace(piece, begin=begin, end=end, t=np.array([]), progress=None)
        for run in runs_through(short, y, None):
            y = run.y
        return y

    def motion(self) -> MotionSamples:
        """Motion passed so far, at the samples."""
        runs = []
        for mechanism, modes, times, states in self.passed:
            t, y = np.array(times), np.stack(states, axis=1)
            run = MotionSegment(modes, t, y, end=times[-1], y=states[-1], step=0.0, changed=None)
            runs.append(motion_at_samples(mechanism, run))
        return replace(MotionSamples.join(runs), control=self._log())

    def _log(self) -> ControlLog:
        q, qd, command, tau = (np.stack(rows, axis=1) for rows in zip(*self.log, strict=True))
        q_ref, qd_ref, _ = self.loop.reference(self.t)
        t_checked, errors = np.array(self.checked).reshape(-1, 2).T
        held = q, qd, command, q_ref, qd_ref, command != tau
        return ControlLog(*held, t_checked, errors, self.controlled)


def _same(one: FrictionModes, other: FrictionModes) -> bool:
    return one is other or (
        np.array_equal(one.stuck, other.stuck) and np.array_equal(one.slide, other.slide)
    )
