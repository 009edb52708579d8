#!/usr/bin/env bash
# TITLE: SAPIEN takes 18 % of a motor's torque by a joint friction that no URDF states
# GUESS: without <dynamics> the joint has no friction; with friction="0.25" it brakes by 0.25 N·m
# SEEN: every joint has PhysX's friction coefficient 0.05, which takes 18 % of any torque here; the file's friction is left aside
# VERSIONS: sapien==3.0.3 numpy==2.4.6 setuptools==65.5.0
# MATTERS: accelerations are too small by a share that depends on the load; set_friction(0) gives 5/0.07 rad/s²
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

import sapien

print("sapien", version("sapien"))
ARM = """<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>{inside}
  <limit lower="-100" upper="100" effort="500" velocity="300"/></joint></robot>"""


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


def step(inside: str, torque: float, friction: float | None = None) -> tuple[float, float]:
    """Friction of the joint, and its acceleration in one step from rest [rad/s²]."""
    Path("arm.urdf").write_text(ARM.format(inside=inside))
    scene, robot = load("arm.urdf")
    joint = robot.get_active_joints()[0]
    if friction is not None:
        joint.set_friction(friction)
    robot.set_qf([torque])
    scene.step()
    return joint.friction, float(robot.get_qvel()[0]) / 0.001


rows = {
    "no <dynamics>, 5 N·m": step("", 5.0),
    "no <dynamics>, 0.5 N·m": step("", 0.5),
    'friction="0.25", 5 N·m': step('<dynamics damping="0" friction="0.25"/>', 5.0),
    "set_friction(0), 5 N·m": step("", 5.0, 0.0),
}
for text, (friction, a) in rows.items():
    print(f"{text}: friction {friction:g}, acceleration {a:.3f} rad/s²; 5 N·m without friction {5 / 0.07:.3f}")
(f, a), (_, tenth), (same_f, same), (_, free) = rows.values()
is_default = isclose(f, 0.05, rel_tol=1e-6) and f == same_f and a == same and isclose(10 * tenth, a, rel_tol=1e-4)
sys.exit(0 if is_default and isclose(free, 5 / 0.07, rel_tol=1e-4) and 0.8 < a * 0.07 / 5 < 0.84 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
