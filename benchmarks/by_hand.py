"""Minimal PyBullet script for the motion of scenario ur10_step: no model, no checks, no page.

Its torques are off by a tenth: PyBullet gives links without an inertia 1 kg and 1 kg·m².

python -m benchmarks.by_hand URDF TABLE.csv
"""

from __future__ import annotations

import sys

import numpy as np
import pybullet as p

from benchmarks.ur10_rates import DT, START, rates


def main(urdf: str, table: str) -> None:
    """Step, read and write the table: time, positions, rates, torques."""
    t, qd = rates()
    q = START + np.cumsum(DT * qd, axis=1)
    p.connect(p.DIRECT)
    p.setGravity(0, 0, -9.80665)
    p.setTimeStep(DT)
    body = p.loadURDF(urdf, useFixedBase=True, flags=p.URDF_USE_INERTIA_FROM_FILE)
    joints = [k for k in range(p.getNumJoints(body)) if p.getJointInfo(body, k)[2] == 0]
    for joint, place in zip(joints, q[:, 0], strict=True):
        p.resetJointState(body, joint, place)
        # the motion ends at a limit, where PyBullet would push back
        p.changeDynamics(body, joint, jointLowerLimit=-1e9, jointUpperLimit=1e9)
    tau = []
    for targets in qd[:, 1:].T.tolist():
        p.setJointMotorControlArray(
            body, joints, p.VELOCITY_CONTROL, targetVelocities=targets, forces=[1e6] * len(joints)
        )
        p.stepSimulation()
        tau.append([state[3] for state in p.getJointStates(body, joints)])
    rows = np.column_stack([t[1:], q[:, 1:].T, qd[:, 1:].T, tau])
    np.savetxt(table, rows, delimiter=",", fmt="%.9g")


if __name__ == "__main__":
    main(*sys.argv[1:])
