#!/usr/bin/env bash
# TITLE: A kind of joint read from a MuJoCo model is in no tuple of MuJoCo's kinds
# GUESS: `model.jnt_type[0] in (mjJNT_FREE, mjJNT_HINGE)` is True for a hinge, as `model.jnt_type[0] == mjJNT_HINGE` is
# SEEN: False: equality is not symmetric, the enumeration on the left is not equal to the number, and `in` asks it that way
# VERSIONS: mujoco-core==4.0.1 numpy==2.4.6
# MATTERS: code that sorts joints, constraints or actuators by such a test takes none, without a message
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

for package in ("mujoco-core", "numpy"):
    print(package, version(package))
model = mujoco.MjModel.from_xml_string(
    "<mujoco><worldbody><body><joint type='hinge'/><geom size='0.1'/></body></worldbody></mujoco>"
)
kind, hinge, free = model.jnt_type[0], mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_FREE
answers = {
    "kind in (free, hinge)": bool(kind in (free, hinge)),
    "kind == hinge": bool(kind == hinge),
    "hinge == kind": bool(hinge == kind),
    "int(kind) in (free, hinge)": int(kind) in (free, hinge),
}
for text, answer in answers.items():
    print(f"{text}: {answer}")
differs = not answers["hinge == kind"] and not answers["kind in (free, hinge)"]
sys.exit(0 if answers["kind == hinge"] and differs else 1)
PYTHON
"$folder/venv/bin/python" seen.py
