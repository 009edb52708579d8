#!/usr/bin/env bash
# TITLE: iDynTree orders the joints of two legs neither as the file does nor leg by leg
# GUESS: the order of the file: left_hip, left_knee, right_hip, right_knee
# SEEN: right_hip, left_hip, left_knee, right_knee: the hips in reverse, then the knees in the order of the file
# VERSIONS: idyntree==15.1.0 numpy==2.4.6
# MATTERS: a vector of positions or torques in the order of the file, or leg by leg, reaches other joints, without a message
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check idyntree==15.1.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import idyntree.swig as idyntree

print("idyntree", version("idyntree"))
LINK = """<link name="{name}"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint>"""
TREE = {"left_hip": ("base", "left_thigh"), "left_knee": ("left_thigh", "left_shank"),
        "right_hip": ("base", "right_thigh"), "right_knee": ("right_thigh", "right_shank")}
parts = [LINK.format(name="base")]
for name, (parent, child) in TREE.items():
    parts += [LINK.format(name=child), JOINT.format(name=name, parent=parent, child=child)]
Path("legs.urdf").write_text(f'<robot name="legs">{"".join(parts)}</robot>')
loader = idyntree.ModelLoader()
loader.loadModelFromFile("legs.urdf")
model = loader.model()
order = sorted(range(model.getNrOfJoints()), key=lambda k: model.getJoint(k).getDOFsOffset())
names = [model.getJointName(k) for k in order]
print(f"file     {list(TREE)}\niDynTree {names}")
sys.exit(0 if names == ["right_hip", "left_hip", "left_knee", "right_knee"] else 1)
PYTHON
"$folder/venv/bin/python" seen.py
