#!/usr/bin/env bash
# TITLE: mjcf-urdf-simple-converter locks a hinge without a range
# GUESS: a continuous joint, or a revolute one without lower and upper
# SEEN: a revolute joint with lower="0.0" upper="0.0", without a message
# VERSIONS: mjcf-urdf-simple-converter==0.7.3 mujoco==3.3.7 numpy==1.26.4 scipy==1.17.1
# MATTERS: readers that hold limits, and inverse kinematics, keep the joint at 0; a wheel or a wrist that turns endlessly is welded
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mjcf-urdf-simple-converter==0.7.3 mujoco==3.3.7 numpy==1.26.4 scipy==1.17.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

from mjcf_urdf_simple_converter import convert

print("mjcf-urdf-simple-converter", version("mjcf-urdf-simple-converter"))
Path("arm.xml").write_text("""<mujoco model="arm"><compiler angle="radian"/><worldbody><body name="rod">
  <joint name="free" type="hinge" axis="0 1 0"/><inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/>
  <body name="tip" pos="0.4 0 0"><joint name="bounded" type="hinge" axis="0 1 0" limited="true" range="-1 2"/>
  <inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body></body></worldbody></mujoco>""")
convert("arm.xml", "arm.urdf")
joints = {j.get("name"): j for j in ElementTree.parse("arm.urdf").iter("joint")}
for name in ("free", "bounded"):
    print(name, joints[name].get("type"), joints[name].find("limit").attrib)
free, bounded = (joints[name].find("limit") for name in ("free", "bounded"))
is_read = float(bounded.get("lower")) == -1.0 and float(bounded.get("upper")) == 2.0
sys.exit(0 if is_read and float(free.get("lower")) == float(free.get("upper")) == 0.0 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
