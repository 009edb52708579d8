#!/usr/bin/env bash
# TITLE: roboticstoolbox turns a link whose joint axis is oblique, also at position 0
# GUESS: a constant turn brings the axis to Z and back: at 0 the link is where the URDF puts it
# SEEN: at 0 the link is turned by 57 degrees, one radian; an axis along Y leaves it in place
# VERSIONS: roboticstoolbox-python==1.5.0 numpy==2.4.6
# MATTERS: poses and torques of any URDF with an axis that is not X, Y or Z are those of another robot, without a message
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check roboticstoolbox-python==1.5.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import acos, degrees
from pathlib import Path

import numpy as np
import roboticstoolbox

print("roboticstoolbox-python", version("roboticstoolbox-python"))
ARM = """<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="{axis}"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>"""


def turn(axis: str) -> float:
    path = Path("arm.urdf").absolute()
    path.write_text(ARM.format(axis=axis))
    pose = roboticstoolbox.Robot.URDF(str(path)).fkine([0.0], end="rod").A
    return degrees(acos(min(1.0, (np.trace(pose[:3, :3]) - 1) / 2)))


along, oblique = turn("0 1 0"), turn("0 0.6 0.8")
print(f"turn of the link at q = 0: axis Y {along:.2f} degrees, axis (0 0.6 0.8) {oblique:.2f} degrees")
sys.exit(0 if along < 1e-6 < 10 < oblique else 1)
PYTHON
"$folder/venv/bin/python" seen.py
