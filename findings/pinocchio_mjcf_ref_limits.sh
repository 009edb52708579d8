#!/usr/bin/env bash
# TITLE: Pinocchio counts a joint of an MJCF from ref, and its limits from the pose drawn
# GUESS: coordinate and limits are both MuJoCo's, as in the file, or ref is ignored in both
# SEEN: at q = 0 the arm is 0.5 rad from where the file draws it, as in MuJoCo, but limits of ±1 rad become -1.5 and 0.5
# VERSIONS: pin==4.1.0 numpy==2.4.6
# MATTERS: limits of the model allow 0.5 rad too much at one end and too little at the other
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pin==4.1.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import cos, isclose
from pathlib import Path

import numpy as np
import pinocchio

print("pin", version("pin"))

Path("arm.xml").write_text("""
<mujoco model="arm"><compiler angle="radian"/>
  <worldbody><body name="rod">
    <joint name="hinge" type="hinge" axis="0 1 0" ref="0.5" limited="true" range="-1 1"/>
    <inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody>
</mujoco>
""")
model = pinocchio.buildModelFromMJCF("arm.xml")
zero = np.zeros(1)
weight = float(pinocchio.rnea(model, model.createData(), zero, zero, zero)[0])
lower, upper = float(model.lowerPositionLimit[0]), float(model.upperPositionLimit[0])
print(f"torque that holds the arm at q = 0: {weight:.4f} N·m; where it is drawn: {-0.2 * 9.81:.4f} N·m")
print(f"limits: {lower:g} to {upper:g} rad; in the file -1 to 1 rad, of MuJoCo's coordinate")
is_counted_from_ref = isclose(weight, -0.2 * 9.81 * cos(0.5), rel_tol=1e-9)
sys.exit(0 if is_counted_from_ref and isclose(lower, -1.5) and isclose(upper, 0.5) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
