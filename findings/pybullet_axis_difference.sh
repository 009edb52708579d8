#!/usr/bin/env bash
# TITLE: PyBullet's `getAxisDifferenceQuaternion` gives Euler angles of the turn back from end to start
# GUESS: the rotation vector from quaternionStart to quaternionEnd: 0, 0, 0.5 for a turn of 0.5 rad about Z, as by getDifferenceQuaternion
# SEEN: 0, 0, -0.5; for 0.6, -0.4, 0.8 it gives -0.425, 0.576, -0.708, the intrinsic XYZ angles of the inverse turn
# VERSIONS: pybullet==3.2.7 numpy==2.4.6
# MATTERS: a controller that feeds it back as the error from start to end drives away from the goal, and turns about another axis
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pybullet==3.2.7 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import asin, atan2, cos, sin

import numpy as np
import pybullet

print("pybullet", version("pybullet"))


def euler_xyz(matrix: np.ndarray) -> np.ndarray:
    """Angles of intrinsic turns about X, Y and Z [rad]."""
    return np.array([atan2(-matrix[1, 2], matrix[2, 2]), asin(matrix[0, 2]), atan2(-matrix[0, 1], matrix[0, 0])])


is_as_seen = True
for vector in ([0.0, 0.0, 0.5], [0.6, -0.4, 0.8]):
    angle = float(np.linalg.norm(vector))
    x, y, z = axis = np.array(vector) / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    matrix = np.eye(3) + sin(angle) * cross + (1 - cos(angle)) * cross @ cross  # Rodrigues' formula
    start, end = [0.0, 0.0, 0.0, 1.0], [*(sin(angle / 2) * axis), cos(angle / 2)]
    seen = np.array(pybullet.getAxisDifferenceQuaternion(quaternionStart=start, quaternionEnd=end))
    turn = pybullet.getAxisAngleFromQuaternion(pybullet.getDifferenceQuaternion(quaternionStart=start, quaternionEnd=end))
    back = euler_xyz(matrix.T)
    print(f"turn {vector}: {seen.round(4)}; by getDifferenceQuaternion {(turn[1] * np.array(turn[0])).round(4)}; "
          f"XYZ angles of the inverse {back.round(4)}")
    is_as_seen = is_as_seen and np.allclose(seen, back, atol=1e-6) and np.allclose(turn[1] * np.array(turn[0]), vector, atol=1e-6)
sys.exit(0 if is_as_seen and abs(seen + vector).max() > 0.09 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
