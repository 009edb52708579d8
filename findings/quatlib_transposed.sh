#!/usr/bin/env bash
# TITLE: quatlib returns the transpose of a rotation matrix that goes through its quaternion
# GUESS: quatern2rotMat(rotMat2quatern(R)) is R
# SEEN: the transpose of R, the opposite turn: `rotMat2quatern` gives SciPy's quaternion, and `quatern2rotMat` and `quatern2euler` read that of the inverse
# VERSIONS: quatlib==0.1.0 numpy==2.4.6 scipy==1.17.1
# MATTERS: orientations that are stored as quaternions come back turned the other way
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check quatlib==0.1.0 numpy==2.4.6 scipy==1.17.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import quatlib
from scipy.spatial.transform import Rotation

print("quatlib", version("quatlib"))
turn = Rotation.from_rotvec([0.0, 0.0, 0.5])
quaternion = quatlib.rotMat2quatern(turn.as_matrix())
back = quatlib.quatern2rotMat(quaternion)
yaw = quatlib.quatern2euler(quaternion)[2]
print(f"quaternion of 0.5 rad about Z: {quaternion.round(4)}; SciPy, scalar first: {np.roll(turn.as_quat(), 1).round(4)}")
print(f"element 2, 1 of the matrix: {turn.as_matrix()[1, 0]:.4f}, and back {back[1, 0]:.4f}; angle about Z {yaw:.4f} rad")
is_quaternion = np.allclose(quaternion, np.roll(turn.as_quat(), 1))
sys.exit(0 if is_quaternion and np.allclose(back, turn.as_matrix().T) and abs(yaw + 0.5) < 1e-9 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
