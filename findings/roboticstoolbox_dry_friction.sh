#!/usr/bin/env bash
# TITLE: roboticstoolbox takes the dry friction of a URDF for viscous friction, and drops its damping
# GUESS: damping 0.5 becomes B = 0.5 N·m·s/rad, friction 0.25 the Coulomb friction Tc
# SEEN: B = 0.25 and no Coulomb friction, without a message
# VERSIONS: roboticstoolbox-python==1.5.0 numpy==2.4.6
# MATTERS: inverse dynamics of a moving joint has another loss than the file states
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
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/><dynamics damping="0.5" friction="0.25"/></joint></robot>
"""
Path("arm.urdf").write_text(ARM)
robot = roboticstoolbox.Robot.URDF(str(Path("arm.urdf").resolve()))
hinge = next(link for link in robot.links if link.isjoint)
print(f"B {hinge.B}, Tc {list(hinge.Tc)}; the file has damping 0.5 and friction 0.25")
sys.exit(0 if float(hinge.B) == 0.25 and not any(hinge.Tc) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
