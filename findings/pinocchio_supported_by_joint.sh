#!/usr/bin/env bash
# TITLE: Pinocchio leaves a link's own mass out of what the frame of its joint supports
# GUESS: 5 kg and 49.05 N at rest, as `data.Ycrb` and `data.f` of the joint: the manual calls them the equivalents
# SEEN: 4 kg and 39.24 N by computeSupportedInertiaByFrame and computeSupportedForceByFrame, at the joint's frame and at the link's
# VERSIONS: pin==4.1.0 numpy==2.4.6
# MATTERS: a force-torque sensor simulated at a joint or a link's frame reads too little by the weight of that link, without a message
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pin==4.1.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import pinocchio

print("pin", version("pin"))
LINK = """<link name="{name}"><inertial><origin xyz="0.2 0 0"/><mass value="{mass}"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint>"""
parts = [LINK.format(name="rod", mass=1), LINK.format(name="tip", mass=4)]
parts += [JOINT.format(name="hinge", parent="base", child="rod"), JOINT.format(name="second", parent="rod", child="tip")]
model = pinocchio.buildModelFromXML(f'<robot name="arm"><link name="base"/>{"".join(parts)}</robot>')
data, q, none = model.createData(), np.array([0.3, 0.4]), np.zeros(2)
pinocchio.crba(model, data, q)
joint = model.getJointId("hinge")
mass = data.Ycrb[joint].mass
pinocchio.forwardKinematics(model, data, q)
pinocchio.rnea(model, data, q, none, none)
weight = np.linalg.norm(data.f[joint].linear)
print(f"joint: {mass:g} kg, {weight:.2f} N")
seen = {}
for name in ("hinge", "rod"):
    frame = model.getFrameId(name)
    inertia = pinocchio.computeSupportedInertiaByFrame(model, data, frame, True)
    force = pinocchio.computeSupportedForceByFrame(model, data, frame)
    seen[name] = inertia.mass, float(np.linalg.norm(force.linear))
    print(f"frame {name}: {seen[name][0]:g} kg, {seen[name][1]:.2f} N")
is_whole = np.isclose(mass, 5) and np.isclose(weight, 5 * 9.81)
sys.exit(0 if is_whole and all(np.allclose(each, (4, 4 * 9.81)) for each in seen.values()) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
