#!/usr/bin/env bash
# TITLE: Klamp't turns the inertia tensor of a URDF the wrong way round by the rpy of its inertial
# GUESS: the tensor of the link frame is R·I·Rᵀ, as Pinocchio, MuJoCo and Drake read it
# SEEN: Rᵀ·I·R, without a message
# VERSIONS: klampt==0.10.1.post1 numpy==2.4.6
# MATTERS: mass matrix and torques are wrong for links whose inertial frame is turned about more than one axis, or by less than a right angle
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check klampt==0.10.1.post1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import cos, sin
from pathlib import Path

import numpy as np
from klampt import WorldModel

print("klampt", version("klampt"))
RPY = 0.3, 0.4, 0.5
Path("arm.urdf").write_text(f"""<robot name="arm"><link name="base"/><link name="rod"><inertial>
  <origin xyz="0.2 0 0" rpy="{RPY[0]} {RPY[1]} {RPY[2]}"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>""")
world = WorldModel()
world.loadElement(str(Path("arm.urdf").absolute()))
robot = world.robot(0)
seen = np.array(robot.link("rod").getMass().inertia).reshape(3, 3)
(a, b, c), I = RPY, np.diag([0.02, 0.03, 0.04])
X = np.array([[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]])
Y = np.array([[cos(b), 0, sin(b)], [0, 1, 0], [-sin(b), 0, cos(b)]])
Z = np.array([[cos(c), -sin(c), 0], [sin(c), cos(c), 0], [0, 0, 1]])
R = Z @ Y @ X
print(f"Klamp't\n{seen.round(6)}\nR·I·Rᵀ\n{(R @ I @ R.T).round(6)}\nRᵀ·I·R\n{(R.T @ I @ R).round(6)}")
print(f"mass matrix {robot.getMassMatrix()[-1][-1]:.6f}, by R·I·Rᵀ {(R @ I @ R.T)[1, 1] + 0.04:.6f} kg·m²")
sys.exit(0 if np.allclose(seen, R.T @ I @ R, atol=1e-9) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
