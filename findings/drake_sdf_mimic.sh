#!/usr/bin/env bash
# TITLE: Drake leaves SDFormat's own <mimic> of an axis aside
# GUESS: a coupler constraint, as Drake makes of a URDF's <mimic>
# SEEN: two free joints, without a message; only Drake's own tag in the joint couples them
# VERSIONS: drake==1.51.1 numpy==2.4.6
# MATTERS: a gripper or a parallel arm written by the format's rules moves with one degree of freedom too many
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check drake==1.51.1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import re
import sys
from importlib.metadata import version
from pathlib import Path

from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant

print("drake", version("drake"))
LINK = """<link name="{name}"><pose>{x} 0 0 0 0 0</pose><inertial><pose>0.1 0 0 0 0 0</pose><mass>1</mass>
  <inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz></inertia></inertial></link>"""
LIMIT = "<limit><lower>-1</lower><upper>1</upper></limit>"
FORMAT_S_OWN = f"""<sdf version="1.11" xmlns:drake="http://drake.mit.edu"><model name="arm">
{LINK.format(name="rod", x=0)}{LINK.format(name="tip", x=0.4)}
<joint name="hinge" type="revolute"><parent>world</parent><child>rod</child>
  <axis><xyz>0 1 0</xyz>{LIMIT}</axis></joint>
<joint name="second" type="revolute"><parent>rod</parent><child>tip</child>
  <axis><xyz>0 1 0</xyz><mimic joint="hinge"><multiplier>2</multiplier><offset>0</offset>
  <reference>0</reference></mimic>{LIMIT}</axis></joint>
</model></sdf>"""
TAG = '<child>tip</child><drake:mimic joint="hinge" multiplier="2" offset="0"/>'
DRAKE_S_OWN = re.sub("<mimic.*?</mimic>", "", FORMAT_S_OWN, flags=re.DOTALL).replace("<child>tip</child>", TAG)


def constraints(text: str) -> int:
    Path("arm.sdf").write_text(text)
    plant = MultibodyPlant(0.001)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    Parser(plant).AddModels("arm.sdf")
    plant.Finalize()
    return plant.num_constraints()


seen = constraints(FORMAT_S_OWN), constraints(DRAKE_S_OWN)
print(f"constraints by <mimic> in the axis: {seen[0]}; by drake:mimic in the joint: {seen[1]}")
sys.exit(0 if seen == (0, 1) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
