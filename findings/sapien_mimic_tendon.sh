#!/usr/bin/env bash
# TITLE: SAPIEN couples a URDF's <mimic> so that the leader accelerates faster than without a follower to turn
# GUESS: a gear: 1 N·m accelerates the leader by 1/1.34 rad/s²
# SEEN: 1/0.62, less inertia than the 0.76 of a follower that is moved by somebody else; positions keep the ratio 2
# VERSIONS: sapien==3.0.3 numpy==2.4.6 setuptools==65.5.0
# MATTERS: the ratio looks right in every picture, and torques and accelerations of a coupled gripper are off by a factor of 2
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check sapien==3.0.3 numpy==2.4.6 setuptools==65.5.0
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose
from pathlib import Path

import numpy as np
import sapien

print("sapien", version("sapien"))
ROD = """<inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial>"""
LIMIT = '<limit lower="-100" upper="100" effort="500" velocity="300"/>'
Path("arm.urdf").write_text(f"""<robot name="arm"><link name="base"/>
  <link name="rod">{ROD}</link><link name="tip">{ROD}</link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>{LIMIT}</joint>
  <joint name="second" type="revolute"><parent link="rod"/><child link="tip"/><origin xyz="0.4 0 0"/>
  <axis xyz="0 1 0"/><mimic joint="hinge" multiplier="2" offset="0"/>{LIMIT}</joint></robot>""")


def load(path: str) -> tuple[sapien.Scene, sapien.physx.PhysxArticulation]:
    scene = sapien.Scene([sapien.physx.PhysxCpuSystem()])
    scene.set_timestep(0.001)
    loader = scene.create_urdf_loader()
    loader.fix_root_link = True
    robot = loader.load(path)
    for link in robot.get_links():
        link.disable_gravity = True
        link.linear_damping = link.angular_damping = 0.0
    return scene, robot


scene, robot = load("arm.urdf")
for joint in robot.get_active_joints():
    joint.set_friction(0.0)
for _ in range(100):
    robot.set_qf([1.0, 0.0])
    scene.step()
q, v = robot.get_qpos(), robot.get_qvel()
M, ratio = np.array([[0.46, 0.15], [0.15, 0.07]]), np.array([1.0, 2.0])  # at q = 0 [kg·m²]
felt, ideal, moved = 0.1 / v[0], ratio @ M @ ratio, M[0] @ ratio
print(f"after 0.1 s at 1 N·m: positions {q.round(5)} rad, ratio {q[1] / q[0]:.3f}")
print(f"inertia felt by the leader {felt:.3f} kg·m²; gear {ideal:.3f}, follower moved from outside {moved:.3f}")
sys.exit(0 if isclose(q[1] / q[0], 2.0, rel_tol=0.01) and isclose(felt, 0.62, rel_tol=0.03) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
