#!/usr/bin/env bash
# TITLE: Newton drops a second root link of a URDF with its mass
# GUESS: an error, as the tree has two roots, or a body of its own
# SEEN: the link is missing among the bodies, without a message
# VERSIONS: newton==1.8.0 warp-lang==1.19.0 numpy==2.4.6
# MATTERS: a file with two trees loses one of them; a link whose joint was forgotten loses its mass
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
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>
"""
SECOND = ARM.replace("</robot>", '<link name="second"><inertial><mass value="5"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>')
Path("arm.urdf").write_text(SECOND)
builder = newton.ModelBuilder()
builder.add_urdf("arm.urdf")
print(f"bodies {builder.body_label}, masses {builder.body_mass}; the file has 1 kg and 5 kg")
sys.exit(0 if sum(builder.body_mass) == 1.0 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
