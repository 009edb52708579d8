#!/usr/bin/env bash
# TITLE: MuJoCo reads a URDF joint with lower and upper 0 as a joint without limits
# GUESS: the joint is held at 0, as in PyBullet, Pinocchio and Drake
# SEEN: it is not limited, and turns by many revolutions under a torque
# VERSIONS: mujoco-core==4.0.1 numpy==2.4.6
# MATTERS: a joint that was locked by its limits moves freely
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mujoco-core==4.0.1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import mujoco

for package in ("mujoco-core",):
    print(package, version(package))

ARM = """
<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <limit lower="0" upper="0" effort="50" velocity="3"/></joint></robot>
"""
model = mujoco.MjModel.from_xml_string(ARM)
data = mujoco.MjData(model)
data.qfrc_applied[0] = 20.0
for _ in range(1000):
    mujoco.mj_step(model, data)
print(f"limited {bool(model.jnt_limited[0])}, position after 2 s under 20 N·m {data.qpos[0]:.1f} rad")
sys.exit(0 if not model.jnt_limited[0] and data.qpos[0] > 100 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
