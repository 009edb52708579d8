#!/usr/bin/env bash
# TITLE: DART reads the position limits of a URDF, and does not hold them unless told
# GUESS: the arm stops at 1 rad, its upper limit: DART has joint-limit constraints
# SEEN: a falling arm swings to 3.14 rad; `setLimitEnforcement(True)` of each joint stops it at 1 rad
# VERSIONS: dartpy==6.20.0 numpy==2.4.6
# MATTERS: a run that should end at a stop goes through it, although the model reports the limits
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check dartpy==6.20.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import dartpy as dart

print("dartpy", version("dartpy"))
Path("arm.urdf").write_text("""<robot name="arm"><link name="world"/><link name="base"/><link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="weld" type="fixed"><parent link="world"/><child link="base"/></joint>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="30"/></joint></robot>""")


def reach(*, enforced: bool) -> float:
    """Largest position of the hinge in 3 s of free fall from 0 [rad]."""
    skeleton = dart.utils.DartLoader().parseSkeleton(str(Path("arm.urdf").absolute()))
    if enforced:
        skeleton.getJoint("hinge").setLimitEnforcement(True)
    world = dart.simulation.World()
    world.addSkeleton(skeleton)
    hinge, largest = skeleton.getDof(0), 0.0
    print(f"limits {hinge.getPositionLowerLimit():g} to {hinge.getPositionUpperLimit():g} rad", end="; ")
    for _ in range(3000):
        world.step()
        largest = max(largest, hinge.getPosition())
    print(f"enforced={enforced}: reaches {largest:.3f} rad")
    return largest


default, told = reach(enforced=False), reach(enforced=True)
sys.exit(0 if default > 3.1 and told < 1.02 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
