#!/usr/bin/env bash
# TITLE: Pinocchio ignores the axis of a planar joint of a URDF
# GUESS: the plane is normal to the axis 0 1 0, so that 9.81 N hold the weight of 1 kg in it
# SEEN: the plane is always that of X and Y: no force holds the weight, without a message
# VERSIONS: pin==4.1.0 numpy==2.4.6
# MATTERS: torques and positions of a robot with an upright plane are those of another robot; MuJoCo, Drake and PyBullet obey the axis
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

for package in ("pin",):
    print(package, version(package))

ARM = """
<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="planar"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  </joint></robot>
"""
model = pinocchio.buildModelFromXML(ARM)
zero = np.zeros(model.nv)
force = pinocchio.rnea(model, model.createData(), pinocchio.neutral(model), zero, zero)
print(f"{model.nv} degrees of freedom; forces that hold 1 kg at rest: {force}")
sys.exit(0 if model.nv == 3 and not force.any() else 1)
PYTHON
"$folder/venv/bin/python" seen.py
