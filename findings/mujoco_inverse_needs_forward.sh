#!/usr/bin/env bash
# TITLE: mj_inverse with discrete inverse dynamics depends on actuator forces of an earlier call
# GUESS: mj_inverse is a function of qpos, qvel, qacc and ctrl alone
# SEEN: the torque differs by what the actuator last gave: mj_forward must come first where an actuator has an affine gain or is at its limit
# VERSIONS: mujoco-core==4.0.1 numpy==2.4.6
# MATTERS: inverse dynamics at recorded states are wrong, without a message, if only qpos, qvel, qacc and ctrl are set
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mujoco-core==4.0.1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import mujoco

for package in ("mujoco-core",):
    print(package, version(package))

MODEL = """
<mujoco><option integrator="implicitfast"><flag invdiscrete="enable"/></option><worldbody>
  <body><joint name="hinge" axis="0 1 0"/><inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody>
<actuator><general joint="hinge" gainprm="100" biastype="affine" biasprm="0 -100 -5" forcelimited="true" forcerange="-1 1"/></actuator></mujoco>
"""
model = mujoco.MjModel.from_xml_string(MODEL)


def inverse(is_forward_first):
    data = mujoco.MjData(model)
    data.ctrl[0], data.qvel[0] = 1.0, 0.5
    if is_forward_first:
        mujoco.mj_forward(model, data)
    data.qacc[0] = 30.0
    mujoco.mj_inverse(model, data)
    return float(data.qfrc_inverse[0])


right, alone = inverse(True), inverse(False)
print(f"after mj_forward {right:.6f} N·m, without it {alone:.6f} N·m")
sys.exit(0 if abs(right - alone) > 1e-3 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
