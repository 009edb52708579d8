#!/usr/bin/env bash
# TITLE: DART leaves the <inertial> of an MJCF body aside: 1 kg at the origin, and a tensor of 1, 1, 1
# GUESS: 2 kg, mass centre and tensor as in the file: 0.11 kg·m² about the hinge
# SEEN: 1 kg and 1 kg·m², without a message; of geoms the mass is read, and the tensor is 1, 1, 1 too
# VERSIONS: dartpy==6.20.0 numpy==2.4.6
# MATTERS: torques of an MJCF robot in DART are those of another robot, without a message
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check dartpy==6.20.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import dartpy as dart
import numpy as np

print("dartpy", version("dartpy"))
Path("arm.xml").write_text("""<mujoco model="arm"><compiler angle="radian"/><worldbody><body name="rod">
  <joint name="hinge" type="hinge" axis="0 1 0"/><inertial pos="0.2 0 0" mass="2" diaginertia="0.02 0.03 0.04"/>
  </body></worldbody></mujoco>""")
skeleton = dart.utils.MjcfParser.readWorld(str(Path("arm.xml").absolute())).getSkeleton(0)
body = skeleton.getBodyNode("rod")
tensor, centre = body.getInertia().getMoment(), body.getLocalCOM()
print(f"mass {body.getMass():g} kg, centre {centre} m, tensor {np.diag(tensor)} kg·m²; the file: 2, 0.2 0 0, 0.02 0.03 0.04")
print(f"about the hinge {skeleton.getMassMatrix()[0, 0]:.3f} kg·m²; by the file {0.03 + 2 * 0.2**2:.3f}")
is_unit = np.allclose(tensor, np.eye(3)) and not centre.any()
sys.exit(0 if is_unit and body.getMass() == 1.0 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
