"""Method `stepped`: march in time under velocity-level constraints, with step h and h/2.

The engine's law for one step from k to k+1 is

    tau_k = M(q_k) (v_k+1 - v_k)/h + C(q_k, v_k) v_k + g(q_k),    q_k+1 = q_k + h v_k+1

Commanding v_k+1 = (Q_k+1 - Q_k)/h puts the positions on the prescribed path exactly; velocities
then live at the middles of the steps. The error of every quantity is a power series in h, so two
runs give a better answer and an honest estimate of the error (Richardson 1911).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.engine.bullet import UNLIMITED_EFFORT, Engine
from sim.engine.samples import Samples, require_sound
from sim.engine.surroundings import ALONE, Surroundings
from sim.spatial import Array, Mask

CHUNK = 256  # steps between two conversions; bounds memory and finds divergence early

# t -> q, qd, qdd of all tree joints, each (n_tree, N)
Path = Callable[[Array], tuple[Array, Array, Array]]
# qd of all tree joints -> torque their drives spend on friction
Friction = Callable[[Array], Array]
# number of the step -> torque on each tree joint
Torques = Callable[[int], list[float]]


def stepped(
    engine: Engine,
    t: Array,
    path: Path,
    driven: Mask,
    friction: Friction | None,
    surroundings: Surroundings = ALONE,
) -> Samples:
    """States and torques at the uniform times `t`, extrapolated from steps h = dt and h/2.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Uniform sample times [s].
    path : callable
        The prescribed motion; for joints that are not driven only its start counts.
    driven : ndarray of bool, shape (n_tree,)
    friction : callable or None
        Evaluated at the prescribed velocity, so that it is exact at t_k; at the present velocity
        for a joint that is not driven.
    surroundings : Surroundings
        What else acts on the robot.

    Raises
    ------
    EngineError
        If a number is not finite or a driven joint leaves its path; names joint and time.
    """
    coarse, fine = (_march(engine, t, path, driven, friction, surroundings, n) for n in (1, 2))
    # Torque and acceleration: first order at the corners of a drive, so 2 T(h/2) - T(h) there and
    # everywhere. Mid-step velocities are second order. A joint that is not driven is first order.
    tau = 2 * fine.tau - coarse.tau
    qdd = 2 * fine.qdd - coarse.qdd
    qd = np.where(driven[:, None], (4 * fine.qd - coarse.qd) / 3, 2 * fine.qd - coarse.qd)
    q = np.where(driven[:, None], fine.q, 2 * fine.q - coarse.q)
    return Samples(q, qd, qdd, tau, fine.tau - coarse.tau)


def _march(
    engine: Engine,
    t: Array,
    path: Path,
    driven: Mask,
    friction: Friction | None,
    surroundings: Surroundings,
    split: int,
) -> Samples:
    """One run with step dt / split; samples are every split-th step."""
    steps = split * (t.size - 1) + 1
    h = float(t[-1] - t[0]) / (steps - 1)
    grid = t[0] + h * np.arange(steps)
    Q, V, A = path(grid)
    # One step before and one after, by the Taylor series: the drive need not exist there.
    before = Q[:, :1] - h * V[:, :1] + 0.5 * h * h * A[:, :1]
    after = Q[:, -1:] + h * V[:, -1:] + 0.5 * h * h * A[:, -1:]
    places = np.concatenate([before, Q, after], axis=1)
    commands = np.diff(places) / h
    start = np.where(driven, commands[:, 0], V[:, 0])
    torques = _torques(engine, V, driven, friction, surroundings.efforts(grid))
    act = surroundings.before(engine, grid)
    engine.set_step(h)
    engine.reset(Q[:, 0].tolist(), start.tolist())
    read = record(
        engine, grid + h, commands[:, 1:], driven, torques, wanted=places[:, 2:], before=act
    )
    q = np.concatenate([Q[:, :1], read[:, 0, :-1]], axis=1)
    v = np.concatenate([start[:, None], read[:, 1]], axis=1)  # v_-1/2 … v_N+1/2
    middle = 0.5 * (v[:, :-1] + v[:, 1:])
    qd = np.where(driven[:, None], middle, v[:, :-1])
    qdd = np.diff(v) / h
    tau = read[:, 2]
    q, qd, qdd, tau = (x[:, ::split] for x in (q, qd, qdd, tau))
    return Samples(q, qd, qdd, tau, np.zeros_like(tau))


def _torques(
    engine: Engine, V: Array, driven: Mask, friction: Friction | None, efforts: Array | None
) -> Torques | None:
    """What friction and the surroundings do to the joints during each step."""
    if friction is None:
        if efforts is None:
            return None
        alone = efforts.T.tolist()
        return lambda k: alone[k]
    rest = np.zeros_like(V) if efforts is None else efforts
    prescribed = (rest - friction(V)).T.tolist()
    if driven.all():
        return lambda k: prescribed[k]

    def present(k: int) -> list[float]:
        states = engine.bullet.getJointStates(engine.body, engine.joints, engine.client)
        now = rest[:, k] - friction(np.array([[s[1]] for s in states]))[:, 0]
        torques: list[float] = np.where(driven, prescribed[k], now).tolist()
        return torques

    return present


def record(
    engine: Engine,
    t: Array,
    commands: Array,
    driven: Mask,
    torques: Torques | None,
    wanted: Array,
    before: Callable[[int], None] | None = None,
) -> Array:
    """Step once for each time: set motors, step, read.

    Parameters
    ----------
    t : ndarray, shape (N,)
        End of each step [s].
    commands : ndarray, shape (n_tree, N)
        Velocity at the end of each step.
    torques : callable or None
        Extra torques during step k, one a joint; asked right before the step.
    wanted : ndarray, shape (n_tree, N)
        Prescribed position at the end of each step.
    before : callable, optional
        Called right before step k with its number.

    Returns
    -------
    ndarray, shape (n_tree, 3, N)
        Position and velocity after the step, motor torque during it.
    """
    p, body, joints, client = engine.bullet, engine.body, engine.joints, engine.client
    forces = np.where(driven, UNLIMITED_EFFORT, 0.0).tolist()
    mode, torque_mode = p.VELOCITY_CONTROL, p.TORQUE_CONTROL
    set_motors, step, states = p.setJointMotorControlArray, p.stepSimulation, p.getJointStates
    read = np.empty((len(joints), 3, t.size))
    for first in range(0, t.size, CHUNK):
        block = slice(first, min(first + CHUNK, t.size))
        flat: list[float] = []  # one list of numbers: half the time of tuples in a list
        for k, command in enumerate(commands[:, block].T.tolist(), start=first):
            set_motors(
                body,
                joints,
                mode,
                targetVelocities=command,
                forces=forces,
                physicsClientId=client,
            )
            if torques is not None:
                set_motors(body, joints, torque_mode, forces=torques(k), physicsClientId=client)
            if before is not None:
                before(k)
            step(client)
            for position, velocity, _, torque in states(body, joints, client):
                flat += (position, velocity, torque)
        read[:, :, block] = np.reshape(flat, (-1, len(joints), 3)).transpose(1, 2, 0)
        engine.count(block.stop - block.start)
        require_sound(engine.robot, t[block], read[:, :, block], wanted[:, block], driven)
    return read
