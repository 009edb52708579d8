#!/usr/bin/env bash
# TITLE: dual_quaternions' logarithm of a translation is zero, and that of a turn with a translation is wrong
# GUESS: the exponential of the logarithm is the transform: a translation of (1, 2, 3), and one of (1, 0, 0) with 1 rad about Z
# SEEN: (0, 0, 0), and (0.2298, 0.4207, 0); its `pow` and `sclerp` are right
# VERSIONS: dual-quaternions==0.4.0 numpy==2.4.6
# MATTERS: a pose error for a controller or an average of poses has no translation, or a wrong one
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check dual-quaternions==0.4.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from dual_quaternions import DualQuaternion

print("dual-quaternions", version("dual-quaternions"))
moved = DualQuaternion.from_translation_vector([1, 2, 3])
turned = np.array([[np.cos(1), -np.sin(1), 0, 1], [np.sin(1), np.cos(1), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
pose = DualQuaternion.from_homogeneous_matrix(turned)
back, back_turned = moved.log().exp().translation(), pose.log().exp().translation()
print(f"exp(log) of the translation (1, 2, 3): {np.round(back, 4)}")
print(f"exp(log) of (1, 0, 0) with 1 rad about Z: {np.round(back_turned, 4)}; pow(1) of it {np.round(pose.pow(1).translation(), 4)}")
sys.exit(0 if np.allclose(back, 0) and np.allclose(back_turned, [0.229849, 0.420735, 0], atol=1e-5)
         and np.allclose(pose.pow(1).translation(), [1, 0, 0]) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
