#!/usr/bin/env bash
# TITLE: kinpy turns a URDF joint without an <axis> about Z
# GUESS: about X: the format's default axis is 1 0 0, which yourdfpy, urchin, Pinocchio and others take
# SEEN: about Z, without a message
# VERSIONS: kinpy==0.6.1 numpy==2.4.6
# MATTERS: poses of a file that relies on the default axis are those of another robot
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check kinpy==0.6.1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import kinpy
import numpy as np

print("kinpy", version("kinpy"))
ARM = """<robot name="arm"><link name="base"/><link name="rod"/>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>"""
pose = kinpy.build_chain_from_urdf(ARM).forward_kinematics({"hinge": 0.5})["rod"].matrix()
direction = pose[:3, :3] @ np.array([0.0, 1.0, 0.0])
c, s = np.cos(0.5), np.sin(0.5)
print(f"y axis of the link at 0.5 rad: {direction.round(4)}; turned about X it is {[0, round(c, 4), round(s, 4)]}")
sys.exit(0 if np.allclose(direction, [-s, c, 0.0]) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
