#!/usr/bin/env bash
# TITLE: robot-arm-kinematics fixes gravity along -Y of the base, and returns the torque that helps it
# GUESS: 0 N·m about the base's Z axis, as it is vertical; or, with gravity along -Y, +5.886 N·m hold 2 kg at 0.3 m
# SEEN: -5.886 N·m: gravity is always along -Y of the base, and the result is the torque of gravity, not the one that holds the arm
# VERSIONS: robot-arm-kinematics==1.0.2 numpy==1.26.4 scipy==1.17.1 numba==0.68.1 matplotlib==3.11.2 tqdm==4.67.1
# MATTERS: gravity compensation turns an upright base joint, which carries no load, and pulls an arm on a wall down
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check robot-arm-kinematics==1.0.2 numpy==1.26.4 scipy==1.17.1 numba==0.68.1 matplotlib==3.11.2 tqdm==4.67.1
cd "$folder"
cat > seen.py <<'PYTHON'
import os
import sys
from contextlib import redirect_stdout
from importlib.metadata import version
from io import StringIO
from math import cos, isclose

os.environ["NUMBA_DISABLE_JIT"] = "1"  # compiling takes a minute

import numpy as np
from robot_arm_kinematics.config.config import BaseConfig, RepresentationType
from robot_arm_kinematics.core.robot import RobotArmKinematics

print("robot-arm-kinematics", version("robot-arm-kinematics"))
MASS, LENGTH, CENTRE, G = 2.0, 0.5, -0.2, 9.81  # the link's frame is at its far end


class OneHinge(BaseConfig):
    """Joint about the base's Z axis, standard parameters of Denavit and Hartenberg."""


zero = np.zeros(1)
arm = RobotArmKinematics(OneHinge(
    a=np.array([LENGTH]), d=zero, alpha=zero, theta=zero, representation_type=RepresentationType.DH,
    qmin=np.array([-3.0]), qmax=np.array([3.0]), masses=np.array([MASS]), cog=np.array([[CENTRE, 0.0, 0.0]])))
is_as_seen = True
for angle in (0.0, 0.7):
    with redirect_stdout(StringIO()):  # the package prints its intermediate values
        torque = float(arm.get_gravity_torque(np.array([angle]))[0])
    holding = MASS * G * (LENGTH + CENTRE) * cos(angle)
    print(f"{angle} rad: {torque:+.4f} N·m; closed form +0 for gravity along -Z, {holding:+.4f} to hold against gravity along -Y")
    is_as_seen &= isclose(torque, -holding, rel_tol=1e-9)
sys.exit(0 if is_as_seen else 1)
PYTHON
"$folder/venv/bin/python" seen.py
