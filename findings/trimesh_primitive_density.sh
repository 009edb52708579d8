#!/usr/bin/env bash
# TITLE: trimesh counts the density in the inertia of a box primitive, and not in that of a cylinder or a sphere
# GUESS: mass and inertia both follow the density that is set, for every primitive, as for a mesh
# SEEN: with 1000 kg/m³ the mass follows for all, and the inertia for boxes and capsules only: cylinders and spheres are 1000 times too light to turn
# VERSIONS: trimesh==5.2.0 numpy==2.4.6 scipy==1.17.1
# MATTERS: inertials written from primitives mix two scales; a link of a cylinder turns as if it weighed a thousandth
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check trimesh==5.2.0 numpy==2.4.6 scipy==1.17.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import trimesh

print("trimesh", version("trimesh"))
DENSITY = 1000.0
shapes = {
    "box": trimesh.primitives.Box(extents=(0.1, 0.2, 0.3)),
    "capsule": trimesh.primitives.Capsule(radius=0.1, height=0.4),
    "cylinder": trimesh.primitives.Cylinder(radius=0.1, height=0.4),
    "sphere": trimesh.primitives.Sphere(radius=0.1),
}
ratios = {}
for name, shape in shapes.items():
    light_mass, light = shape.mass, shape.moment_inertia[0, 0]
    shape.density = DENSITY
    ratios[name] = shape.moment_inertia[0, 0] / light
    print(f"{name}: mass {light_mass:.5f} to {shape.mass:.3f} kg, inertia {light:.3e} to {shape.moment_inertia[0, 0]:.3e} kg·m²")
mesh = trimesh.creation.cylinder(radius=0.1, height=0.4)
mesh.density = DENSITY
print(f"a cylinder as a mesh: {mesh.moment_inertia[0, 0]:.3e} kg·m²")
expected = {"box": DENSITY, "capsule": DENSITY, "cylinder": 1.0, "sphere": 1.0}
sys.exit(0 if all(np.isclose(ratios[name], expected[name], rtol=0.02) for name in shapes) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
