#!/usr/bin/env bash
# TITLE: Pinocchio reads the first of several bodies in the world of an MJCF, and drops the others
# GUESS: both arms are in one model, under its universe
# SEEN: joint, mass and frames of the second arm are missing, without a message
# VERSIONS: pin==4.1.0 numpy==2.4.6
# MATTERS: a cell with two arms, or an arm and its workpiece, loses all but one of them
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pin==4.1.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import pinocchio

print("pin", version("pin"))
BODY = """<body name="{name}" pos="{x} 0 0"><joint name="{name} hinge" type="hinge" axis="0 1 0"/>
  <inertial pos="0.2 0 0" mass="{mass}" diaginertia="0.02 0.03 0.04"/></body>"""
BODIES = BODY.format(name="left", x=0, mass=1) + BODY.format(name="right", x=1, mass=3)
Path("cell.xml").write_text(f'<mujoco model="cell"><worldbody>{BODIES}</worldbody></mujoco>')
model = pinocchio.buildModelFromMJCF("cell.xml")
mass, names = pinocchio.computeTotalMass(model), list(model.names)
print(f"joints {names}, {mass:g} kg of 4 kg, frames {[frame.name for frame in model.frames]}")
sys.exit(0 if names == ["universe", "left hinge"] and mass == 1.0 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
