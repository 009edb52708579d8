#!/usr/bin/env bash
# TITLE: ahrs takes the first of rpy as a turn about Z for a matrix, and as a turn about X for a quaternion
# GUESS: DCM(rpy=[0.1, 0, 0]) and Quaternion(rpy=[0.1, 0, 0]) are the same rotation, by 0.1 rad about X
# SEEN: the matrix turns about Z, the quaternion about X; DCM takes yaw, pitch and roll, which its docstring lists as roll->pitch->yaw and shows in an example in reverse
# VERSIONS: ahrs==0.4.0 numpy==1.26.4
# MATTERS: the rpy of a URDF or of a robot's pose becomes another orientation with one of the two classes
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check ahrs==0.4.0 numpy==1.26.4
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from ahrs import DCM, Quaternion

print("ahrs", version("ahrs"))
RPY = (0.1, 0.2, 0.3)  # [rad]


def turn(axis: int, angle: float) -> np.ndarray:
    """Rotation about one axis of a fixed frame."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = np.cos(angle)
    matrix[j, i], matrix[i, j] = np.sin(angle), -np.sin(angle)
    return matrix


roll, pitch, yaw = RPY
fixed_axes = turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)
reverse = turn(2, roll) @ turn(1, pitch) @ turn(0, yaw)
matrix = np.asarray(DCM(rpy=list(RPY)))
quaternion = np.asarray(Quaternion(rpy=list(RPY)).to_DCM())
for name, seen in (("DCM(rpy)", matrix), ("Quaternion(rpy)", quaternion)):
    print(f"{name}: off Rz(0.3)·Ry(0.2)·Rx(0.1) by {abs(seen - fixed_axes).max():.4f}, "
          f"off Rz(0.1)·Ry(0.2)·Rx(0.3) by {abs(seen - reverse).max():.4f}")
first = np.asarray(DCM(rpy=[0.1, 0, 0]))
print("DCM(rpy=[0.1, 0, 0]) leaves in place:", "Z" if first[2, 2] == 1 else "X")
as_seen = np.allclose(matrix, reverse, rtol=0, atol=1e-12) and np.allclose(quaternion, fixed_axes, rtol=0, atol=1e-12)
sys.exit(0 if as_seen and np.allclose(first, turn(2, 0.1), rtol=0, atol=1e-12) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
