#!/usr/bin/env bash
# TITLE: roboticstoolbox gives the torque of a joint with a negative axis the wrong sign
# GUESS: rne returns +1.962 N·m for the axis 0 -1 0, the reverse of that for 0 1 0
# SEEN: -1.962 N·m for both axes, while the poses are right
# VERSIONS: roboticstoolbox-python==1.5.0 numpy==2.4.6
# MATTERS: torques of every URDF with axes along -X, -Y or -Z are wrong, and so are those of the joints below; the KUKA KR 210 has three
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

import numpy as np
import roboticstoolbox

for package in ("roboticstoolbox-python",):
    print(package, version(package))

warnings.simplefilter("ignore")
ARM = """
<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>
"""


def torque(axis):
    Path("arm.urdf").write_text(ARM.replace("0 1 0", axis))
    robot = roboticstoolbox.Robot.URDF(str(Path("arm.urdf").resolve()))
    zero = np.zeros(1)
    return float(np.ravel(robot.rne(zero, zero, zero))[0])


forward, back = torque("0 1 0"), torque("0 -1 0")
print(f"torque at rest: {forward:.4f} N·m about Y, {back:.4f} N·m about -Y")
sys.exit(0 if abs(forward + 1.962) < 1e-9 and forward == back else 1)
PYTHON
"$folder/venv/bin/python" seen.py
