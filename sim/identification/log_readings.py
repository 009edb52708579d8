"""Other readings of a log, by the robot's model: units, order and signs of its columns.

A reading is correct where the model, with friction and the unknown payload if any, then leaves
only a fraction of the present residual torque.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from sim.dynamics.newton_euler import inverse_dynamics
from sim.dynamics.regressor import regressor
from sim.foreign.unit_names import unit_named
from sim.identification.log import Log
from sim.identification.payload import payload_columns
from sim.identification.signals import MOVES, MeasuredStates, sample_few
from sim.maths.arrays import Array
from sim.robots.coordinate import DEGREE
from sim.robots.robot import Robot
from sim.showing.shares import percent

MOST = 400  # samples; enough for three numbers per joint
# Share of the present residual power below which the other reading is correct. With masses in the
# file that are off by a third, a wrong reading may leave 0.35, but never as little as `LITTLE`.
CLEARLY, IF_LITTLE = 0.25, 0.5
LITTLE = 0.01  # of the torque's power: a model with a smaller residual needs no other reading
UNITS = {
    name: 1 / unit_named(name).factor for name in ("N*mm", "N*cm", "lbf*in", "kgf*cm", "kgf*m")
}
ZEROS = 90, -90, 180  # [deg]; of joints, where programs differ
NEAR = 1.1  # a factor this near to a unit's is the unit's
SCALED = 5.0  # times the model's torque: beyond, it is another unit; masses in files may be so off
LEAVES = 0.03  # of the torque's power, at most, by torques in another unit
ROUNDING = 1e-9  # of the sign of a speed after a low-pass
FAST = 4.0  # [Hz]; upper frequency for these, as products of slow motions are faster
IMPLAUSIBLE = 10.0  # of the torque's power: a model with such a residual is another quantity's


@dataclass(frozen=True)
class LogReading:
    """Another reading of a log, and the residual share of the torque's power with it.

    The share is that of the log as it is if the text names several causes and no reading.
    """

    text: str
    residual: float


def better_reading(
    robot: Robot, log: Log, states: MeasuredStates, *, payload: bool = False
) -> LogReading | None:
    """Return the reading that the model clearly prefers, the best of all; None if there is none."""
    now = residual_share(robot, states, payload=payload)
    best, words = now, ""
    if now > LITTLE:
        for text, reading in _readings(robot, states):
            share = residual_share(robot, reading, payload=payload)
            if share < best:
                best, words = share, text
        scaled = _rescaled_reading(robot, sample_few(log, FAST, MOST), payload=payload)
        if scaled is not None and scaled.residual < best:
            return scaled
    if now > IMPLAUSIBLE and best > 1:
        # inertial torques of a log in degrees are 57 times too large; little else explains so much
        hint = f", and {_residual_text(best)} if {words}" if best < DEGREE**2 * now else ""
        return LogReading(
            "torques are far smaller than this robot's drives need: motor or external torques, "
            "another unit of torques or positions, or a file with other masses and inertias; the "
            f"robot's model leaves {_residual_text(now)} of them{hint}",
            now,
        )
    if not words or best >= (IF_LITTLE if best < LITTLE else CLEARLY) * now:
        return None
    return LogReading(f"{words}: so read, {compare_shares(best, now)}", best)


def _rescaled_reading(robot: Robot, states: MeasuredStates, *, payload: bool) -> LogReading | None:
    """Return the reading of torques in another unit, or as currents, if little is left then.

    The factor of each joint is that with which model and friction fit its torque best.
    """
    q, qd, qdd, tau = states.q, states.qd, states.qdd, states.tau
    rigid = inverse_dynamics(robot, q, qd, qdd)
    factors = np.zeros(len(q))
    for row in range(len(q)):
        A = np.column_stack([rigid[row], states.sliding[row], qd[row], np.ones_like(qd[row])])
        if np.ptp(q[row]) >= MOVES and np.ptp(rigid[row]) > 0:
            factors[row] = _scaled_lstsq(A, tau[row])[0]
    weight = np.ptp(rigid, axis=1) * (factors > 0)
    if not weight.any() or 1 / SCALED < (usual := float(factors[np.argmax(weight)])) < SCALED:
        return None
    unit = min(UNITS, key=lambda name: abs(np.log(usual / UNITS[name])))
    factors = np.where(weight > 0, factors, usual)
    words = "as currents or percentages are; set --map THEIRS=current.JOINT --gain JOINT=K"
    ways = {f"torques are {usual:.3g} times the model's, {words}": tau / factors[:, None]}
    if abs(np.log(usual / UNITS[unit])) < np.log(NEAR):
        ways = {f"torques are in {unit}; set --unit COLUMN={unit}": tau / UNITS[unit]} | ways
    now = residual_share(robot, states, payload=payload)
    for text, torques in ways.items():
        share = residual_share(robot, replace(states, tau=torques), payload=payload)
        if share < min(LEAVES, CLEARLY * now):
            return LogReading(f"{text}: so read, {compare_shares(share, now)}", share)
    return None


def compare_shares(best: float, now: float) -> str:
    """Describe the unexplained shares of another reading and of the present one."""
    return (
        f"the robot's model leaves {_residual_text(best)} of the torque and not "
        f"{_residual_text(now)}"
    )


def _residual_text(share: float) -> str:
    """Return the residual torque of a share of power."""
    ratio = float(np.sqrt(share))
    return f"{100 * ratio:.2g} %" if ratio < 0.995 else percent(ratio)


def _readings(robot: Robot, states: MeasuredStates) -> Iterator[tuple[str, MeasuredStates]]:
    names, q, tau = robot.row_names, states.q, states.tau
    if np.abs(q).max() > 2 * np.pi:  # else, as degrees, no joint would leave its zero
        yield (
            "positions are in degrees; set --unit COLUMN=deg",
            replace(states, q=q * DEGREE, qd=states.qd * DEGREE, qdd=states.qdd * DEGREE),
        )
    yield (
        "torques have the other sign; turn each with --map THEIRS=-tau.JOINT",
        replace(states, tau=-tau),
    )
    # A joint at rest is left out: its torque could be swapped with any other.
    moving = [row for row in range(len(names)) if np.ptp(q[row]) >= MOVES]
    for a, b in combinations(moving, 2):
        order = list(range(len(names)))
        order[a], order[b] = b, a
        yield (
            f"joints {names[a]} and {names[b]} are swapped; set the order with --map",
            states.reorder(order),
        )
        yield (
            f"the torques of {names[a]} and {names[b]} are swapped; name them with --map",
            replace(states, tau=tau[order]),
        )
    # rows of the log in alphabetical order of names, as ROS writes them
    place = {name: k for k, name in enumerate(sorted(names))}
    order = [place[name] for name in names]
    if order != sorted(order):
        yield (
            "joints are in alphabetical order, as ROS writes them; set the order with --map",
            states.reorder(order),
        )
    for row in moving:
        name, sign = names[row], np.ones((len(names), 1))
        sign[row] = -1.0
        yield (
            f"the torque of {name} has the other sign; turn it with --map THEIRS=-tau.{name}",
            replace(states, tau=sign * tau),
        )
        yield (
            f"{name} turns the other way; turn its q, qd and tau with --map THEIRS=-q.{name}",
            MeasuredStates(*(sign * rows for rows in states.rows)),
        )
        for degrees in ZEROS if robot.coordinates[row].is_angle else ():
            zero = np.zeros((len(names), 1))
            zero[row] = degrees * DEGREE
            yield (
                f"positions of {name} have another zero, {degrees:+d}°; shift them with "
                f"--map THEIRS=q.{name}{degrees:+d}deg",
                replace(states, q=q - zero),
            )


def residual_share(robot: Robot, states: MeasuredStates, *, payload: bool = False) -> float:
    """Return the mean over the joints of residual power over torque power, with fitted friction.

    Negative friction is set to zero, and so is a payload of negative mass.

    Parameters
    ----------
    robot : Robot
    states : MeasuredStates
    payload : bool
        Whether an unknown body at the robot's tool is fitted too.
    """
    q, qd, qdd, tau = states.q, states.qd, states.qdd, states.tau
    rigid = inverse_dynamics(robot, q, qd, qdd)
    power = (tau**2).sum(axis=1)
    moving = np.flatnonzero((power > 0) & (np.ptp(q, axis=1) >= MOVES))
    if not moving.size:
        return 0.0
    body = payload_columns(robot, regressor(robot, q, qd, qdd)) if payload else None
    blocks = []
    for k, row in enumerate(moving):
        friction = np.zeros((q.shape[1], 3, moving.size))
        # relative to its first value: 0, and not fitted, for a joint that never reverses
        sliding = states.sliding[row] - states.sliding[row, 0]
        sliding[np.abs(sliding) < ROUNDING] = 0.0
        friction[:, :, k] = np.stack([sliding, qd[row], np.ones_like(qd[row])], axis=1)
        carried = [] if body is None else [*body[row]]
        A = np.column_stack(
            [*friction.reshape(len(friction), -1).T, *carried, tau[row] - rigid[row]]
        )
        blocks.append(A / np.sqrt(power[row] * moving.size))
    # the QR triangle has the same least-squares solution in fewer rows
    R = np.asarray(np.linalg.qr(np.concatenate(blocks), mode="r"))
    A, b, n = R[:, :-1], R[:, -1], moving.size
    is_fitted = np.asarray(A.any(axis=0))
    reverses = is_fitted[:n].copy()
    while True:
        x = np.zeros(is_fitted.size)
        x[is_fitted] = _scaled_lstsq(A[:, is_fitted], b)
        drives = np.where(reverses, x[:n], x[n : 2 * n]) < 0
        is_less = x.size > 3 * n and x[3 * n] < 0
        if not drives.any() and not is_less:
            return min(float(np.sum((b - A @ x) ** 2)), float(b @ b))
        is_fitted[:n] &= ~drives
        is_fitted[n : 2 * n] &= ~drives
        if is_less:
            is_fitted[3 * n :] = False


def _scaled_lstsq(A: Array, b: Array) -> Array:
    """Return the least-squares solution of A x = b, with the columns of A scaled to unit length."""
    scale = np.linalg.norm(A, axis=0)
    scale[scale == 0] = 1.0
    return np.asarray(np.linalg.lstsq(A / scale, b, rcond=1e-9)[0] / scale)
