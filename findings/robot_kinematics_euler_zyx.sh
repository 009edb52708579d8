#!/usr/bin/env bash
# TITLE: robot-kinematics turns backwards for Euler angles in the order zyx
# GUESS: [0, 0, 0.3] is a turn by 0.3 rad about Z in any order of axes: sin 0.3 at (2, 1), as with 'xyz'
# SEEN: -sin 0.3: the matrix is the transpose of that of 'xyz', and its own inverse gives [0, 0, -0.3] back
# VERSIONS: robot-kinematics==1.1.0 numpy==1.26.4 scipy==1.14.1 matplotlib==3.9.2
# MATTERS: poses given by Z, Y and X, as KUKA's A, B and C, are the inverse rotation of a mirrored order
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
from math import sin

import numpy as np
from robot_kinematics.core.transforms import euler_to_rotation_matrix, rotation_matrix_to_euler

print("robot-kinematics", version("robot-kinematics"))
ANGLES = np.array([0.1, 0.2, 0.3])  # about X, Y and Z [rad]
alone = {order: float(euler_to_rotation_matrix([0, 0, 0.3], order)[1, 0]) for order in ("xyz", "zyx")}
print(f"(2, 1) of a turn about Z alone: {alone}; sin 0.3 is {sin(0.3):.6f}")
forth = {order: euler_to_rotation_matrix(ANGLES, order) for order in ("xyz", "zyx")}
back = {order: rotation_matrix_to_euler(matrix, order) for order, matrix in forth.items()}
print("angles forth and back:", {order: angles.round(6).tolist() for order, angles in back.items()})
is_transpose = np.allclose(forth["zyx"], forth["xyz"].T, rtol=0, atol=1e-12)
is_mirrored = np.allclose(back["zyx"], -ANGLES, rtol=0, atol=1e-9) and np.allclose(back["xyz"], ANGLES, rtol=0, atol=1e-9)
sys.exit(0 if is_transpose and is_mirrored and abs(alone["zyx"] + sin(0.3)) < 1e-12 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
