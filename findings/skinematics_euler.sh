#!/usr/bin/env bash
# TITLE: scikit-kinematics' `quat2seq` gives Euler angles of another orientation than `seq2quat` took
# GUESS: 10, 20, 30 degrees come back in the order Rz·Rx·Rz that its docs state for both, as with SciPy
# SEEN: 170, 20, 30 degrees, an orientation 160 degrees away; angles of 90 degrees, as in the example of its docs, come back
# VERSIONS: scikit-kinematics==0.10.4 numpy==2.4.6 scipy==1.17.1
# MATTERS: Euler angles of a joint that are read from a quaternion are wrong
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check scikit-kinematics==0.10.4 numpy==2.4.6 scipy==1.17.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from scipy.spatial.transform import Rotation
from skinematics import quat, rotmat

print("scikit-kinematics", version("scikit-kinematics"))
ANGLES = np.array([10.0, 20.0, 30.0])
expected = Rotation.from_euler("ZXZ", ANGLES, degrees=True)
quaternion = rotmat.seq2quat(ANGLES, seq="Euler").ravel()
back = quat.quat2seq(quaternion, seq="Euler").ravel()
example = quat.quat2seq(rotmat.seq2quat([90.0, 23.0, -90.0], seq="Euler"), seq="Euler").ravel()
away = np.rad2deg((Rotation.from_euler("ZXZ", back, degrees=True) * expected.inv()).magnitude())
print(f"seq2quat {quaternion.round(4)}; SciPy, scalar first {np.roll(expected.as_quat(), 1).round(4)}")
print(f"quat2seq {back.round(4)} degrees; SciPy {expected.as_euler('ZXZ', degrees=True).round(4)}; {away:.1f} degrees apart")
print(f"90, 23, -90 degrees come back as {example.round(4)}")
is_quaternion = np.allclose(quaternion, np.roll(expected.as_quat(), 1)) and np.allclose(example, [90.0, 23.0, -90.0])
sys.exit(0 if is_quaternion and np.allclose(back, [170.0, 20.0, 30.0]) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
