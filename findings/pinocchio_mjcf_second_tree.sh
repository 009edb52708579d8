#!/usr/bin/env bash
# TITLE: Pinocchio drops all but the first tree of an MJCF
# GUESS: two hinges, one in each body of the worldbody
# SEEN: one hinge: the second body is missing, without a message
# VERSIONS: pin==4.1.0 numpy==2.4.6
# MATTERS: two-armed robots and scenes lose arms; compare nv with MuJoCo
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

for package in ("pin",):
    print(package, version(package))

BODY = '<body name="{0}"><joint name="{0}" type="hinge" axis="0 1 0"/><inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body>'
Path("arms.xml").write_text(f'<mujoco model="arms"><worldbody>{BODY.format("left")}{BODY.format("right")}</worldbody></mujoco>')
model = pinocchio.buildModelFromMJCF("arms.xml")
print(f"joints {list(model.names)[1:]}; the file has left and right")
sys.exit(0 if model.nv == 1 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
