#!/usr/bin/env bash
# TITLE: Drake reads ref of an MJCF joint, and starts there
# GUESS: ref is ignored with a warning: coordinate 0 is the pose drawn
# SEEN: coordinate and limits are MuJoCo's; the default position is 0.5 rad, the pose drawn
# VERSIONS: drake==1.51.1 numpy==2.4.6
# MATTERS: of one file Drake and MuJoCo agree, where PyBullet and Newton count from the pose drawn: the same q is another pose
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check drake==1.51.1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import cos, isclose
from pathlib import Path

import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

print("drake", version("drake"))
Path("arm.xml").write_text("""
<mujoco model="arm"><compiler angle="radian"/>
  <worldbody><body name="rod">
    <joint name="hinge" type="hinge" axis="0 1 0" ref="0.5" limited="true" range="-1 1"/>
    <inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody>
</mujoco>
""")
plant = MultibodyPlant(0.001)
Parser(plant).AddModels("arm.xml")
plant.Finalize()
context = plant.CreateDefaultContext()
start = float(plant.GetPositions(context)[0])
plant.SetPositions(context, np.zeros(1))
weight = float(plant.CalcGravityGeneralizedForces(context)[0])
limits = [float(plant.GetPositionLowerLimits()[0]), float(plant.GetPositionUpperLimits()[0])]
print(f"weight at q = 0: {weight:.4f} N·m; where the arm is drawn: {0.2 * 9.81:.4f} N·m")
print(f"default position {start:g} rad, limits {limits} rad")
is_from_ref = isclose(weight, 0.2 * 9.81 * cos(0.5), rel_tol=1e-9)
sys.exit(0 if is_from_ref and isclose(start, 0.5) and limits == [-1.0, 1.0] else 1)
PYTHON
"$folder/venv/bin/python" seen.py
