"""Causes in the motors of a loop: brakes left on, and torques at a limit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.maths.arrays import Array
from sim.watching.cause import Cause
from sim.watching.evidence import Evidence


def brakes(e: Evidence) -> Iterator[Cause]:
    """Yield motors that were left on while the loop commands torques.

    The torque of the brake is missing in the loop's total.
    """
    rows = e.robot.tree_coordinates
    for row, torque in enumerate(e.brake):
        if not torque.any():
            continue
        only = np.zeros_like(e.brake)
        only[row] = -torque
        name = e.robot.row_names[row]
        yield Cause(
            "default motor",
            f"the default velocity motor of {name} is on while the loop commands torques, and "
            f"brakes with up to {np.abs(torque).max():.4g} {rows[row].units.effort}",
            "before the loop p.setJointMotorControlArray(body, joints, p.VELOCITY_CONTROL, "
            "forces=[0, …])",
            name,
            only,
        )


def saturation(e: Evidence) -> Iterator[Cause]:
    """Yield motors with one torque in several steps: a limit, and not an error of the torques.

    Commands that are held for some steps hold every torque.
    """
    tau = e.tau if e.acting is None else e.acting
    for row, name in enumerate(e.robot.row_names):
        size, unit = np.abs(tau[row]), e.robot.tree_coordinates[row].units.effort
        top = float(size.max())
        at = size >= top * (1 - 1e-12)
        count, together = int(at.sum()), int((at[1:] & at[:-1] & ~e.begins[1:]).sum())
        if 0 < count < e.count and together >= 5 * _steps_held(tau[row, ~at]) and top > 0:
            yield Cause(
                "torque limit",
                f"the motor of {name} stands at {top:.6g} {unit} in {count} of {e.count} steps: "
                "the joint does not follow its target there",
                "a larger torque limit, or a slower motion",
                name,
                is_error=False,
            )


def _steps_held(torque: Array) -> int:
    """Return the number of steps for which torques (K,) are held, by the median."""
    changes = np.flatnonzero(np.diff(torque, prepend=np.nan, append=np.nan) != 0)
    return int(np.median(np.diff(changes)))
