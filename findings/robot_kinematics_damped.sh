#!/usr/bin/env bash
# TITLE: robot-kinematics multiplies where a damped pseudo-inverse of the Jacobian would invert
# GUESS: pseudo_inverse(1e-9) of a planar arm gives back the rates (1, 0) rad/s of their twist: Jᵀ(J·Jᵀ + λ·1)⁻¹ is the pseudo-inverse but for the damping
# SEEN: (2.19, 2.09) rad/s by Jᵀ(J·Jᵀ + λ·1), without a message; without damping it is right
# VERSIONS: robot-kinematics==1.1.0 numpy==1.26.4 scipy==1.14.1 matplotlib==3.9.2
# MATTERS: resolved rates with damping, which is there for singular poses, move another way, and faster where the arm is stiff
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check numpy==1.26.4 scipy==1.14.1 matplotlib==3.9.2
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps robot-kinematics==1.1.0
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from robot_kinematics.core.jacobian import Jacobian
from robot_kinematics.robots.serial import SerialManipulator

print("robot-kinematics", version("robot-kinematics"))


def arm(lengths: list[float]) -> SerialManipulator:
    """Planar arm of hinges about Z, by the standard DH parameters."""
    return SerialManipulator({
        "n_joints": len(lengths),
        "joint_types": ["revolute"] * len(lengths),
        "joint_limits": [(-3.0, 3.0)] * len(lengths),
        "dh_parameters": [{"a": a, "alpha": 0.0, "d": 0.0, "theta": 0.0} for a in lengths],
    })


DAMPING, RATES = 1e-9, np.array([1.0, 0.0])
jacobian = Jacobian(arm([0.4, 0.3]), np.zeros(2))
matrix = jacobian.compute()
twist = matrix @ RATES
plain, damped = jacobian.pseudo_inverse() @ twist, jacobian.pseudo_inverse(DAMPING) @ twist
formula = matrix.T @ np.linalg.solve(matrix @ matrix.T + DAMPING * np.eye(6), twist)
print(f"rates {RATES}; without damping {plain.round(4)}, with {DAMPING} {damped.round(4)}, by the formula {formula.round(4)}")
product = matrix.T @ (matrix @ matrix.T + DAMPING * np.eye(6)) @ twist
is_right_without = np.allclose(plain, RATES, rtol=0, atol=1e-9) and np.allclose(formula, RATES, rtol=0, atol=1e-6)
sys.exit(0 if np.allclose(damped, product, rtol=0, atol=1e-12) and is_right_without and damped[1] > 0.9 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
