#!/usr/bin/env bash
# TITLE: roboticstoolbox takes the Coulomb friction of a URDF as viscous damping
# GUESS: friction is stored as Coulomb friction, or ignored: the torque of rne is that without it
# SEEN: friction of 0.25 N·m becomes a coefficient of 0.25 N·m·s/rad, and adds 0.175 N·m at 0.7 rad/s
# VERSIONS: roboticstoolbox-python==1.5.0 numpy==2.4.6
# MATTERS: inverse dynamics of such a file carry friction of the wrong law and unit
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check roboticstoolbox-python==1.5.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose
from pathlib import Path

import roboticstoolbox

print("roboticstoolbox-python", version("roboticstoolbox-python"))
ARM = """<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>{inside}
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>"""


def torque(inside: str) -> float:
    path = Path("arm.urdf").absolute()
    path.write_text(ARM.format(inside=inside))
    robot = roboticstoolbox.Robot.URDF(str(path))
    return float(robot.rne([0.3], [0.7], [0.9])[0])


added = torque('<dynamics damping="0" friction="0.25"/>') - torque('<dynamics damping="0" friction="0"/>')
print(f"friction 0.25 N·m adds {added:.4f} N·m at 0.7 rad/s")
sys.exit(0 if isclose(added, 0.25 * 0.7, rel_tol=1e-9) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
