#!/usr/bin/env bash
# TITLE: urdf2webots turns the inertia tensor the wrong way round by the rpy of its inertial
# GUESS: the inertiaMatrix of the Solid is R·I·Rᵀ, the tensor along the axes of the link
# SEEN: Rᵀ·I·R, without a message
# VERSIONS: urdf2webots==2025.0.0 numpy==2.4.6
# MATTERS: links of a robot converted for Webots have the moments and products of inertia of another body
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check urdf2webots==2025.0.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import re
import sys
from importlib.metadata import version
from math import cos, sin
from pathlib import Path

import numpy as np
from urdf2webots.importer import convertUrdfFile

print("urdf2webots", version("urdf2webots"))
RPY = 0.3, 0.4, 0.5
Path("arm.urdf").write_text(f"""<robot name="arm"><link name="base"/><link name="rod"><inertial>
  <origin xyz="0.2 0 0" rpy="{RPY[0]} {RPY[1]} {RPY[2]}"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>""")
convertUrdfFile(input="arm.urdf", output="Arm.proto")
numbers = re.search(r"inertiaMatrix \[([^]]*)\]", Path("Arm.proto").read_text()).group(1).split()
xx, yy, zz, xy, xz, yz = map(float, numbers)
seen = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
(a, b, c), I = RPY, np.diag([0.02, 0.03, 0.04])
X = np.array([[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]])
Y = np.array([[cos(b), 0, sin(b)], [0, 1, 0], [-sin(b), 0, cos(b)]])
Z = np.array([[cos(c), -sin(c), 0], [sin(c), cos(c), 0], [0, 0, 1]])
R = Z @ Y @ X
print(f"urdf2webots\n{seen}\nR·I·Rᵀ\n{(R @ I @ R.T).round(8)}\nRᵀ·I·R\n{(R.T @ I @ R).round(8)}")
sys.exit(0 if np.allclose(seen, R.T @ I @ R, atol=1e-7) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
