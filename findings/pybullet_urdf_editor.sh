#!/usr/bin/env bash
# TITLE: PyBullet's URDF editor writes joint axes along the inertial frame, damping 1 for every joint and tensors to five decimals
# GUESS: a URDF that is loaded, and saved by pybullet_utils.urdfEditor, is the same robot
# SEEN: a hinge about Y turns about another axis as soon as the inertial has an rpy, brakes by 1 N·m·s/rad, and 4e-6 kg·m² becomes 0
# VERSIONS: pybullet==3.2.7 numpy==2.4.6
# MATTERS: robots joined or converted with it, as mjcf2urdf does, move in other directions and against a brake that no file states
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pybullet==3.2.7 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import cos, isclose, sin
from pathlib import Path
from xml.etree import ElementTree

import pybullet
from pybullet_utils.urdfEditor import UrdfEditor

print("pybullet", version("pybullet"))
Path("arm.urdf").write_text("""<robot name="arm"><link name="base"/><link name="rod"><inertial>
  <origin xyz="0.2 0 0" rpy="0 0 0.5"/><mass value="1"/>
  <inertia ixx="0.000004" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <dynamics damping="0.02"/><limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>""")
client = pybullet.connect(pybullet.DIRECT)
arm = pybullet.loadURDF("arm.urdf", useFixedBase=True, flags=pybullet.URDF_USE_INERTIA_FROM_FILE)
editor = UrdfEditor()
editor.initializeFromBulletBody(arm, client)
editor.saveUrdf("saved.urdf")
text = Path("saved.urdf").read_text().replace('version="0.0"', 'version="1.0"')
saved = ElementTree.fromstring(text)
joint = saved.find("joint")
axis = [float(x) for x in joint.find("axis").get("xyz").split()]
damping = float(joint.find("dynamics").get("damping"))
along = float(saved.findall("link")[1].find("inertial/inertia").get("ixx"))
print(f"axis {axis}, damping {damping} N·m·s/rad, ixx {along} kg·m²; the file: 0 1 0, 0.02, 4e-06")
is_turned = isclose(axis[0], sin(0.5), abs_tol=1e-4) and isclose(axis[1], cos(0.5), abs_tol=1e-4)
sys.exit(0 if is_turned and damping == 1.0 and along == 0.0 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
