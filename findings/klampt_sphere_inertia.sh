#!/usr/bin/env bash
# TITLE: Klamp't estimates the inertia of a sphere primitive as that of its bounding box
# GUESS: 2/5·m·r², a solid ball, as its default of no mass at the surface states
# SEEN: 2/3·m·r², that of a cube of edge 2r, whatever the share at the surface; a mesh of the sphere is right
# VERSIONS: klampt==0.10.1.post1 numpy==2.4.6
# MATTERS: inertials filled in from primitives are 67 % too large for spheres, without a message
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check klampt==0.10.1.post1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose

from klampt import GeometricPrimitive, Geometry3D, Mass

print("klampt", version("klampt"))
MASS, R = 2.0, 0.1
ball, box = GeometricPrimitive(), GeometricPrimitive()
ball.setSphere([0, 0, 0], R)
box.setAABB([-R, -R, -R], [R, R, R])


def inertia(shape: GeometricPrimitive, surface: float = 0.0) -> float:
    mass = Mass()
    mass.estimate(Geometry3D(shape), MASS, surface)
    return float(mass.inertia[0])


seen, hollow, cube = inertia(ball), inertia(ball, 1.0), inertia(box)
print(f"ball {seen:.6f}, all mass at the surface {hollow:.6f}, cube around it {cube:.6f} kg·m²")
print(f"closed forms: ball {2 / 5 * MASS * R**2:.6f}, shell {2 / 3 * MASS * R**2:.6f} kg·m²")
sys.exit(0 if isclose(seen, cube, rel_tol=1e-9) and seen == hollow and isclose(seen, 2 / 3 * MASS * R**2) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
