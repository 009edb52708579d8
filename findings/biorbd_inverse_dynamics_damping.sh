#!/usr/bin/env bash
# TITLE: biorbd's inverse dynamics takes the damping of a joint with the sign that helps the motor
# GUESS: -0.44 N·m: 1.4 N·m of damping to overcome, added to the -1.84 N·m of an undamped joint
# SEEN: -3.24 N·m; forward dynamics brakes by 1.4 N·m, so the torque found gives another acceleration than the one asked for, by 40 rad/s²
# VERSIONS: biorbd==1.12.4 numpy==2.4.6
# MATTERS: torques of a damped model are wrong by twice the damping, and a motion found by inverse dynamics does not come back in forward dynamics
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check biorbd==1.12.4 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import cos, isclose
from pathlib import Path

import biorbd
import numpy as np

print("biorbd", version("biorbd"))
ARM = """version 4
gravity 0 0 -9.81
segment rod
    rotations y{damping}
    mass 1
    CenterOfMass 0.2 0 0
    inertia
        0.02 0 0
        0 0.03 0
        0 0 0.04
endsegment
"""
Q, V, A = np.array([0.3]), np.array([0.7]), np.array([0.5])


def torque_and_return(damping: str) -> tuple[float, float]:
    """Torque for the acceleration A [N·m], and the acceleration that it gives [rad/s²]."""
    Path("arm.bioMod").write_text(ARM.format(damping=damping))
    model = biorbd.Model("arm.bioMod")
    torque = model.InverseDynamics(Q, V, A).to_array()
    return float(torque[0]), float(model.ForwardDynamics(Q, V, torque).to_array()[0])


free, free_return = torque_and_return("")
damped, damped_return = torque_and_return("\n    jointDampings 2")
print(f"no damping: {free:.4f} N·m, in forward dynamics {free_return:.4f} rad/s²; asked for {A[0]} rad/s²")
print(f"2 N·m·s/rad at 0.7 rad/s: {damped:.4f} N·m, in forward dynamics {damped_return:.4f} rad/s²")
print(f"expected with damping: {free + 2 * V[0]:.4f} N·m")
is_right_without = isclose(free, 0.07 * 0.5 - 0.2 * 9.81 * cos(0.3)) and isclose(free_return, 0.5)
is_turned = isclose(damped, free - 1.4) and isclose(damped_return, 0.5 - 2 * 1.4 / 0.07)
sys.exit(0 if is_right_without and is_turned else 1)
PYTHON
"$folder/venv/bin/python" seen.py
