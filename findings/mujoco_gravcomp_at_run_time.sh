#!/usr/bin/env bash
# TITLE: Gravity compensation set at run time has no effect in MuJoCo if no body of the file has any
# GUESS: the body floats: `body_gravcomp` is read in each step
# SEEN: it falls at 9.81 m/s², without a message; it floats if another body of the file has gravcomp, or after `mj_setConst`
# VERSIONS: mujoco-core==4.0.1 numpy==2.4.6
# MATTERS: a comparison of a controller with and without the weight of the arm compares the same thing twice
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
BALL = """<mujoco><worldbody><body name="ball" pos="0 0 2"><freejoint/><geom size="0.1" mass="1"/></body>
  <body name="other" pos="3 0 2" gravcomp="{other}"><freejoint/><geom size="0.1" mass="1"/></body></worldbody></mujoco>"""


def acceleration(other: float, *, is_told: bool) -> float:
    """Acceleration of the ball after its weight was compensated [m/s²]."""
    model = mujoco.MjModel.from_xml_string(BALL.format(other=other))
    data = mujoco.MjData(model)
    model.body_gravcomp[model.body("ball").id] = 1.0
    if is_told:
        mujoco.mj_setConst(model, data)
    mujoco.mj_forward(model, data)
    return round(float(data.qacc[2]), 9)


seen = acceleration(0.0, is_told=False), acceleration(0.5, is_told=False), acceleration(0.0, is_told=True)
print(f"no gravcomp in the file: {seen[0]} m/s²; gravcomp of another body: {seen[1]} m/s²; with mj_setConst: {seen[2]} m/s²")
sys.exit(0 if seen == (-9.81, 0.0, 0.0) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
