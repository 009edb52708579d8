#!/usr/bin/env bash
# TITLE: PyBullet gives a quarter of a motor torque with four substeps
# GUESS: getJointStates returns the torque of the motor, whatever the number of substeps: 1.962 N·m to hold the rod
# SEEN: 0.4905 N·m with numSubSteps=4: the impulse of the last substep divided by the whole step
# VERSIONS: pybullet==3.2.7 numpy==2.4.6
# MATTERS: torques read from a loop with substeps are too small by their number
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pybullet==3.2.7 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import pybullet as p

for package in ("pybullet",):
    print(package, version(package))

ARM = """
<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>
"""
Path("arm.urdf").write_text(ARM)


def holding_torque(substeps):
    p.resetSimulation()
    p.setGravity(0, 0, -9.81)
    p.setPhysicsEngineParameter(fixedTimeStep=1 / 240, numSubSteps=substeps)
    body = p.loadURDF("arm.urdf", useFixedBase=True, flags=p.URDF_USE_INERTIA_FROM_FILE)
    p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, targetVelocity=0, force=1000)
    for _ in range(100):
        p.stepSimulation()
    return -p.getJointState(body, 0)[3]


p.connect(p.DIRECT)
one, four = holding_torque(0), holding_torque(4)
print(f"without substeps {one:.4f} N·m, with four {four:.4f} N·m")
sys.exit(0 if abs(four / one - 0.25) < 1e-3 and abs(one - 1.962) < 1e-2 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
