#!/usr/bin/env bash
# TITLE: coal separates a sphere whose centre is inside a cylinder sideways, even if the end cap is closer
# GUESS: signed distance -0.07 m, the shortest way out through the cap
# SEEN: -0.13 m, the way out through the side
# VERSIONS: coal==3.0.3 numpy==2.4.6
# MATTERS: a penetration depth from coal may be larger than the shortest separation as soon as a sphere is deep inside a cylinder
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check coal==3.0.3 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
from importlib.metadata import version

for package in ("coal",):
    print(package, version(package))

import sys

import coal
import numpy as np

sphere, cylinder = coal.Sphere(0.05), coal.Cylinder(0.1, 0.4)  # radius; radius and full height [m]
at_sphere, at_cylinder = coal.Transform3s(), coal.Transform3s()
at_sphere.setTranslation(np.array([0.02, 0.0, 0.18]))
result = coal.DistanceResult()
distance = coal.distance(sphere, at_sphere, cylinder, at_cylinder, coal.DistanceRequest(), result)
through_cap = -(0.2 - 0.18 + 0.05)
through_side = -(0.1 - 0.02 + 0.05)
print(f"coal: {distance:.6f} m; through the cap {through_cap:.2f} m, through the side {through_side:.2f} m")
sys.exit(0 if abs(distance - through_side) < 1e-6 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
