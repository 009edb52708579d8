#!/usr/bin/env bash
# TITLE: rigid-transform-py takes the arc sine of a pitch twice, and reads roll, pitch and yaw in another order than it was given them
# GUESS: `ToEuler` returns the angles that Rotation was made of: 0, 0.5, 0 and 0.1, 0.2, 0.3 rad
# SEEN: 0, 0.524, 0 and 0.156, 0.161, 0.323; a pitch of 1.1 rad comes back as π/2; the rotation is Rx·Ry·Rz, and the angles are those of Rz·Ry·Rx
# VERSIONS: rigid-transform-py==0.1.1 numpy==2.4.6
# MATTERS: a pose saved as rpy is another pose when it is read, by 0.5 rad at a pitch of 1.1 rad
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check rigid-transform-py==0.1.1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import asin, atan2, cos, pi, sin

import numpy as np
from rigid_transform import Rotation

print("rigid-transform-py", version("rigid-transform-py"))


def zyx_angles(roll: float, pitch: float, yaw: float) -> tuple[float, float, float]:
    """Roll, pitch and yaw by Rz·Ry·Rx of the rotation Rx(roll)·Ry(pitch)·Rz(yaw)."""
    about_x = np.array([[1, 0, 0], [0, cos(roll), -sin(roll)], [0, sin(roll), cos(roll)]])
    about_y = np.array([[cos(pitch), 0, sin(pitch)], [0, 1, 0], [-sin(pitch), 0, cos(pitch)]])
    about_z = np.array([[cos(yaw), -sin(yaw), 0], [sin(yaw), cos(yaw), 0], [0, 0, 1]])
    turn = about_x @ about_y @ about_z
    return atan2(turn[2, 1], turn[2, 2]), asin(-turn[2, 0]), atan2(turn[1, 0], turn[0, 0])


is_as_seen = True
for angles in ((0.0, 0.5, 0.0), (0.1, 0.2, 0.3), (0.0, 1.1, 0.0)):
    seen = np.array(Rotation(roll=angles[0], pitch=angles[1], yaw=angles[2]).ToEuler())
    roll, pitch, yaw = zyx_angles(*angles)
    twice = asin(pitch) if pitch < 1 else pi / 2
    print(f"given {angles}: read {seen.round(4)}; right by Rx·Ry·Rz {angles}, by Rz·Ry·Rx {np.round([roll, pitch, yaw], 4)}")
    is_as_seen = is_as_seen and np.allclose(seen, [roll, twice, yaw], atol=1e-9)
sys.exit(0 if is_as_seen else 1)
PYTHON
"$folder/venv/bin/python" seen.py
