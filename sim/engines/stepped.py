"""Method `solve_stepped`: march in time under velocity-level constraints, with step h and h/2.

The engine's law for one step from k to k+1 is

    tau_k = M(q_k) (v_k+1 - v_k)/h + C(q_k, v_k) v_k + g(q_k),    q_k+1 = q_k + h v_k+1

Commanding v_k+1 = (Q_k+1 - Q_k)/h puts the positions on the prescribed path exactly; velocities
then live at the middles of the steps. The error of every quantity is a power series in h, so two
runs give a better answer and an estimate of its error (Richardson 1911).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sim.engines.contract import March, Marching, Torques
from sim.engines.loads import NO_LOADS, PrescribedLoads
from sim.engines.samples import Samples
from sim.maths.arrays import Array, Mask
from sim.maths.pieces import pieces

# t -> q, qd, qdd of all tree joints, each (n_tree, N)
Prescribed = Callable[[Array], tuple[Array, Array, Array]]
# qd of all tree joints -> torque their drives spend on friction
Friction = Callable[[Array], Array]


def solve_stepped(
    engine: Marching,
    t: Array,
    prescribed: Prescribed,
    driven: Mask,
    friction: Friction | None,
    loads: PrescribedLoads = NO_LOADS,
) -> Samples:
    """States and torques at the uniform times `t`, extrapolated from steps h = dt and h/2.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Uniform sample times [s].
    prescribed : callable
        The prescribed motion; for joints that are not driven only its start counts.
    driven : ndarray of bool, shape (n_tree,)
    friction : callable or None
        Evaluated at the prescribed velocity, so that it is exact at t_k; at the present velocity
        for a joint that is not driven.
    loads : PrescribedLoads
        What else acts on the robot.

    Raises
    ------
    EngineError
        If a number is not finite or a driven joint leaves its path; names joint and time.
    """
    n, N, held = driven.size, t.size, driven[:, None]
    given = (engine, t, prescribed, driven, friction, loads)
    coarse, found = np.empty((4, n, N)), np.empty((5, n, N))
    for part, rows in _march_pieces(*given, split=1):
        coarse[..., part] = rows
    # Torque and acceleration: first order at the corners of a drive, so 2 T(h/2) - T(h) there and
    # everywhere. Mid-step velocities are second order. A joint that is not driven is first order.
    for part, (q, qd, qdd, tau) in _march_pieces(*given, split=2):
        q_1, qd_1, qdd_1, tau_1 = coarse[..., part]
        found[0, :, part] = np.where(held, q, 2 * q - q_1)
        found[1, :, part] = np.where(held, (4 * qd - qd_1) / 3, 2 * qd - qd_1)
        found[2, :, part] = 2 * qdd - qdd_1
        found[3, :, part] = 2 * tau - tau_1
        found[4, :, part] = tau - tau_1
    return Samples(*found)


def _march_pieces(
    engine: Marching,
    t: Array,
    prescribed: Prescribed,
    driven: Mask,
    friction: Friction | None,
    loads: PrescribedLoads,
    split: int,
) -> Iterator[tuple[slice, Array]]:
    """One run with step dt / split, piece by piece: its q, qd, qdd and tau, (4, n_tree, count)."""
    steps = split * (t.size - 1) + 1
    h = float(t[-1] - t[0]) / (steps - 1)
    reached: Array | None = None  # position and velocity (n_tree, 2) at the end of the piece before
    for part in pieces(t.size):
        first, end = split * part.start, min(split * part.stop, steps)
        # One step before and one after, by the Taylor series: the drive need not exist there.
        Q, V, A = prescribed(t[0] + h * np.arange(first, min(end + 1, steps)))
        if end == steps:
            Q = np.concatenate([Q, _taylor(Q, V, A, -1, h)], axis=1)
        if reached is None:
            before = (Q[:, 0] - _taylor(Q, V, A, 0, -h)[:, 0]) / h
            reached = np.stack([Q[:, 0], np.where(driven, before, V[:, 0])], axis=1)
        grid, V = t[0] + h * np.arange(first, end), V[:, : end - first]
        on_motors, torques = _torques(V, driven, friction, loads.torques(grid))
        read = engine.march(
            March(
                h=h,
                t=grid + h,
                start=reached if first == 0 else None,
                driven=driven,
                commands=np.diff(Q) / h,
                places=Q[:, 1:],
                torques=torques,
                wrenches=loads.wrenches(grid),
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
    """Where the joints are a time `h` after the sample `k`, (n_tree, 1)."""
    at = [k]
    return np.asarray(Q[:, at] + h * V[:, at] + 0.5 * h * h * A[:, at])


def _torques(
    V: Array, driven: Mask, friction: Friction | None, acting: Array | None
) -> tuple[Array, Torques | None]:
    """What friction and the loads do to driven joints (n_tree, N), and to the others in each step.

    A motor gives what acts in its own joint with the sign turned, and nothing else feels either. So
    the engine has none of it: in a step a spring would first throw a link of a gram at a
    hundred metres a second, which the motor takes back to as many digits as are left.
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
