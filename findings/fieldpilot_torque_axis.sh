#!/usr/bin/env bash
# TITLE: fieldpilot-urdf's forward dynamics turns the torque of a joint with an rpy away from its axis
# GUESS: 12.5 rad/s²: 1 N·m on 0.08 kg·m² about the axis, whatever the rpy of the joint's origin
# SEEN: 6.754 rad/s² for a roll of 1 rad: the axis is taken in the frame of the parent, so cos(1) of the torque acts; its inverse dynamics gives 1 N·m for 12.5 rad/s²
# VERSIONS: fieldpilot-urdf[dynamics]==1.31.0 numpy==2.4.6 sympy==1.14.0
# MATTERS: motors of joints with an rpy are weaker, and one at 90 degrees does nothing
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check fieldpilot-urdf[dynamics]==1.31.0 numpy==2.4.6 sympy==1.14.0
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import cos, pi

from fieldpilot_urdf.dynamics import SymbolicDynamics
from fieldpilot_urdf.loader import from_xml
from fieldpilot_urdf.simulate import inverse_dynamics

print("fieldpilot-urdf", version("fieldpilot-urdf"))
URDF = """<robot name="arm"><link name="base"/>
<link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><origin xyz="0 0 0" rpy="{} 0 0"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="3"/></joint></robot>"""
expected = 1 / (0.04 + 1 * 0.2**2)  # rad/s²
seen = {}
for roll in (0.0, 1.0, pi / 2):
    model = SymbolicDynamics(from_xml(URDF.format(roll)), gravity=(0, 0, 0))
    seen[roll] = float(model.lambdify_forward_dynamics()([0.0], [0.0], [1.0])[0])
    torque = float(inverse_dynamics(model)([0.0], [0.0], [expected])[0])
    print(f"roll {roll:.4f} rad: 1 N·m gives {seen[roll]:.4f} rad/s², closed form {expected:.4f}; "
          f"inverse dynamics of {expected:.4f} rad/s² gives {torque:.4f} N·m")
sys.exit(0 if all(abs(rate - expected * cos(roll)) < 1e-9 for roll, rate in seen.items()) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
