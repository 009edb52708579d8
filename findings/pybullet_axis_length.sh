#!/usr/bin/env bash
# TITLE: PyBullet simulates a joint whose axis is not of unit length with another inertia than its inverse dynamics has
# GUESS: the axis is made a unit vector, as in other readers: 1 N·m accelerates 0.07 kg·m² by 14.286 rad/s²
# SEEN: 3.571 rad/s² for the axis 0 2 0, as if the inertia were four times as large; calculateMassMatrix still gives 0.07 kg·m²
# VERSIONS: pybullet==3.2.7 numpy==2.4.6
# MATTERS: torque control by PyBullet's own inverse dynamics fails on a URDF with axes such as 0 0 2 or 1 1 0, which other programs read alike
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
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 2 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>
"""
Path("arm.urdf").write_text(ARM)
p.connect(p.DIRECT)
body = p.loadURDF("arm.urdf", useFixedBase=True, flags=p.URDF_USE_INERTIA_FROM_FILE)
for link in (-1, 0):
    p.changeDynamics(body, link, linearDamping=0, angularDamping=0)
p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, force=0)
p.setJointMotorControl2(body, 0, p.TORQUE_CONTROL, force=1)
p.stepSimulation()
acceleration = p.getJointState(body, 0)[1] * 240
inertia = p.calculateMassMatrix(body, [0.0])[0][0]
print(f"inertia {inertia:.4f} kg·m², acceleration by 1 N·m {acceleration:.4f} rad/s², by the inertia {1 / inertia:.4f}")
sys.exit(0 if abs(acceleration * inertia - 0.25) < 1e-6 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
