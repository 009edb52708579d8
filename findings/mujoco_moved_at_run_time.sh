#!/usr/bin/env bash
# TITLE: A geom or site that MuJoCo compiled at the origin of its body cannot be moved at run time
# GUESS: 0.2 m: `geom_pos` and `site_pos` of a compiled model are read in each step
# SEEN: the geom and the site at the origin stay there, without a message; those compiled 0.1 m away from it move to 0.2 m
# VERSIONS: mujoco-core==4.0.1 numpy==2.4.6
# MATTERS: a tool frame or a grasp that is varied or calibrated in the model stays where it was, but only if it began at zero
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
LINK = """<mujoco><worldbody><body><joint type="hinge" axis="0 1 0"/>
  <geom size="0.1" pos="{x} 0 0"/><site pos="{x} 0 0"/></body></worldbody></mujoco>"""


def places(x: float) -> tuple[float, float]:
    """Place of geom and site, compiled at x, after both were set to 0.2 m [m]."""
    model = mujoco.MjModel.from_xml_string(LINK.format(x=x))
    data = mujoco.MjData(model)
    model.geom_pos[0] = model.site_pos[0] = [0.2, 0.0, 0.0]
    mujoco.mj_forward(model, data)
    return round(float(data.geom_xpos[0, 0]), 9), round(float(data.site_xpos[0, 0]), 9)


seen = places(0.0), places(0.1)
print(f"geom and site compiled at 0 m: {seen[0]} m; at 0.1 m: {seen[1]} m; both were set to 0.2 m")
sys.exit(0 if seen == ((0.0, 0.0), (0.2, 0.2)) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
