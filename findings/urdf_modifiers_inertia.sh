#!/usr/bin/env bash
# TITLE: urdf-modifiers raises each moment of inertia to at least 0.01 kg·m²
# GUESS: 1.67e-4 kg·m², m·a²/6, for a cube of 0.1 m and 0.1 kg: `update_inertia` is to match volume and mass
# SEEN: 0.01 kg·m², 60 times as much, without a message; `calculate_inertia` gives 1.67e-4
# VERSIONS: numpy==2.4.6 scipy==1.17.1 lxml==6.1.3 networkx==3.6.1 pillow==13.0.0 trimesh==5.2.0 urchin==0.0.30 urdf-modifiers==0.0.2
# MATTERS: fingers and wrists of a scaled robot get the inertia of far heavier parts
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 lxml==6.1.3 networkx==3.6.1 pillow==13.0.0 trimesh==5.2.0
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps urchin==0.0.30 urdf-modifiers==0.0.2
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from urchin import URDF
from urdfModifiers.core.linkModifier import LinkModifier

print("urdf-modifiers", version("urdf-modifiers"), "urchin", version("urchin"))
CUBE = """<robot name="cube"><link name="base"><inertial><mass value="{mass}"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><box size="{edge} {edge} {edge}"/></geometry></visual></link></robot>"""
seen = {}
for mass, edge in ((0.1, 0.1), (10.0, 0.5)):
    Path("cube.urdf").write_text(CUBE.format(mass=mass, edge=edge))
    link = LinkModifier.from_name("base", URDF.load("cube.urdf"))
    link.update_inertia()
    seen[mass] = np.diag(link.element.inertial.inertia), link.calculate_inertia(), mass * edge**2 / 6
    print(f"cube of {mass} kg and {edge} m: set {seen[mass][0]}, computed {seen[mass][1]}, closed form m·a²/6 = {seen[mass][2]:.4g}")
light, heavy = seen[0.1], seen[10.0]
is_right_before = all(np.allclose(computed, exact, rtol=1e-9) for _, computed, exact in seen.values())
sys.exit(0 if is_right_before and np.all(light[0] == 0.01) and np.allclose(heavy[0], heavy[2], rtol=1e-9) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
