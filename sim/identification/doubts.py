"""What is doubtful in a log before anything is fitted to it: units, order, signs, joints at rest.

Each doubt of units, order or sign is a hypothesis: the log read the other way. It is told where the
robot's own model, with friction, then leaves a fraction of the torque that it leaves now.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.interpolate import CubicSpline

from sim.curves.signals import zero_phase
from sim.dynamics.newton_euler import inverse_dynamics
from sim.errors import ForeignError
from sim.identification.log import Log
from sim.identification.signals import MOVES, time_base
from sim.maths.arrays import Array
from sim.robots.robot import Robot

SLOW = 1.0  # [Hz]; what is compared
MOST = 400  # samples; enough for three numbers a joint
CLEARLY = 0.5  # of the residual power that is left now: below it the other reading is right
LITTLE = 0.01  # of the torque's power: a model that leaves less has no need of another reading
RATIO = 0.5, 2.0  # of velocities and the derivative of positions: beyond it they do not belong
DEGREE = np.pi / 180
LATE = 3e-3  # [s]
COARSE = 0.5  # steps of a torque in its noise


@dataclass(frozen=True)
class Doubt:
    """Something doubtful in a log.

    Parameters
    ----------
    text : str
    is_grave : bool
        Whether a fit would be of something else than this robot.
    """

    text: str
    is_grave: bool = False


def suspicions(robot: Robot, log: Log) -> tuple[Doubt, ...]:
    """All doubts about a log of a robot, the grave ones first; none where nothing is odd."""
    found = [*_of_velocities(log), *_of_readings(robot, log), *_of_rest(log), *_of_times(log)]
    return tuple(sorted(found, key=lambda doubt: not doubt.is_grave))


def require_trust(
    robot: Robot, log: Log, *, despite_doubts: bool, remedy: str = "--despite-doubts"
) -> list[str]:
    """The doubts about a log in words, none of them grave unless it is taken in spite of them.

    Parameters
    ----------
    robot : Robot
    log : Log
    despite_doubts : bool
    remedy : str
        How the caller is told to take the log as it is.

    Raises
    ------
    ForeignError
        If one is grave.
    """
    doubts = suspicions(robot, log)
    if doubts and doubts[0].is_grave and not despite_doubts:
        raise ForeignError(f"{log.source}: {doubts[0].text}. {remedy} takes it as it is")
    return [doubt.text for doubt in doubts]


def _of_velocities(log: Log) -> Iterator[Doubt]:
    if log.qd is None:
        return
    rate = CubicSpline(log.t, log.q, axis=-1)(log.t, 1)
    for row, name in enumerate(log.joints):
        size = float(log.qd[row] @ log.qd[row])
        if np.ptp(log.q[row]) < MOVES or size == 0:
            continue
        ratio = float(rate[row] @ log.qd[row]) / size
        if not RATIO[0] < ratio < RATIO[1]:
            yield Doubt(
                f"{name}: positions change {ratio:.3g} times as fast as its velocities say: "
                f"{_why_so_fast(ratio)}",
                is_grave=True,
            )


def _why_so_fast(ratio: float) -> str:
    """What may make positions change so many times as fast as velocities say."""
    if abs(ratio * DEGREE - 1) < 0.2 or abs(ratio / DEGREE - 1) < 0.2:
        return "one of them is in degrees"
    for second, unit in ((1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")):
        if abs(ratio / second - 1) < 0.2:
            return f"times are in {unit}; say so with --unit TIME={unit}"
    return "units, sign or order of joints"


def _of_readings(robot: Robot, log: Log) -> Iterator[Doubt]:
    """The other readings that the model prefers by far; only the best of them is told."""
    q, qd, qdd, tau = _few_samples(log)
    now = _residual_share(robot, q, qd, qdd, tau)
    best, words = now, ""
    for text, reading in _readings(log.joints, q, qd, qdd, tau):
        left = _residual_share(robot, *reading)
        if left < best:
            best, words = left, text
    if now > LITTLE and best < CLEARLY * now:
        yield Doubt(
            f"{words}: so read, the robot's model leaves {100 * np.sqrt(best):.0f} % of the torque "
            f"and not {100 * np.sqrt(now):.0f} %",
            is_grave=True,
        )


def _readings(
    names: tuple[str, ...], q: Array, qd: Array, qdd: Array, tau: Array
) -> Iterator[tuple[str, tuple[Array, Array, Array, Array]]]:
    yield (
        "positions are in degrees; say so with --unit COLUMN=deg",
        (q * DEGREE, qd * DEGREE, qdd * DEGREE, tau),
    )
    yield "torques have the other sign; turn each with --map THEIRS=-tau.JOINT", (q, qd, qdd, -tau)
    # one that stands still shows nothing: with its torque any other could be swapped away
    moving = [row for row in range(len(names)) if np.ptp(q[row]) >= MOVES]
    for a, b in combinations(moving, 2):
        order = list(range(len(names)))
        order[a], order[b] = b, a
        yield (
            f"joints {names[a]} and {names[b]} are swapped; give the order with --map",
            (q[order], qd[order], qdd[order], tau[order]),
        )
        yield (
            f"the torques of {names[a]} and {names[b]} are swapped; name them with --map",
            (q, qd, qdd, tau[order]),
        )
    # the log's rows are in alphabetical order of names, as ROS writes them
    place = {name: k for k, name in enumerate(sorted(names))}
    order = [place[name] for name in names]
    if order != sorted(order):
        yield (
            "joints stand in alphabetical order, as ROS writes them; give the order with --map",
            (q[order], qd[order], qdd[order], tau[order]),
        )
    for row in moving:
        name, sign = names[row], np.ones((len(names), 1))
        sign[row] = -1.0
        yield (
            f"the torque of {name} has the other sign; turn it with --map THEIRS=-tau.{name}",
            (q, qd, qdd, sign * tau),
        )
        yield (
            f"{name} turns the other way; turn its q, qd and tau with --map THEIRS=-q.{name}",
            (sign * q, sign * qd, sign * qdd, sign * tau),
        )


def _residual_share(robot: Robot, q: Array, qd: Array, qdd: Array, tau: Array) -> float:
    """Mean over the joints of the residual's power by the torque's, with friction fitted.

    Friction that would drive counts as none.
    """
    left = tau - inverse_dynamics(robot, q, qd, qdd)
    shares = []
    for row in range(len(q)):
        size = float(left[row] @ left[row])
        power = float(tau[row] @ tau[row])
        if power == 0 or np.ptp(q[row]) < MOVES:
            continue
        A = np.stack([np.tanh(qd[row] / 0.05), qd[row], np.ones_like(qd[row])], axis=1)
        x = np.linalg.lstsq(A, left[row], rcond=None)[0]
        if x[0] < 0:
            A = A[:, 2:]
            x = np.linalg.lstsq(A, left[row], rcond=None)[0]
        rest = left[row] - A @ x
        shares.append(min(float(rest @ rest), size) / power)
    return float(np.mean(shares)) if shares else 0.0


def _few_samples(log: Log) -> tuple[Array, Array, Array, Array]:
    step = float(np.median(np.diff(log.t)))
    t = np.arange(log.t[0], log.t[-1], step)
    q, tau = (
        zero_phase(CubicSpline(log.t, x, axis=-1)(t), 1 / step, min(SLOW, 0.2 / step))
        for x in (log.q, log.tau)
    )
    smooth = CubicSpline(t, q, axis=-1)
    few = slice(None, None, max(1, t.size // MOST))
    return q[:, few], smooth(t, 1)[:, few], smooth(t, 2)[:, few], tau[:, few]


def _of_rest(log: Log) -> Iterator[Doubt]:
    for row, name in enumerate(log.joints):
        if np.ptp(log.q[row]) < MOVES:
            yield Doubt(f"{name} stands still: its friction and its rotor are not told")
        steps = np.unique(np.abs(np.diff(np.unique(log.tau[row]))))
        if 1 < steps.size + 1 < log.t.size / 20:
            yield Doubt(
                f"{name}: its torque has {steps.size + 1} different values; steps that are larger "
                "than the noise are no noise"
            )


def _of_times(log: Log) -> Iterator[Doubt]:
    times = time_base(log)
    for start, length in times.gaps:
        yield Doubt(f"nothing is logged for {length:.3g} s from {start:.6g} s on; left out")
    if times.jitter > 0.1:
        yield Doubt(f"times jitter by up to {times.jitter:.2g} steps; taken onto an even grid")
    if times.delay is not None and abs(times.delay) > LATE:
        yield Doubt(f"velocities lag behind positions by {1e3 * times.delay:.3g} ms")
