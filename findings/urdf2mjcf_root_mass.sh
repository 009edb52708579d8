#!/usr/bin/env bash
# TITLE: urdf2mjcf leaves the inertial of the root link aside, and counts its shapes twice
# GUESS: a root of 2 kg with the tensor of its <inertial>, as for the other links
# SEEN: no <inertial>: MuJoCo makes 4 kg of the visual and the collision box, at 1000 kg/m³ each
# VERSIONS: urdf2mjcf==0.2.39 mujoco==3.3.7 numpy==2.3.5
# MATTERS: a floating base, or an arm on a moving one, has another mass; damping, friction and effort are lost too unless metadata repeat them
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check urdf2mjcf==0.2.39 mujoco==3.3.7 numpy==2.3.5
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose
from pathlib import Path

import mujoco
from urdf2mjcf.convert import convert_urdf_to_mjcf

for package in ("urdf2mjcf", "mujoco"):
    print(package, version(package))
BOX = '<geometry><box size="0.2 0.1 0.1"/></geometry>'
LINK = """<link name="{name}"><inertial><origin xyz="0 0 0"/><mass value="{mass}"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual>{box}</visual><collision>{box}</collision></link>"""
Path("arm.urdf").write_text(f"""<robot name="arm">{LINK.format(name="base", mass=2, box=BOX)}
  {LINK.format(name="rod", mass=1, box=BOX)}
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>""")
convert_urdf_to_mjcf("arm.urdf", "arm.xml")
model = mujoco.MjModel.from_xml_path("arm.xml")
base, rod = (float(model.body(name).mass[0]) for name in ("base", "rod"))
print(f"base {base:g} kg, rod {rod:g} kg; the URDF states 2 and 1 kg, a box is 2 kg at 1000 kg/m³")
sys.exit(0 if isclose(base, 4.0, rel_tol=1e-9) and rod == 1.0 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
