"""A log that can be fitted: repaired, its robot mounted as gravity acts on it, no grave doubt left.

The direction of gravity is one more reading of a log. The one that is assumed stays, unless another
leaves a fraction of the torque, and less than any other reading of the columns does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from sim.errors import ForeignError, ModelError
from sim.identification.arm_chain import last_arm_link
from sim.identification.doubts import (
    CLEARLY,
    LITTLE,
    SLOW,
    better_reading,
    compare_shares,
    judged_states,
    residual_share,
    suspicions,
)
from sim.identification.gravity_direction import GravityFit, fit_gravity
from sim.identification.log import Log
from sim.identification.log_repairs import repair_log
from sim.maths.arrays import Array
from sim.robots.robot import Robot

# [rad]; a direction so near one of the base's axes, or to the assumed one, is that one: a centre of
# mass that is off in the file by a tenth of its lever turns gravity as far
TILT = 0.1
NAMES = {(0.0, 0.0, -1.0): "floor", (0.0, 0.0, 1.0): "ceiling", (1.0, 0.0, 0.0): "wall"}


@dataclass(frozen=True)
class Prepared:
    """A log and its robot, as a fit takes them.

    Parameters
    ----------
    robot : Robot
        Mounted as it is typed, or as the log has it.
    log : Log
    notes : tuple of str
        Doubts that are not grave, and those that the caller accepts.
    gravity : str
        Its direction in the frame of the base, and where that is from.
    is_estimated : bool
        Whether that direction is estimated and no named one.
    """

    robot: Robot
    log: Log
    notes: tuple[str, ...]
    gravity: str
    is_estimated: bool


def prepare_log(
    robot: Robot,
    log: Log,
    *,
    mount: Sequence[float] | None = None,
    is_typed: bool = False,
    payload: bool = False,
    despite_doubts: bool = False,
    remedy: str = "--despite-doubts",
) -> Prepared:
    """Repair a log, and find how its robot is mounted and whether it is this robot's log at all.

    Parameters
    ----------
    robot : Robot
    log : Log
    mount : sequence of float, length 6, optional
        Position [m] and roll, pitch, yaw [rad] of the robot's base in the world.
    is_typed : bool
        Whether the robot's own mounting is stated, as that of a run is, and not a default. One that
        turns the base always is.
    payload : bool
        Whether an unknown body at the robot's tool is part of the model.
    despite_doubts : bool
    remedy : str
        How a caller takes the log as it is, for messages.

    Raises
    ------
    ForeignError
        If the log is another robot's, contradicts a stated mounting, or has a grave doubt that is
        not accepted.
    """
    log.require_of(robot)
    if mount is not None:
        robot = robot.mounted(mount[:3], mount[3:])
    is_typed |= mount is not None or not np.allclose(robot.T_0b[:3, :3], np.eye(3), atol=1e-9)
    with solved(log):
        log = repair_log(robot, log)
        states = judged_states(log)
        numbers = 2 * SLOW * float(np.ptp(log.t) - sum(x for _, x in _gaps(log)))
        fit = fit_gravity(_with_end(robot), states, max(numbers, 4.0))
        now = residual_share(robot, states, payload=payload)
        assumed = gravity_in_base(robot)
        text, found = _describe(fit, assumed, is_typed=is_typed), robot
        is_other = not fit.fits(assumed) and _angle(fit.direction, assumed) > TILT
        if is_other and now > LITTLE:
            near = _nearest_named(fit.direction)
            found = robot.mounted(robot.T_0b[:3, 3], rpy_of(near))
            left = residual_share(found, states, payload=payload)
            reading = better_reading(robot, log, states, payload=payload)
            if left >= CLEARLY * now or (reading is not None and reading.left < left):
                found = robot
            elif (is_typed or not fit.is_known) and not despite_doubts:
                raise ForeignError(
                    _contradiction(log, fit, near, assumed, compare_shares(left, now), is_typed,
                                   remedy)
                )  # fmt: skip
            elif is_typed or not fit.is_known:
                found = robot
            else:
                text = _estimate(fit, near, assumed, compare_shares(left, now))
        doubts = suspicions(found, log, states, payload=payload)
    if doubts and doubts[0].is_grave and not despite_doubts:
        raise ForeignError(f"{log.source}: {doubts[0].text}. {remedy} takes it as it is")
    is_estimated = found is not robot and _is_unnamed(gravity_in_base(found))
    return Prepared(found, log, tuple(doubt.text for doubt in doubts), text, is_estimated)


@contextmanager
def solved(log: Log) -> Iterator[None]:
    """Errors of linear algebra, of numbers without sense, as those of the log.

    Raises
    ------
    ForeignError
        If what is done has no solution in numbers.
    """
    try:
        with np.errstate(all="ignore"):
            yield
    except (np.linalg.LinAlgError, FloatingPointError, ZeroDivisionError, OverflowError) as error:
        raise _unsolved(log, str(error)) from None
    except ValueError as error:
        if isinstance(error, ForeignError | ModelError):
            raise
        if "nan" not in str(error).lower() and "infs" not in str(error):
            raise
        raise _unsolved(log, str(error)) from None


def _unsolved(log: Log, why: str) -> ForeignError:
    size = ", ".join(
        f"{name} {np.abs(rows).min():.2g} to {np.abs(rows).max():.2g}"
        for name, rows in (("|q|", log.q), ("|tau|", log.tau))
    )
    return ForeignError(
        f"{log.source} cannot be fitted: its equations have no solution in numbers ({why}); "
        f"{size}. Look whether columns and units are right"
    )


def gravity_in_base(robot: Robot) -> Array:
    """Direction of gravity in the frame of a robot's base, (3,)."""
    return np.asarray(-robot.T_0b[2, :3])


def rpy_of(direction: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a base in whose frame gravity has a direction; yaw, which no joint
    feels, is 0 [rad].
    """
    x, y, z = (direction / np.linalg.norm(direction)).tolist()
    across = float(np.hypot(y, z))
    roll = float(np.arctan2(-y + 0.0, -z + 0.0)) if across > 1e-9 else 0.0
    return roll, float(np.arctan2(x, across)), 0.0


def direction_words(direction: Array) -> str:
    """A direction in the base's frame, and what such a mounting is called."""
    numbers = ", ".join(f"{round(float(x), 3) + 0.0:g}" for x in direction)
    name = NAMES.get(tuple(float(round(x, 9)) + 0.0 for x in direction), "")
    return f"({numbers}) in the base's frame" + (f", {name}" if name else "")


def mount_words(direction: Array) -> str:
    """What is typed for a mounting."""
    name = NAMES.get(tuple(float(round(x, 9)) + 0.0 for x in direction))
    if name is not None:
        return f"--mount {name}"
    return f'--mount "0 0 0 {" ".join(f"{angle:.4g}" for angle in rpy_of(direction))}"'


def _gaps(log: Log) -> tuple[tuple[float, float], ...]:
    from sim.identification.signals import time_base

    return time_base(log).gaps


def _with_end(robot: Robot) -> Robot:
    """The robot with a tool at which an unknown body can be, where it has an arm."""
    if robot.tool is not None:
        return robot
    try:
        return replace(robot, tool=last_arm_link(robot))
    except ModelError:
        return robot


def _angle(one: Array, other: Array) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other))


def _nearest_named(direction: Array) -> Array:
    """An axis of the base that is near a direction, or the direction itself."""
    axis = np.zeros(3)
    k = int(np.argmax(np.abs(direction)))
    axis[k] = np.sign(direction[k])
    return axis if _angle(axis, direction) < TILT else direction


def _is_unnamed(direction: Array) -> bool:
    return float(np.abs(direction).max()) < 1 - 1e-12


def _describe(fit: GravityFit, assumed: Array, *, is_typed: bool) -> str:
    """What is said of gravity where the assumed direction stays."""
    words = f"{direction_words(assumed)}, as {'stated' if is_typed else 'assumed'}"
    degrees = f"{np.degrees(_angle(fit.direction, assumed)):.1f}° ± {_degrees(fit)}"
    if fit.is_known:
        return f"{words}; the log's own estimate is {degrees} from it"
    state = "" if is_typed else "; state another with --mount"
    return f"{words}; the log does not show the direction: {_why_unknown(fit)}{state}"


def _why_unknown(fit: GravityFit) -> str:
    if fit.others:
        others = " and ".join(direction_words(u) for u in (fit.direction, *fit.others))
        return f"{others} fit equally well"
    return "no joint feels all of it"


def _degrees(fit: GravityFit) -> str:
    return f"{np.degrees(fit.half_width):.1f}°"


def _estimate(fit: GravityFit, near: Array, assumed: Array, shares: str) -> str:
    return (
        f"{direction_words(near)}, estimated from the log (± {_degrees(fit)}), not "
        f"{direction_words(assumed)}, as assumed: {shares}; state it with {mount_words(near)}"
    )


def _contradiction(
    log: Log, fit: GravityFit, near: Array, assumed: Array, shares: str, is_typed: bool, remedy: str
) -> str:
    stated = "stated" if is_typed else "assumed"
    if fit.is_known:
        found = f"{direction_words(near)} (± {_degrees(fit)})"
    else:
        found = f"another direction, and does not show which: {_why_unknown(fit)}"
    return (
        f"{log.source}: gravity is {direction_words(assumed)} by the mounting that is {stated}, "
        f"and the torques show {found}: so {shares}. State the mounting with "
        f"{mount_words(near) if fit.is_known else '--mount'}; {remedy} takes the {stated} one"
    )
