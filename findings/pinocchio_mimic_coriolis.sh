#!/usr/bin/env bash
# TITLE: Pinocchio's Coriolis matrix of a model with mimic joints misses part of the Coriolis torque
# GUESS: C(q, v) v is what `rnea` adds at speed v, or an error, as `aba` and `computeMinverse` raise for such a model
# SEEN: -0.126 N·m where `rnea` adds -0.379 N·m, without a message; crba and the gravity torque are right
# VERSIONS: pin==4.1.0 numpy==2.4.6
# MATTERS: a controller that cancels velocity terms by this matrix is wrong for grippers and coupled axes only
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pin==4.1.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose

import numpy as np
import pinocchio

for package in ("pin", "numpy"):
    print(package, version(package))
LINK = """<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{name}" type="revolute"><origin xyz="{x} 0 0"/><parent link="{parent}"/><child link="{child}"/>
  <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="9" velocity="9"/>{mimic}</joint>"""
ARM = f"""<robot name="arm"><link name="base"/>
{LINK.format(name="upper", com="0.2 0 0", mass=1)}{LINK.format(name="lower", com="0.2 0.1 0", mass=2)}
{JOINT.format(name="first", x=0, parent="base", child="upper", mimic="")}
{JOINT.format(name="second", x=0.5, parent="upper", child="lower",
              mimic='<mimic joint="first" multiplier="2" offset="0.1"/>')}</robot>"""
q, v, zero = np.array([0.3]), np.array([0.7]), np.zeros(1)

# The same arm with two free joints, q2 = 2 q1 + 0.1, is the reference.
free = pinocchio.buildModelFromXML(ARM)
both = np.array([1.0, 2.0])
q_free, v_free = both * q + [0.0, 0.1], both * v
free_data = free.createData()
at_speed = pinocchio.rnea(free, free_data, q_free, v_free, np.zeros(2)).copy()
reference = both @ (at_speed - pinocchio.rnea(free, free_data, q_free, np.zeros(2), np.zeros(2)))

model = pinocchio.buildModelFromXML(ARM, mimic=True)
data = model.createData()
by_rnea = (pinocchio.rnea(model, data, q, v, zero).copy() - pinocchio.rnea(model, data, q, zero, zero)).item()
by_matrix = (pinocchio.computeCoriolisMatrix(model, data, q, v) @ v).item()
print(f"degrees of freedom: {model.nv}; reference {reference:.6f} N·m")
print(f"rnea at v minus rnea at 0: {by_rnea:.6f} N·m; computeCoriolisMatrix times v: {by_matrix:.6f} N·m")
seen = isclose(by_rnea, reference, rel_tol=1e-9) and isclose(by_matrix, -0.126267, abs_tol=1e-6)
sys.exit(0 if seen else 1)
PYTHON
"$folder/venv/bin/python" seen.py
