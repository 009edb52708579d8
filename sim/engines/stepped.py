"""Method `solve_stepped`: march in time under velocity-level constraints, with step h and h/2.

The engine's law for one step from k to k+1 is

    tau_k = M(q_k) (v_k+1 - v_k)/h + C(q_k, v_k) v_k + g(q_k),    q_k+1 = q_k + h v_k+1

Commanding v_k+1 = (Q_k+1 - Q_k)/h puts the positions exactly on the prescribed path; velocities are
then those at mid-step. The error of every quantity is a power series in h, so that two runs give a
more accurate result and an estimate of its error (Richardson 1911).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct

from sim.dynamics.wrench import Acting
from sim.engines.contract import March, Marching, Torques
from sim.engines.loads import NO_LOADS, PrescribedLoads
from sim.engines.samples import Samples
from sim.kinematics.trajectory import Trajectory
from sim.maths.arrays import Array, Mask
from sim.maths.pieces import empty_rows, is_one_piece, pieces
from sim.maths.second_process import WORTH_A_COPY, second_process

# t -> q, qd, qdd of all tree joints, each (n_tree, N)
Prescribed = Callable[[Array], tuple[Array, Array, Array]]
# qd of all tree joints -> friction torque of their drives
Friction = Callable[[Array], Array]


def solve_stepped(
    engine: Marching,
    t: Array,
    prescribed: Prescribed,
    driven: Mask,
    friction: Friction | None,
    loads: PrescribedLoads = NO_LOADS,
) -> Samples:
    """Compute states and torques at uniform times `t`, extrapolated from steps h = dt and h/2.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Uniform sample times [s].
    prescribed : callable
        The prescribed motion; for undriven joints only its start is used.
    driven : ndarray of bool, shape (n_tree,)
    friction : callable or None
        Evaluated at the prescribed velocity, so that it is exact at t_k; at the current velocity
        for an undriven joint.
    loads : PrescribedLoads
        Other loads on the robot.

    Raises
    ------
    EngineError
        If a number is not finite or a driven joint leaves its path; names joint and time.
    """
    n, N, held = driven.size, t.size, driven[:, None]
    samples = empty_rows((5, n, N))  # of full steps first; the half steps turn them into the result

    def imposed_by(split: int) -> Callable[[slice], _Imposed]:
        return lambda part: _impose(t, part, split, prescribed, loads)

    in_steps, in_halves = imposed_by(1), imposed_by(2)
    # Every second half step begins a full one; rounding in loops depends on the closed batch.
    if is_one_piece(N) and not engine.robot.loops:
        fine = in_halves(slice(0, N))
        in_steps, in_halves = lambda part: fine.every_other(), lambda part: fine
    acting = (driven, friction, loads)

    def extrapolate(part: slice, halves: Array) -> None:
        # Torque and acceleration: first order at the corners of a drive, so 2 T(h/2) - T(h) there
        # and everywhere. Mid-step velocities are second order. An undriven joint is first order.
        q, qd, qdd, tau = halves
        q_1, qd_1, qdd_1, tau_1, _ = samples[..., part]
        samples[4, :, part] = tau - tau_1
        samples[0, :, part] = np.where(held, q, 2 * q - q_1)
        samples[1, :, part] = np.where(held, (4 * qd - qd_1) / 3, 2 * qd - qd_1)
        samples[2, :, part] = 2 * qdd - qdd_1
        samples[3, :, part] = 2 * tau - tau_1

    def march_steps() -> Array:
        (rows,) = (rows for _, rows in _march_pieces(engine, t, in_steps, *acting, split=1))
        return rows

    if is_one_piece(N):
        with second_process(march_steps, is_worthwhile=N >= WORTH_A_COPY) as steps:
            ((part, halves),) = _march_pieces(engine, t, in_halves, *acting, split=2)
            samples[:4] = steps()
        extrapolate(part, halves)
        return Samples(t, *samples)
    for part, rows in _march_pieces(engine, t, in_steps, *acting, split=1):
        samples[:4, :, part] = rows
    for part, halves in _march_pieces(engine, t, in_halves, *acting, split=2):
        extrapolate(part, halves)
    return Samples(t, *samples)


class _Imposed(Struct, frozen=True, eq=False):
    """Prescribed states of all tree joints at the start of steps, and the loads there.

    Parameters
    ----------
    wanted : Trajectory
    torques : ndarray, shape (n_tree, M), or None
    wrenches : sequence of AppliedWrench
    """

    wanted: Trajectory
    torques: Array | None
    wrenches: Acting

    def during(self, part: slice) -> _Imposed:
        """Return part of the steps; itself for all of them."""
        if part == slice(0, self.wanted.t.size):
            return self
        torques = None if self.torques is None else self.torques[:, part]
        wrenches = tuple(wrench.during(part) for wrench in self.wrenches)
        return _Imposed(self.wanted.during(part), torques, wrenches)

    def every_other(self) -> _Imposed:
        """Return the imposed states for steps of twice the size."""
        return self.during(slice(None, None, 2))


def _impose(
    t: Array, part: slice, split: int, prescribed: Prescribed, loads: PrescribedLoads
) -> _Imposed:
    """Return the imposed states of a run with step dt / split, for a piece and the next start."""
    steps = split * (t.size - 1)
    h = float(t[-1] - t[0]) / steps
    times = t[0] + h * np.arange(split * part.start, min(split * part.stop, steps) + 1)
    trajectory = Trajectory(times, *prescribed(times))
    return _Imposed(trajectory, loads.torques(trajectory), loads.wrenches(trajectory))


def _march_pieces(
    engine: Marching,
    t: Array,
    imposed: Callable[[slice], _Imposed],
    driven: Mask,
    friction: Friction | None,
    loads: PrescribedLoads,
    split: int,
) -> Iterator[tuple[slice, Array]]:
    """Yield one run with step dt / split piece by piece: q, qd, qdd and tau, (4, n_tree, count)."""
    steps = split * (t.size - 1) + 1
    h = float(t[-1] - t[0]) / (steps - 1)
    reached: Array | None = None  # position and velocity (n_tree, 2) at the end of the last piece
    for part in pieces(t.size):
        first, end = split * part.start, min(split * part.stop, steps)
        acting = imposed(part)
        # One step before and one after, by the Taylor series: the drive may not be defined there.
        Q, V, A = acting.wanted.q, acting.wanted.qd, acting.wanted.qdd
        if end == steps:
            Q = np.concatenate([Q, _taylor(Q, V, A, -1, h)], axis=1)
        if reached is None:
            before = (Q[:, 0] - _taylor(Q, V, A, 0, -h)[:, 0]) / h
            reached = np.stack([Q[:, 0], np.where(driven, before, V[:, 0])], axis=1)
        here = acting.during(slice(0, end - first))
        grid = here.wanted.t
        on_motors, torques = _torques(here.wanted.qd, driven, friction, here.torques)
        read = engine.march(
            March(
                h=h,
                t=grid + h,
                start=reached if first == 0 else None,
                driven=driven,
                commands=np.diff(Q) / h,
                places=Q[:, 1:],
                torques=torques,
                wrenches=here.wrenches,
                places_of_wrenches=Q[:, :-1],
                carried=loads.changes(grid),
            )
        )
        q = np.concatenate([reached[:, :1], read[:, 0, :-1]], axis=1)
        v = np.concatenate([reached[:, 1:], read[:, 1]], axis=1)  # v_k-1/2 of each, and one more
        qd = np.where(driven[:, None], 0.5 * (v[:, :-1] + v[:, 1:]), v[:, :-1])
        reached = read[:, :2, -1]
        yield part, np.stack([q, qd, np.diff(v) / h, read[:, 2] - on_motors])[..., ::split]


def _taylor(Q: Array, V: Array, A: Array, k: int, h: float) -> Array:
    """Return the positions of the joints a time `h` after sample `k`, (n_tree, 1)."""
    at = [k]
    return np.asarray(Q[:, at] + h * V[:, at] + 0.5 * h * h * A[:, at])


def _torques(
    V: Array, driven: Mask, friction: Friction | None, acting: Array | None
) -> tuple[Array, Torques | None]:
    """Return friction and loads on driven joints (n_tree, N), and on the others in each step.

    A motor compensates the loads in its own joint, and nothing else is affected by either. They are
    therefore not passed to the engine: a spring would first throw a link of one gram at a hundred
    metres per second in a step, which the motor would cancel with a loss of digits.
    """
    rest = np.zeros_like(V) if acting is None else acting
    prescribed = rest if friction is None else rest - friction(V)
    on_motors = np.where(driven[:, None], prescribed, 0.0)
    if driven.all() or (friction is None and acting is None):
        return on_motors, None

    def present(k: int, q: Sequence[float], qd: Sequence[float]) -> list[float]:
        taken = 0.0 if friction is None else friction(np.array(qd)[:, None])[:, 0]
        torques: list[float] = np.where(driven, 0.0, rest[:, k] - taken).tolist()
        return torques

    return on_motors, present
