#!/usr/bin/env bash
# TITLE: Pinocchio gives a mesh geom of an MJCF 1 kg, whatever its mass attribute states
# GUESS: 3 kg, as the attribute states and MuJoCo reads
# SEEN: 1 kg, without a message
# VERSIONS: pin==4.1.0 numpy==2.4.6
# MATTERS: torques of an MJCF robot whose links have mesh geoms and no inertial element are wrong by the ratio of the masses
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

CORNERS = [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]
FACES = [(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)]
lines = [f"v {x} {y} {z}" for x, y, z in CORNERS] + [f"f {a} {b} {c}" for a, b, c in FACES]
Path("link.obj").write_text("\n".join(lines) + "\n")
Path("arm.xml").write_text("""
<mujoco model="arm">
  <asset><mesh name="link" file="link.obj"/></asset>
  <worldbody><body name="link"><joint name="hinge" type="hinge" axis="0 1 0"/>
    <geom type="mesh" mesh="link" mass="3"/></body></worldbody>
</mujoco>
""")
model = pinocchio.buildModelFromMJCF("arm.xml")
mass = model.inertias[model.getJointId("hinge")].mass
print(f"mass of the link in Pinocchio: {mass:g} kg; the file states 3 kg")
sys.exit(0 if mass == 1.0 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
