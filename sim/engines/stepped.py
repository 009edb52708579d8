"""Method `stepped`: march in time under velocity-level constraints, with step h and h/2.

The engine's law for one step from k to k+1 is

    tau_k = M(q_k) (v_k+1 - v_k)/h + C(q_k, v_k) v_k + g(q_k),    q_k+1 = q_k + h v_k+1

Commanding v_k+1 = (Q_k+1 - Q_k)/h puts the positions on the prescribed path exactly; velocities
then live at the middles of the steps. The error of every quantity is a power series in h, so two
runs give a better answer and an honest estimate of the error (Richardson 1911).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sim.engines.contract import March, Marching, Torques
from sim.engines.loads import NO_LOADS, PrescribedLoads
from sim.engines.samples import Samples
from sim.maths.arrays import Array, Mask

# t -> q, qd, qdd of all tree joints, each (n_tree, N)
Prescribed = Callable[[Array], tuple[Array, Array, Array]]
# qd of all tree joints -> torque their drives spend on friction
Friction = Callable[[Array], Array]


def stepped(
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
    coarse, fine = (
        _marched(engine, t, prescribed, driven, friction, loads, split) for split in (1, 2)
    )
    # Torque and acceleration: first order at the corners of a drive, so 2 T(h/2) - T(h) there and
    # everywhere. Mid-step velocities are second order. A joint that is not driven is first order.
    tau = 2 * fine.tau - coarse.tau
    qdd = 2 * fine.qdd - coarse.qdd
    qd = np.where(driven[:, None], (4 * fine.qd - coarse.qd) / 3, 2 * fine.qd - coarse.qd)
    q = np.where(driven[:, None], fine.q, 2 * fine.q - coarse.q)
    return Samples(q, qd, qdd, tau, fine.tau - coarse.tau)


def _marched(
    engine: Marching,
    t: Array,
    prescribed: Prescribed,
    driven: Mask,
    friction: Friction | None,
    loads: PrescribedLoads,
    split: int,
) -> Samples:
    """One run with step dt / split; samples are every split-th step."""
    steps = split * (t.size - 1) + 1
    h = float(t[-1] - t[0]) / (steps - 1)
    grid = t[0] + h * np.arange(steps)
    Q, V, A = prescribed(grid)
    on_motors, torques = _torques(V, driven, friction, loads.torques(grid))
    # One step before and one after, by the Taylor series: the drive need not exist there.
    before = Q[:, :1] - h * V[:, :1] + 0.5 * h * h * A[:, :1]
    after = Q[:, -1:] + h * V[:, -1:] + 0.5 * h * h * A[:, -1:]
    places = np.concatenate([before, Q, after], axis=1)
    commands = np.diff(places) / h
    start = np.where(driven, commands[:, 0], V[:, 0])
    read = engine.march(
        March(
            h=h,
            t=grid + h,
            q=Q[:, 0],
            qd=start,
            driven=driven,
            commands=commands[:, 1:],
            places=places[:, 2:],
            torques=torques,
            wrenches=loads.wrenches(grid),
            places_of_wrenches=Q,
            carried=loads.changes(grid),
        )
    )
    q = np.concatenate([Q[:, :1], read[:, 0, :-1]], axis=1)
    v = np.concatenate([start[:, None], read[:, 1]], axis=1)  # v_-1/2 … v_N+1/2
    middle = 0.5 * (v[:, :-1] + v[:, 1:])
    qd = np.where(driven[:, None], middle, v[:, :-1])
    qdd = np.diff(v) / h
    tau = read[:, 2] - on_motors
    q, qd, qdd, tau = (x[:, ::split] for x in (q, qd, qdd, tau))
    return Samples(q, qd, qdd, tau, np.zeros_like(tau))


def _torques(
    V: Array, driven: Mask, friction: Friction | None, acting: Array | None
) -> tuple[Array, Torques | None]:
    """What friction and the loads do to driven joints (n_tree, N), and to the others in each step.

    A motor gives what acts in its own joint with the sign turned, and nothing else feels either. So
    the engine is told nothing of it: in a step a spring would first throw a link of a gram at a
    hundred metres a second, which the motor takes back to as many digits as are left.
    """
    rest = np.zeros_like(V) if acting is None else acting
    prescribed = rest if friction is None else rest - friction(V)
    on_motors = np.where(driven[:, None], prescribed, 0.0)
    if driven.all() or (friction is None and acting is None):
        return on_motors, None

    def present(k: int, qd: Sequence[float]) -> list[float]:
        taken = 0.0 if friction is None else friction(np.array(qd)[:, None])[:, 0]
        torques: list[float] = np.where(driven, 0.0, rest[:, k] - taken).tolist()
        return torques

    return on_motors, present
