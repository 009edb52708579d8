#!/usr/bin/env bash
# TITLE: mjcf-urdf-simple-converter moves a body with three hinges away from where the MJCF draws it
# GUESS: at 0 the body is 1 m high, as in MuJoCo, whatever point its hinges pass through
# SEEN: 0.8 m with three hinges through a point 0.2 m above its origin, without a message; with two it is 1 m
# VERSIONS: mjcf-urdf-simple-converter==0.7.3 mujoco==4.0.0 yourdfpy==0.0.60 numpy==2.4.6 scipy==1.17.1
# MATTERS: shoulders, hips and wrists of three hinges in one body leave their place, and the arm after them too
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  mjcf-urdf-simple-converter==0.7.3 mujoco==4.0.0 yourdfpy==0.0.60 numpy==2.4.6 scipy==1.17.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose
from pathlib import Path

import mujoco
import yourdfpy
from mjcf_urdf_simple_converter import convert

print("mjcf-urdf-simple-converter", version("mjcf-urdf-simple-converter"), "mujoco", version("mujoco"))


def heights(axes: list[str]) -> tuple[float, float]:
    """Height [m] of the body at position 0, in MuJoCo and in the URDF."""
    hinges = "".join(f'<joint name="j{axis[::2]}" axis="{axis}" pos="0 0 0.2" range="-60 60"/>' for axis in axes)
    body = f'<body name="arm" pos="0 0 1">{hinges}<geom type="box" size=".1 .1 .1" mass="1"/></body>'
    Path("arm.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    convert("arm.xml", "arm.urdf")
    model = mujoco.MjModel.from_xml_path("arm.xml")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    robot = yourdfpy.URDF.load("arm.urdf")
    return float(data.body("arm").xpos[2]), float(robot.get_transform("arm", "world")[2, 3])


two, three = heights(["1 0 0", "0 1 0"]), heights(["1 0 0", "0 1 0", "0 0 1"])
print(f"two hinges: MuJoCo {two[0]:.3f} m, URDF {two[1]:.3f} m; three: MuJoCo {three[0]:.3f} m, URDF {three[1]:.3f} m")
sys.exit(0 if isclose(two[1], 1.0) and isclose(three[0], 1.0) and isclose(three[1], 0.8) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
