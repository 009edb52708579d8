#!/usr/bin/env bash
# TITLE: DART drives the follower of a URDF's <mimic> by a motor, whose reaction the leader does not feel
# GUESS: one degree of freedom: 1 N·m accelerates the leader by 1/1.34 rad/s², with the follower's inertia times 4
# SEEN: 1/0.75: the follower is held at twice the leader's position by forces inside its effort limit, and the leader feels no gear
# VERSIONS: dartpy==6.20.0 numpy==2.4.6
# MATTERS: torques and accelerations of a coupled gripper or parallel arm are those of another mechanism; `setUseCouplerConstraint` is off by default
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check dartpy==6.20.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose
from pathlib import Path

import dartpy as dart
import numpy as np

print("dartpy", version("dartpy"))
ROD = """<inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial>"""
LIMIT = '<limit lower="-100" upper="100" effort="500" velocity="100"/>'
Path("arm.urdf").write_text(f"""<robot name="arm"><link name="world"/><link name="base"/>
  <link name="rod">{ROD}</link><link name="tip">{ROD}</link>
  <joint name="weld" type="fixed"><parent link="world"/><child link="base"/></joint>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>{LIMIT}</joint>
  <joint name="second" type="revolute"><parent link="rod"/><child link="tip"/><origin xyz="0.4 0 0"/>
  <axis xyz="0 1 0"/><mimic joint="hinge" multiplier="2" offset="0"/>{LIMIT}</joint></robot>""")
skeleton = dart.utils.DartLoader().parseSkeleton(str(Path("arm.urdf").absolute()))
world = dart.simulation.World()
world.setGravity([0, 0, 0])
world.addSkeleton(skeleton)
ratio, M = np.array([1.0, 2.0]), skeleton.getMassMatrix()
for _ in range(100):
    skeleton.setForces([1.0, 0.0])
    world.step()
q, v = skeleton.getPositions(), skeleton.getVelocities()
felt, ideal, one_way = 0.1 / v[0], ratio @ M @ ratio, M[0] @ ratio
print(f"after 0.1 s at 1 N·m: positions {q.round(5)} rad, ratio {q[1] / q[0]:.2f}")
print(f"inertia felt by the leader {felt:.3f} kg·m²; with an ideal gear {ideal:.3f}, with a motor {one_way:.3f}")
sys.exit(0 if isclose(felt, one_way, rel_tol=0.03) and isclose(ideal, 1.34) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
