#!/usr/bin/env bash
# TITLE: acrobotics' `fk_rpy` gives a turn of 1.5 rad about Z as 0.784 rad
# GUESS: 1.5 rad, as SciPy and acrolib, the package's own library of geometry, read from the matrix of `fk`
# SEEN: 0.784 rad, and `jacobian_rpy` is 0.035 instead of 1: the third angle is taken from another element of the matrix
# VERSIONS: numpy==1.26.4 scipy==1.17.1 casadi==3.8.2 matplotlib==3.11.2 python-fcl==0.7.0.11 pyquaternion==0.9.9 tqdm==4.70.1 acrobotics==0.0.6 acrolib==0.0.7
# MATTERS: a path planned by these angles ends at another orientation; only turns close to 0 are right
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check numpy==1.26.4 scipy==1.17.1 casadi==3.8.2 matplotlib==3.11.2 python-fcl==0.7.0.11 pyquaternion==0.9.9 tqdm==4.70.1
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps acrobotics==0.0.6 acrolib==0.0.7
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

from acrobotics.link import DHLink, JointType, Link
from acrobotics.robot import Robot
from acrolib.geometry import rotation_matrix_to_rpy
from scipy.spatial.transform import Rotation

print("acrobotics", version("acrobotics"))
arm = Robot([Link(DHLink(0, 0, 0, 0), JointType.revolute, None)])
seen = {}
for angle in (0.001, 1.5, 2.5):
    turn = arm.fk([angle])[:3, :3]
    seen[angle] = float(arm.fk_rpy([angle])[5]), float(arm.jacobian_rpy([angle])[5])
    print(f"joint about Z at {angle} rad: fk_rpy {seen[angle][0]:.4f} rad, jacobian_rpy {seen[angle][1]:.4f}; SciPy "
          f"{Rotation.from_matrix(turn).as_euler('xyz')[2]:.4f} rad, acrolib {rotation_matrix_to_rpy(turn)[2]:.4f} rad, derivative 1")
is_other = abs(seen[1.5][0] - 0.78414) < 1e-4 and abs(seen[1.5][1] - 0.0355) < 1e-3
sys.exit(0 if is_other and abs(seen[0.001][0] - 0.001) < 1e-6 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
