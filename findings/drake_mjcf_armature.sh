#!/usr/bin/env bash
# TITLE: Drake loses the armature of an MJCF joint that no motor drives
# GUESS: 0.07 + 0.5 = 0.57 kg·m² about the joint, as in MuJoCo, Pinocchio and Newton
# SEEN: 0.07 kg·m², without a message; with a motor on the joint 0.57
# VERSIONS: drake==1.51.1 numpy==2.4.6
# MATTERS: the inertia of passive joints is too small, and their motion too fast
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check drake==1.51.1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

for package in ("drake",):
    print(package, version(package))

MODEL = """
<mujoco model="arm"><worldbody>
  <body name="rod"><joint name="hinge" type="hinge" axis="0 1 0" armature="0.5"/>
  <inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody>{}</mujoco>
"""


def inertia(actuator):
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(MODEL.format(actuator), "xml")
    plant.Finalize()
    return float(plant.CalcMassMatrix(plant.CreateDefaultContext())[0, 0])


passive, driven = inertia(""), inertia('<actuator><motor joint="hinge"/></actuator>')
print(f"without a motor {passive:.4f} kg·m², with one {driven:.4f} kg·m²")
sys.exit(0 if abs(passive - 0.07) < 1e-9 and abs(driven - 0.57) < 1e-9 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
