#!/usr/bin/env bash
# TITLE: MuJoCo reports a capsule that passes through the middle of a box as 0.05 m apart from it
# GUESS: mj_geomDistance -0.15 m, the shortest separation across the capsule
# SEEN: +0.05 m, although the shapes overlap
# VERSIONS: mujoco==3.3.7 numpy==2.3.5
# MATTERS: a distance from MuJoCo alone does not prove that a capsule and a box are apart once the axis of the capsule is inside the box
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mujoco==3.3.7 numpy==2.3.5
cd "$folder"
cat > seen.py <<'PYTHON'
from importlib.metadata import version

for package in ("mujoco",):
    print(package, version(package))

import sys

import mujoco
import numpy as np

MODEL = """
<mujoco><worldbody>
  <geom name="box" type="box" size="0.1 0.1 0.1"/>
  <body><freejoint/><geom name="capsule" type="capsule" size="0.05 0.2" euler="0 90 0" mass="1"/></body>
</worldbody></mujoco>
"""
model = mujoco.MjModel.from_xml_string(MODEL)
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
distance = mujoco.mj_geomDistance(model, data, 0, 1, 1.0, np.zeros(6))
print(f"mj_geomDistance {distance:.6f} m; the shapes overlap, shortest separation -0.15 m")
sys.exit(0 if abs(distance - 0.05) < 1e-6 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
