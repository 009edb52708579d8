#!/usr/bin/env bash
# TITLE: ahrs's logarithm of a rotation matrix is that of its inverse
# GUESS: the element (2, 3) of the logarithm of a turn by 0.3 rad about X is -0.3, since the exponential of the logarithm is the matrix
# SEEN: +0.3: the exponential gives the turn by -0.3 rad; its docstring calls it the inverse of the exponential, and states the formula with the transpose
# VERSIONS: ahrs==0.4.0 numpy==1.26.4 scipy==1.14.1
# MATTERS: errors of orientation and angular velocities taken from it have the wrong sign, and a controller runs away
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check ahrs==0.4.0 numpy==1.26.4 scipy==1.14.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from ahrs import DCM
from scipy.linalg import expm

print("ahrs", version("ahrs"))
ANGLE = 0.3  # [rad]
matrix = DCM(x=ANGLE)
logarithm = np.asarray(matrix.log)
print(f"DCM(x={ANGLE}).log at (2, 3) {logarithm[1, 2]:+.4f}; of [ω]× of the turn {-ANGLE:+.4f}")
print(f"exp(log) off the matrix by {abs(expm(logarithm) - matrix).max():.4f}, off its inverse by "
      f"{abs(expm(logarithm) - np.asarray(matrix).T).max():.1e}")
right = np.allclose(matrix, expm([[0, 0, 0], [0, 0, -ANGLE], [0, ANGLE, 0]]), rtol=0, atol=1e-12)
is_inverse = np.allclose(expm(logarithm), np.asarray(matrix).T, rtol=0, atol=1e-12)
sys.exit(0 if right and is_inverse and abs(logarithm[1, 2] - ANGLE) < 1e-12 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
