"""A log ready for fitting: repaired, its robot mounted as gravity acts, without grave doubts.

The direction of gravity is one more reading of a log. The assumed direction is kept unless another
leaves only a fraction of the residual, and less than any other reading of the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from sim.errors import ForeignError, ModelError
from sim.identification.doubts import SLOW, judged_states, suspicions
from sim.identification.gravity_direction import (
    WIDEST,
    GravityFit,
    fit_gravity,
    gravity_in_base,
    rpy_of,
)
from sim.identification.log import Log
from sim.identification.log_readings import better_reading, compare_shares, residual_share
from sim.identification.log_repairs import repair_log
from sim.identification.signals import MOVES, require_cutoff, sample, time_base
from sim.identification.task import arm_task, left_by_joint, payload_task
from sim.maths.arrays import Array
from sim.robots.robot import Robot

# [rad]; a direction this near to an axis of the base, or to the assumed one, is replaced by it: a
# mass centre that is off in the file by a tenth of its lever turns gravity as far
TILT = 0.1
LEAST_TORQUE = 1e-9  # [N·m or N]; a smaller change is ignored
CLEARLY = 0.5  # of a joint's residual power, on average: a mounting that leaves less is correct
ALIKE = 0.5  # of a reading's residual power, below which another explains as much
NAMES = {"floor": (0.0, 0.0, -1.0), "ceiling": (0.0, 0.0, 1.0), "wall": (1.0, 0.0, 0.0)}


@dataclass(frozen=True)
class Prepared:
    """A log and its robot, ready for a fit.

    Parameters
    ----------
    robot : Robot
        Mounted as stated, or as estimated from the log.
    log : Log
    notes : tuple of str
        Doubts that are not grave, and those accepted by the caller.
    gravity : str
        Direction of gravity in the base frame, and its source.
    estimate : GravityEstimate or None
        Estimate of that direction, if it is not along an axis of the base and may be refined.
    """

    robot: Robot
    log: Log
    notes: tuple[str, ...]
    gravity: str
    estimate: GravityEstimate | None


@dataclass(frozen=True, eq=False)
class GravityEstimate:
    """A direction of gravity by the log, which contradicts the assumed one.

    Parameters
    ----------
    assumed : ndarray, shape (3,)
    shares : str
        Residual shares of the model with either, as text.
    """

    assumed: Array
    shares: str

    def words(self, direction: Array, half_width: float) -> str:
        """Return a direction in the base frame with its interval [rad], and its option text."""
        return (
            f"{direction_words(direction)}, estimated from the log (± {_degrees(half_width)}), not "
            f"{direction_words(self.assumed)}, as assumed: {self.shares}; state it with "
            f"{mount_words(direction)}"
        )


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
    """Repair a log, estimate the robot's mounting, and check that the log is this robot's.

    Parameters
    ----------
    robot : Robot
    log : Log
    mount : sequence of float, length 6, optional
        Position [m] and roll, pitch, yaw [rad] of the robot's base in the world.
    is_typed : bool
        Whether the robot's own mounting is stated, as that of a run, and not a default. A rotated
        base always is.
    payload : bool
        Whether an unknown body at the robot's tool is part of the model.
    despite_doubts : bool
    remedy : str
        How the caller's user accepts the log as it is, for messages.

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
    with convert_numerical_errors(log):
        log = repair_log(robot, log)
        _require_motion(log)
        states = judged_states(log)
        gaps = sum(length for _, length in time_base(log).gaps)
        numbers = 2 * SLOW * (float(np.ptp(log.t)) - gaps)
        fit = fit_gravity(robot, states, max(numbers, 4.0), payload=payload)
        now = residual_share(robot, states, payload=payload)
        assumed = gravity_in_base(robot)
        text, mounted = _describe(fit, assumed, is_typed=is_typed), robot
        hint, estimate = "", None
        if not fit.fits(assumed) and _angle(fit.direction, assumed) > TILT:
            near = _nearest_named(fit.direction)
            turned = robot.mounted(robot.T_0b[:3, 3], rpy_of(near))
            share = residual_share(turned, states, payload=payload)
            reading = better_reading(robot, log, states, payload=payload)
            shares = compare_shares(share, now)
            if not _is_clearly_better(turned, robot, log, payload=payload):
                pass
            elif reading is not None and reading.residual < share:
                if reading.residual > ALIKE * share:
                    hint = f", or gravity is {direction_words(near)} ({mount_words(near)})"
            elif is_typed or not fit.is_known:
                if not despite_doubts:
                    raise ForeignError(
                        _contradiction(log, fit, near, assumed, shares, is_typed, remedy)
                    )
            else:
                mounted, estimate = turned, GravityEstimate(assumed, shares)
                text = estimate.words(near, fit.half_width)
        doubts = suspicions(mounted, log, states, payload=payload)
    if doubts and doubts[0].is_grave and not despite_doubts:
        raise ForeignError(f"{log.source}: {doubts[0].text}{hint}. {remedy} takes it as it is")
    if not _is_unnamed(gravity_in_base(mounted)):
        estimate = None
    return Prepared(mounted, log, tuple(doubt.text for doubt in doubts), text, estimate)


def _require_motion(log: Log) -> None:
    moving = np.ptp(log.q, axis=1) >= MOVES
    if not moving.any():
        raise ForeignError(
            f"{log.source}: no joint moves by {MOVES:g} rad or m; there is nothing to identify"
        )
    if not (np.ptp(log.tau[moving], axis=1) > LEAST_TORQUE).any():
        raise ForeignError(
            f"{log.source}: the torques of all joints that move are constant; choose other columns "
            "with --map THEIRS=tau.JOINT"
        )


def _is_clearly_better(one: Robot, other: Robot, log: Log, *, payload: bool) -> bool:
    """Whether one mounting leaves a fraction of the other's residual, with all terms fitted."""
    make = payload_task if payload else arm_task
    samples, cutoff = sample(log), require_cutoff(log, None)
    residual, worse = (left_by_joint(make(robot, samples, cutoff)) for robot in (one, other))
    is_used = samples.is_moving & (residual > 0)
    return bool(np.mean((worse[is_used] / residual[is_used]) ** 2) > 1 / CLEARLY)


@contextmanager
def convert_numerical_errors(log: Log) -> Iterator[None]:
    """Raise errors of linear algebra and invalid numbers as errors of the log.

    Raises
    ------
    ForeignError
        If the computation has no finite result.
    """
    try:
        with np.errstate(all="ignore"):
            yield
    except (np.linalg.LinAlgError, FloatingPointError, ZeroDivisionError, OverflowError) as error:
        raise _no_solution_error(log, str(error)) from None
    except ValueError as error:
        if isinstance(error, ForeignError | ModelError):
            raise
        if "nan" not in str(error).lower() and "infs" not in str(error):
            raise
        raise _no_solution_error(log, str(error)) from None


def _no_solution_error(log: Log, why: str) -> ForeignError:
    size = ", ".join(
        f"{name} {np.abs(rows).min():.2g} to {np.abs(rows).max():.2g}"
        for name, rows in (("|q|", log.q), ("|tau|", log.tau))
    )
    return ForeignError(
        f"{log.source} cannot be fitted: its equations have no finite solution ({why}); "
        f"{size}. Check columns and units"
    )


def direction_words(direction: Array) -> str:
    """Return a direction in the base frame, and the name of such a mounting."""
    numbers = ", ".join(f"{round(float(x), 3) + 0.0:g}" for x in direction)
    name = _name_of(direction)
    return f"({numbers}) in the base's frame" + (f", {name}" if name else "")


def mount_words(direction: Array) -> str:
    """Return the option text for a mounting."""
    if name := _name_of(direction):
        return f"--mount {name}"
    return f'--mount "0 0 0 {" ".join(f"{angle:.4g}" for angle in rpy_of(direction))}"'


def _name_of(direction: Array) -> str:
    return next((name for name, u in NAMES.items() if np.allclose(u, direction, atol=1e-9)), "")


def _angle(one: Array, other: Array) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other))


def _nearest_named(direction: Array) -> Array:
    """Return an axis of the base that is near a direction, or the direction itself."""
    axis = np.zeros(3)
    k = int(np.argmax(np.abs(direction)))
    axis[k] = np.sign(direction[k])
    return axis if _angle(axis, direction) < TILT else direction


def _is_unnamed(direction: Array) -> bool:
    return float(np.abs(direction).max()) < 1 - 1e-12


def _describe(fit: GravityFit, assumed: Array, *, is_typed: bool) -> str:
    """Describe gravity where the assumed direction is kept."""
    words = f"{direction_words(assumed)}, as {'stated' if is_typed else 'assumed'}"
    degrees = f"{_degrees(_angle(fit.direction, assumed))} ± {_degrees(fit.half_width)}"
    if is_typed:
        words += ", but for turns about the vertical, which no torque shows"
    if fit.is_known:
        return f"{words}; the estimate from the log is {degrees} away"
    state = "" if is_typed else "; state another with --mount"
    return f"{words}; the log does not show the direction: {_why_unknown(fit)}{state}"


def _why_unknown(fit: GravityFit) -> str:
    if fit.others:
        others = " and ".join(direction_words(u) for u in (fit.direction, *fit.others))
        return f"{others} fit equally well"
    if fit.narrowest > WIDEST:
        return "joints hardly feel gravity"
    axis = ", ".join(f"{round(float(x), 2) + 0.0:g}" for x in fit.widest)
    return f"joints hardly feel what acts along ({axis}) there"


def _degrees(angle: float) -> str:
    return f"{np.degrees(angle):.2g}°"


def _contradiction(
    log: Log, fit: GravityFit, near: Array, assumed: Array, shares: str, is_typed: bool, remedy: str
) -> str:
    stated = "stated" if is_typed else "assumed"
    if fit.is_known:
        direction = f"{direction_words(near)} (± {_degrees(fit.half_width)})"
    else:
        direction = f"another one, {direction_words(near)} for instance, as {_why_unknown(fit)}"
    return (
        f"{log.source}: gravity is {direction_words(assumed)} by the mounting that is {stated}, "
        f"and the torques show {direction}: so {shares}. State the mounting with "
        f"{mount_words(near) if fit.is_known else '--mount'}; {remedy} takes the {stated} one"
    )
