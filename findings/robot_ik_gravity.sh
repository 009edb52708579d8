#!/usr/bin/env bash
# TITLE: robot-ik's gravity torque loads a vertical first joint, and leaves the length of a link out of its lever
# GUESS: 0 N·m at the vertical first joint of the package's own six-joint arm; +2.4525 N·m hold 1 kg in the middle of a link of 0.5 m
# SEEN: -27 N·m at the vertical joint: torques are about the axis of the next joint; and -2.4525 N·m, as the length of the link is left out of the lever
# VERSIONS: robot-ik==0.4.0 numpy==1.26.4
# MATTERS: gravity compensation pulls the arm down instead of holding it
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check robot-ik==0.4.0 numpy==1.26.4
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose

import numpy as np
from robot_ik import DynamicsSolver, LinkInertia, RobotDynamicsModel, six_dof_articulated_dyn

print("robot-ik", version("robot-ik"))
MASS, LENGTH, ABOUT_CENTRE, G = 1.0, 0.5, 0.02, 9.81


def solver(x: float) -> DynamicsSolver:
    """One hinge about Z, the link's frame at its far end, the mass centre at x in it; gravity along -Y."""
    link = LinkInertia(MASS, np.array([x, 0.0, 0.0]), np.diag([0.0, ABOUT_CENTRE, ABOUT_CENTRE]))
    zero = np.zeros(1)
    gravity = np.array([0.0, -G, 0.0])
    return DynamicsSolver(RobotDynamicsModel(np.array([LENGTH]), zero, zero, [link], gravity, zero))


print("far end in the base frame:", solver(0.0).forward_kinematics_all([0.0])[1][:3, 3])
torque = float(solver(-LENGTH / 2).gravity_torque([0.0])[0])
inertia = float(solver(0.0).inertia_matrix([0.0])[0, 0])
expected = MASS * G * LENGTH / 2
print(f"mass centre in the middle: torque {torque:+.4f} N·m, closed form {expected:+.4f}")
print(f"mass centre at the far end: {inertia:.4f} kg·m², closed form {ABOUT_CENTRE + MASS * LENGTH**2:.4f}")
vertical = DynamicsSolver(six_dof_articulated_dyn()).gravity_torque(np.array([0.1, -0.5, 0.7, 0.2, 0.4, 0.1]))[0]
print(f"vertical first joint of the package's six-joint arm: {vertical:.4f} N·m; closed form 0")
is_placed_wrong = isclose(torque, -expected, rel_tol=1e-9) and isclose(inertia, ABOUT_CENTRE, rel_tol=1e-6)
sys.exit(0 if is_placed_wrong and vertical < -27 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
