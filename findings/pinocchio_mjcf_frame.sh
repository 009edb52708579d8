#!/usr/bin/env bash
# TITLE: Pinocchio drops bodies inside a frame element of an MJCF body
# GUESS: two hinges: a frame only moves what it holds
# SEEN: one hinge: the body in the frame is missing, without a message
# VERSIONS: pin==4.1.0 numpy==2.4.6
# MATTERS: a robot whose file uses frames, as those that MuJoCo attaches, is another robot
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

INERTIAL = '<inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/>'
Path("arm.xml").write_text(f"""
<mujoco model="arm"><worldbody><body name="upper"><joint name="first" type="hinge" axis="0 1 0"/>{INERTIAL}
  <frame pos="0.4 0 0"><body name="lower"><joint name="second" type="hinge" axis="0 1 0"/>{INERTIAL}</body></frame>
</body></worldbody></mujoco>
""")
model = pinocchio.buildModelFromMJCF("arm.xml")
print(f"joints {list(model.names)[1:]}; the file has first and second")
sys.exit(0 if model.nv == 1 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
