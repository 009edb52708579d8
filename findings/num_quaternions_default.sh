#!/usr/bin/env bash
# TITLE: num-quaternions' default rotation maps each vector to zero
# GUESS: NumQuaternion() is no turn, and leaves 1, 2, 3 as it is; its `get_matrix` is indeed the identity
# SEEN: `rotate_vector` returns 0, 0, 0: the default is an angle of π about an axis of length 0, the quaternion 0
# VERSIONS: num-quaternions==0.1.4 numpy==2.4.6
# MATTERS: points of a body that keeps the default collapse to the origin, without a message
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check num-quaternions==0.1.4 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from num_quaternions import NumQuaternion

print("num-quaternions", version("num-quaternions"))
turn, point = NumQuaternion(), np.array([1.0, 2.0, 3.0])
rotated, by_matrix = turn.rotate_vector(point), turn.get_matrix() @ point
print(f"rotate_vector of 1, 2, 3: {rotated}; by get_matrix: {by_matrix.round(6)}; no turn: {point}")
sys.exit(0 if np.abs(rotated).max() < 1e-15 and np.allclose(by_matrix, point) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
