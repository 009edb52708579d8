"""Wrong torques passed by a loop whose engine torques agree with the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.maths.arrays import Array
from sim.watching.cause import Cause
from sim.watching.evidence import Evidence
from sim.watching.explaining import Judged
from sim.watching.own_torques import OWN_TORQUES

OF_TORQUES = (
    "torque",
    "filtered",
    "state after",
    "inertia part",
    "velocity part",
    "weight part",
    "damping part",
)
REMEDY = "pass the torques that act during each step, or none"
DECIMALS = range(1, 9)
SINGLE = 6e-8  # relative rounding of single precision, 2^-24
NAMES = {"bullet": "PyBullet", "mujoco": "MuJoCo"}


def wrongly_passed(e: Evidence, rest: Array, judged: Judged) -> tuple[Cause | None, bool]:
    """Return the cause of passed torques, if those that act agree with the model, else None.

    The residual `rest` (n, N) is that of the passed ones. The second value is whether it is known
    how they come from those that act.
    """
    if e.torque_from != OWN_TORQUES or e.acting is None:
        return None, False
    error = np.where(judged.steps, e.tau - e.acting, 0.0)
    if not judged.is_wrong(rest).any() or judged.is_wrong(rest - error).any():
        return None, False
    size = np.abs(error) / judged.peaks[:, None]
    row, step = np.unravel_index(int(np.argmax(size)), size.shape)
    unit, name = e.robot.tree_coordinates[row].units.effort, e.robot.row_names[row]
    wrong = judged.is_wrong(error)
    text = (
        f"the torques of {NAMES[e.engine]} agree with the model; those that the loop passes differ "
        f"in {int(wrong.sum())} of {e.count} steps, by up to {abs(error[row, step]):.4g} {unit}, "
        f"at {name} in step {e.number(step) + 1}"
    )
    if how := _how(e, e.acting[:, wrong], e.tau[:, wrong]):
        text += f": {how}"
    return Cause("passed torques", text, REMEDY, name, error), bool(how)


def as_passed(e: Evidence, cause: Cause) -> Cause:
    """Return a cause that explains passed torques, though it does not act in the engine."""
    if cause.kind.startswith(OF_TORQUES) or not cause.is_error:
        return cause
    text = f"the torques of {NAMES[e.engine]} agree with the model; those that the loop passes "
    return replace(cause, text=f"{text}differ, as this would cause: {cause.text}", remedy=REMEDY)


def _how(e: Evidence, acting: Array, passed: Array) -> str:
    """Describe passed torques (n, K) in steps in which others act."""
    if not passed.any():
        return "they are zero"
    if e.engine == "bullet" and not acting.any():
        return "no torque acts there, since one of TORQUE_CONTROL holds for a single step"
    top = np.abs(passed).max(axis=1, keepdims=True)
    if np.allclose(passed, np.clip(acting, -top, top), rtol=1e-9, atol=0):
        return "they are saturated"
    error, rounding = np.abs(passed - acting), 1e-12 * np.abs(acting).max()
    is_single = np.array_equal(passed, passed.astype(np.float32))
    if is_single and (error <= SINGLE * np.abs(acting) + rounding).all():
        return "they have single precision (float32)"
    for digits in DECIMALS:
        is_round = np.array_equal(passed, np.round(passed, digits))
        if is_round and (error <= 0.5 * 10.0**-digits + rounding).all():
            return f"they are rounded to {digits} decimals"
    return ""
