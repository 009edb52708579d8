#!/usr/bin/env bash
# TITLE: mujoco-usd-converter writes damping of a hinge per degree and its stiffness per radian
# GUESS: 2 N·m/rad and 0.5 N·m·s/rad, the numbers of the file, written through (an engineer, 58 %)
# SEEN: stiffness 2, damping 0.00873 (0.5 · π/180), spring reference 10 degrees, in one joint
# VERSIONS: mujoco-usd-converter==0.8.0 usd-exchange==3.0.1
# MATTERS: whoever reads both attributes in one unit has a spring or a damper wrong by a factor of 57
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mujoco-usd-converter==0.8.0 usd-exchange==3.0.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose, pi
from pathlib import Path

import mujoco_usd_converter
from pxr import Usd

for package in ("mujoco-usd-converter", "usd-exchange"):
    print(package, version(package))
Path("arm.xml").write_text("""<mujoco model="arm"><worldbody><body name="rod">
  <joint name="hinge" type="hinge" axis="0 1 0" stiffness="2" damping="0.5" springref="10"/>
  <geom name="ball" size="0.1" mass="1"/></body></worldbody></mujoco>""")
written = mujoco_usd_converter.Converter().convert("arm.xml", "out")
stage = Usd.Stage.Open(written.path)
hinge = next(prim for prim in stage.Traverse() if prim.GetName() == "hinge")
names = "mjc:stiffness", "newton:damping", "mjc:springref"
seen = {name: float(hinge.GetAttribute(name).Get()) for name in names}
print("the file: stiffness 2 N·m/rad, damping 0.5 N·m·s/rad, springref 10 degrees")
print(seen)
expected = 2.0, 0.5 * pi / 180, 10.0
sys.exit(0 if all(isclose(a, b, rel_tol=1e-6) for a, b in zip(seen.values(), expected, strict=True)) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
