"""Minimal MuJoCo script for the motion of scenario ur10_step: velocity servos, a CSV.

No model, no checks, no page; the servos lag, which falsifies the torques.

python -m benchmarks.by_hand_mujoco URDF TABLE.csv
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import mujoco
import numpy as np

from benchmarks.ur10_rates import DT, RATES, START, STEPS, rates

GAIN = 1e4  # N·m·s, gain of each servo
SHAPES = re.compile(r"<(visual|collision)\b.*?</\1>", re.DOTALL)


def main(urdf: str, table: str) -> None:
    """Step, read and write the table: time, positions, rates, torques."""
    t, qd = rates()
    spec = mujoco.MjSpec.from_string(SHAPES.sub("", Path(urdf).read_text("utf-8")))
    spec.option.timestep = DT
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    for joint in spec.joints:
        joint.limited = mujoco.mjtLimited.mjLIMITED_FALSE
        servo = spec.add_actuator(target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_velocity(GAIN)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = START[:, 0]
    rows = np.empty((STEPS, 3, len(RATES)))
    for k, targets in enumerate(qd[:, 1:].T):
        data.ctrl[:] = targets
        mujoco.mj_step(model, data)
        rows[k] = data.qpos, data.qvel, data.qfrc_actuator
    np.savetxt(table, np.column_stack([t[1:], rows.reshape(STEPS, -1)]), delimiter=",", fmt="%.9g")


if __name__ == "__main__":
    main(*sys.argv[1:])
