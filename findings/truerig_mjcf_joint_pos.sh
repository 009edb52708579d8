#!/usr/bin/env bash
# TITLE: truerig moves a hinge of an MJCF to the origin of its body, and its fidelity report passes
# GUESS: the axis passes through the joint's pos, as in MuJoCo, or the report names what is lost
# SEEN: the URDF turns the body about its origin: the tip is 0.14 m away at 60 degrees; the report has no errors and no warnings, also on damping and armature
# VERSIONS: truerig==0.1.1 mujoco==4.0.0 numpy==2.4.6 scipy==1.17.1
# MATTERS: poses and gravity torques of a converted robot are wrong wherever the MJCF places a joint beside the origin of its body
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check truerig==0.1.1 mujoco==4.0.0 numpy==2.4.6 scipy==1.17.1
cd "$folder"
cat > seen.py <<'PYTHON'
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from math import pi
from pathlib import Path

import mujoco
import numpy as np

for package in ("truerig", "mujoco"):
    print(package, version(package))
Path("arm.xml").write_text("""<mujoco model="arm"><compiler angle="radian"/><worldbody>
  <body name="base"><geom type="box" size="0.05 0.05 0.05"/>
  <body name="rod"><joint name="hinge" type="hinge" axis="0 1 0" pos="0.1 0 0.1" range="-2 2" limited="true"
  damping="0.5" armature="0.2"/><inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/>
  <body name="tip" pos="0.4 0 0"><inertial pos="0 0 0" mass="0.1" diaginertia="0.001 0.001 0.001"/></body>
  </body></body></worldbody></mujoco>""")
program = Path(sysconfig.get_path("scripts"), "truerig")
report = subprocess.run([program, "convert", "arm.xml", "arm.urdf"], check=True, capture_output=True, text=True).stdout
print(report.strip())


def tip(path: str) -> np.ndarray:
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    data.qpos[:] = pi / 3
    mujoco.mj_forward(model, data)
    return data.body("tip").xpos.copy()


text = Path("arm.urdf").read_text()
Path("arm.urdf").write_text(text.replace('">', '"><mujoco><compiler fusestatic="false"/></mujoco>', 1))
before, after = tip("arm.xml"), tip("arm.urdf")
print(f"tip at 60 degrees: MJCF {before.round(4)}, URDF {after.round(4)} m; damping in the URDF: {'damping' in text}")
is_moved = np.allclose(after, [0.2, 0, -0.4 * np.sin(pi / 3)], atol=1e-6)
is_quiet = "errors=0  warnings=0" in report and "damping" not in text
sys.exit(0 if is_moved and is_quiet and np.linalg.norm(before - after) > 0.1 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
