#!/usr/bin/env bash
# TITLE: liecasadi reads the matrix of an exact half turn as no turn
# GUESS: SO3.from_matrix followed by as_matrix returns the matrix
# SEEN: the quaternion is 0, 0, 0, 0, and its matrix the identity, without a message; half a turn less 0.01 rad returns as it was
# VERSIONS: liecasadi==0.0.7 casadi==3.8.2 numpy==2.4.6
# MATTERS: a gripper that points straight down points up in an optimisation
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check liecasadi==0.0.7 casadi==3.8.2 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import cos, pi, sin

import casadi
import numpy as np
from liecasadi import SO3

print("liecasadi", version("liecasadi"))
down = np.diag([1.0, -1.0, -1.0])  # half a turn about X
angle = pi - 0.01
close = np.array([[1, 0, 0], [0, cos(angle), -sin(angle)], [0, sin(angle), cos(angle)]])
back = {}
for name, matrix in (("half a turn", down), ("0.01 rad less", close)):
    turn = SO3.from_matrix(casadi.DM(matrix))
    back[name] = np.array(casadi.DM(turn.as_matrix()))
    print(f"{name} about X: diagonal {np.diag(matrix).round(6)} comes back as {np.diag(back[name]).round(6)}; "
          f"quaternion {np.array(casadi.DM(turn.as_quat().coeffs())).ravel().round(6)}")
is_lost = np.array_equal(back["half a turn"], np.eye(3))
sys.exit(0 if is_lost and np.allclose(back["0.01 rad less"], close, atol=1e-9) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
