#!/usr/bin/env bash
# TITLE: yourdfpy writes a URDF without its <mimic> and its transmissions
# GUESS: a URDF that is read and written again is the same robot, with one actuated joint
# SEEN: <mimic>, <safety_controller> and <transmission> are missing, without a message: two actuated joints
# VERSIONS: yourdfpy==0.0.60 numpy==2.4.6
# MATTERS: a file cleaned or edited by yourdfpy has one degree of freedom too many, and no gear ratios
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check yourdfpy==0.0.60 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import yourdfpy

print("yourdfpy", version("yourdfpy"))
LIMIT = '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="50" velocity="3"/>'
Path("arm.urdf").write_text(f"""<robot name="arm"><link name="base"/><link name="rod"/><link name="tip"/>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/>{LIMIT}</joint>
  <joint name="second" type="revolute"><parent link="rod"/><child link="tip"/><origin xyz="0.4 0 0"/>
  {LIMIT}<mimic joint="hinge" multiplier="2" offset="0.1"/></joint>
  <transmission name="gear"><type>transmission_interface/SimpleTransmission</type><joint name="hinge"/>
  <actuator name="motor"><mechanicalReduction>100</mechanicalReduction></actuator></transmission></robot>""")
before = yourdfpy.URDF.load("arm.urdf", load_meshes=False)
before.write_xml_file("written.urdf")
after = yourdfpy.URDF.load("written.urdf", load_meshes=False)
text = Path("written.urdf").read_text()
names = list(before.actuated_joint_names), list(after.actuated_joint_names)
print(f"actuated joints {names[0]}, written and read again {names[1]}")
kept = {tag: f"<{tag}" in text for tag in ("limit", "mimic", "transmission")}
print(f"in the written file: {kept}")
is_lost = kept == {"limit": True, "mimic": False, "transmission": False}
sys.exit(0 if is_lost and names == (["hinge"], ["hinge", "second"]) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
