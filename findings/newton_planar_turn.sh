#!/usr/bin/env bash
# TITLE: Newton reads a planar joint of a URDF without its rotation
# GUESS: three degrees of freedom: two translations in the plane and the rotation about its normal
# SEEN: two degrees of freedom, the translations, without a message
# VERSIONS: newton==1.8.0 warp-lang==1.19.0 numpy==2.4.6
# MATTERS: a mobile base on a planar joint cannot turn in Newton
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check newton==1.8.0 warp-lang==1.19.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import newton

for package in ("newton", "warp-lang",):
    print(package, version(package))

ARM = """
<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="planar"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  </joint></robot>
"""
Path("arm.urdf").write_text(ARM)
builder = newton.ModelBuilder()
builder.add_urdf("arm.urdf")
print(f"{builder.joint_dof_count} degrees of freedom, along {[list(axis) for axis in builder.joint_axis]}")
sys.exit(0 if builder.joint_dof_count == 2 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
