#!/usr/bin/env bash
# TITLE: trimesh leaves the scale of a node out of the volume and the inertia of a scene
# GUESS: 0.006 m³, of the part as placed, as its extents and its mass centre are
# SEEN: 6 000 000, of the mesh before its node scales it, and an inertia 1e21 times that of the part, without a message
# VERSIONS: trimesh==5.2.0 numpy==2.4.6 scipy==1.17.1
# MATTERS: masses and tensors computed from a glTF or a DAE whose nodes convert millimetres are those of no part; `to_mesh()` first is right
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check trimesh==5.2.0 numpy==2.4.6 scipy==1.17.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose

import numpy as np
import trimesh

print("trimesh", version("trimesh"))
placed = trimesh.transformations.scale_matrix(0.001)
placed[0, 3] = 0.5  # a part of 100 x 200 x 300 mm, 0.5 m from the origin, by its node
scene = trimesh.Scene()
scene.add_geometry(trimesh.creation.box((100, 200, 300)), transform=placed)
scene.export("part.glb")
scene = trimesh.load_scene("part.glb")
mesh = scene.to_mesh()
print(f"extents {scene.extents} m, mass centre {np.round(scene.center_mass, 6)} m")
print(f"scene: volume {scene.volume:g}, inertia {np.diag(scene.moment_inertia)}")
print(f"its to_mesh(): volume {mesh.volume:g} m³, inertia {np.diag(mesh.moment_inertia)} kg·m² at 1 kg/m³")
is_placed = np.allclose(scene.extents, [0.1, 0.2, 0.3]) and isclose(mesh.volume, 0.006, rel_tol=1e-6)
ratio = scene.volume / mesh.volume, scene.moment_inertia[0, 0] / mesh.moment_inertia[0, 0]
sys.exit(0 if is_placed and np.allclose(ratio, (1e9, 1e21), rtol=1e-6) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
