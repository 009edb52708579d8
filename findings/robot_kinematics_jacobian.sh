#!/usr/bin/env bash
# TITLE: robot-kinematics gives each joint the column of the next one in the Jacobian
# GUESS: 0.7 and 0.3 m along Y for a planar arm of 0.4 and 0.3 m stretched along X, which its forward kinematics gives by differences
# SEEN: 0.3 and 0 m: the columns are taken about the frames at the far ends of the links
# VERSIONS: robot-kinematics==1.1.0 numpy==1.26.4 scipy==1.14.1 matplotlib==3.9.2
# MATTERS: speeds, manipulability and numerical inverse kinematics of every DH arm go wrong; a joint before the tool seems without effect
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check numpy==1.26.4 scipy==1.14.1 matplotlib==3.9.2
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps robot-kinematics==1.1.0
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from robot_kinematics.core.jacobian import Jacobian
from robot_kinematics.robots.serial import SerialManipulator

print("robot-kinematics", version("robot-kinematics"))


def arm(lengths: list[float]) -> SerialManipulator:
    """Planar arm of hinges about Z, by the standard DH parameters."""
    return SerialManipulator({
        "n_joints": len(lengths),
        "joint_types": ["revolute"] * len(lengths),
        "joint_limits": [(-3.0, 3.0)] * len(lengths),
        "dh_parameters": [{"a": a, "alpha": 0.0, "d": 0.0, "theta": 0.0} for a in lengths],
    })


robot = arm([0.4, 0.3])
stretched, step = np.zeros(2), 1e-6
seen = Jacobian(robot, stretched).compute()[1]
differences = np.array([
    (robot.forward_kinematics(stretched + d).position - robot.forward_kinematics(stretched - d).position)[1] / (2 * step)
    for d in step * np.eye(2)
])
print("tool at", robot.forward_kinematics(stretched).position)
print("Jacobian along Y", seen, "by differences", differences.round(6), "m; closed form 0.7, 0.3")
is_right_forward = np.allclose(differences, [0.7, 0.3], rtol=0, atol=1e-8)
sys.exit(0 if np.allclose(seen, [0.3, 0.0], rtol=0, atol=1e-12) and is_right_forward else 1)
PYTHON
"$folder/venv/bin/python" seen.py
