#!/usr/bin/env bash
# TITLE: roboticstoolbox welds a link on a floating joint of a URDF to its parent
# GUESS: six degrees of freedom, or an error that the type is not supported
# SEEN: the joint is fixed, without a message: no degree of freedom
# VERSIONS: roboticstoolbox-python==1.5.0 numpy==2.4.6
# MATTERS: a free body, or the base of a walking robot, weighs on the joints above it
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check roboticstoolbox-python==1.5.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import warnings

import roboticstoolbox

for package in ("roboticstoolbox-python",):
    print(package, version(package))

warnings.simplefilter("ignore")
ARM = """
<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="floating"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>
"""
Path("arm.urdf").write_text(ARM)
robot = roboticstoolbox.Robot.URDF(str(Path("arm.urdf").resolve()))
print(f"{robot.n} degrees of freedom in {[link.name for link in robot.links]}")
sys.exit(0 if robot.n == 0 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
