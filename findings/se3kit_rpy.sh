#!/usr/bin/env bash
# TITLE: se3kit reads the roll of intrinsic angles back with the opposite sign
# GUESS: from_rpy followed by as_rpy, both with extrinsic=False, returns 0.1, 0.2, 0.3
# SEEN: -0.1, 0.2, 0.3; the matrix is right, and extrinsic angles return as they were
# VERSIONS: se3kit==1.0.6 numpy==1.26.4 numpy-quaternion==2023.0.4 scipy==1.17.1
# MATTERS: a wrist is rolled the wrong way by a pose that was stored as angles
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check se3kit==1.0.6 numpy==1.26.4 numpy-quaternion==2023.0.4 scipy==1.17.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from scipy.spatial.transform import Rotation as Reference
from se3kit.rotation import Rotation

print("se3kit", version("se3kit"))
ANGLES = [0.1, 0.2, 0.3]
turn = Rotation.from_rpy(ANGLES, extrinsic=False)
back, extrinsic = turn.as_rpy(extrinsic=False), Rotation.from_rpy(ANGLES).as_rpy()
print(f"intrinsic {ANGLES} come back as {back.round(6)}; SciPy reads {Reference.from_matrix(turn.m).as_euler('XYZ').round(6)}")
print(f"extrinsic {ANGLES} come back as {extrinsic.round(6)}")
is_right = np.allclose(turn.m, Reference.from_euler("XYZ", ANGLES).as_matrix()) and np.allclose(extrinsic, ANGLES)
sys.exit(0 if is_right and np.allclose(back, [-0.1, 0.2, 0.3]) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
