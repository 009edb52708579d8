#!/usr/bin/env bash
# TITLE: Pinocchio leaves the mass that an MJCF default class gives a geom aside
# GUESS: 3 kg, the mass of the default class, as MuJoCo reads
# SEEN: 8 kg, the volume times 1000 kg/m³, without a message
# VERSIONS: pin==4.1.0 numpy==2.4.6
# MATTERS: torques of an MJCF robot whose geoms take their mass from a default class are those of another robot
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pin==4.1.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
from importlib.metadata import version

for package in ("pin",):
    print(package, version(package))

import sys
from pathlib import Path

import pinocchio

Path("arm.xml").write_text("""
<mujoco model="arm">
  <default><geom mass="3"/></default>
  <worldbody><body name="link"><joint name="hinge" type="hinge" axis="0 1 0"/>
    <geom type="box" size="0.1 0.1 0.1"/></body></worldbody>
</mujoco>
""")
model = pinocchio.buildModelFromMJCF("arm.xml")
mass = model.inertias[model.getJointId("hinge")].mass
print(f"mass of the link in Pinocchio: {mass:g} kg; the file states 3 kg, a box of 8 litres")
sys.exit(0 if abs(mass - 8.0) < 1e-9 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
