#!/usr/bin/env bash
# TITLE: MuJoCo's framelinacc of a body at rest is 9.81 m/s² upwards
# GUESS: 0: the linear acceleration of the frame in the world; gravity is in the accelerometer only, as in a real one
# SEEN: 9.81 m/s², also with the body fixed to the world, and so is `mj_objectAcceleration`; 0 in free fall
# VERSIONS: mujoco-core==4.0.1 numpy==2.4.6
# MATTERS: an acceleration read from it as the motion of a tool is off by gravity
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
import numpy as np

for package in ("mujoco-core", "numpy"):
    print(package, version(package))
BOX = """<mujoco><worldbody><body name="box">{joint}<geom size="0.1" mass="1"/></body></worldbody>
  <sensor><framelinacc objtype="body" objname="box"/></sensor></mujoco>"""


def accelerations(joint: str) -> tuple[float, float]:
    """Vertical acceleration of the box by framelinacc and by mj_objectAcceleration [m/s²]."""
    model = mujoco.MjModel.from_xml_string(BOX.format(joint=joint))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    six = np.zeros(6)  # rotation, translation
    mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_BODY, 1, six, 0)
    return round(float(data.sensordata[2]), 9), round(float(six[5]), 9)


fixed, falling = accelerations(""), accelerations("<freejoint/>")
print(f"fixed to the world: framelinacc {fixed[0]} m/s², mj_objectAcceleration {fixed[1]} m/s²")
print(f"in free fall: {falling[0]} m/s², {falling[1]} m/s²")
sys.exit(0 if fixed == (9.81, 9.81) and falling == (0.0, 0.0) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
