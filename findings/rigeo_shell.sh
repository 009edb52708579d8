#!/usr/bin/env bash
# TITLE: rigeo's hollow ellipsoid is not a shell with its mass uniform over the surface, as its docs say
# GUESS: 0.512 kg·m² about X for 2 kg and half extents of 0.1, 0.1 and 1 m, by integration over the surface
# SEEN: 0.446 kg·m²: the formula has the form of that for a hollow box; a sphere is right
# VERSIONS: numpy==2.4.6 scipy==1.17.1 cvxpy==1.7.5 tqdm==4.70.1 pycddlib-standalone==3.0.0 rigeo==0.2.0
# MATTERS: the inertia of a slim shell is 13 % too small
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 cvxpy==1.7.5 tqdm==4.70.1 pycddlib-standalone==3.0.0
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps rigeo==0.2.0
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from rigeo import Ellipsoid

print("rigeo", version("rigeo"))
MASS = 2.0


def about_x(radius: float, half_length: float) -> float:
    """Moment of inertia [kg·m²] about X of a shell that is round about Z, by the midpoint rule over its rings."""
    angle = (np.arange(100_000) + 0.5) * np.pi / 100_000
    ring, height = radius * np.sin(angle), half_length * np.cos(angle)
    weight = ring * np.hypot(radius * np.cos(angle), half_length * np.sin(angle))
    return MASS * float(np.average(ring**2 / 2 + height**2, weights=weight))


seen = {}
for radius, half_length in ((0.1, 1.0), (0.5, 0.5)):
    inertia = Ellipsoid(half_extents=[radius, radius, half_length]).hollow_density_params(MASS).I[0, 0]
    seen[half_length] = inertia, about_x(radius, half_length)
    print(f"half extents {radius}, {radius}, {half_length} m: {inertia:.4f} kg·m²; integral {seen[half_length][1]:.4f}")
print(f"closed form of the sphere {2 / 3 * MASS * 0.5**2:.4f}")
slim, integral = seen[1.0]
sys.exit(0 if abs(slim - 0.44590) < 1e-4 and slim < 0.88 * integral and abs(seen[0.5][0] - seen[0.5][1]) < 1e-6 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
