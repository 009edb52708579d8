#!/usr/bin/env bash
# TITLE: CasADi's bspline interpolant is 0 outside its grid
# GUESS: the last polynomial goes on, as the method linear goes on with its last line
# SEEN: 0, both sides, without a message; linear is 186 at 6 where the grid ends at 125
# VERSIONS: casadi==3.8.2 numpy==2.4.6
# MATTERS: a motor's curve or a cam beyond its table gives no torque and no displacement at all, with a jump at the last knot
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check casadi==3.8.2 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import casadi
import numpy as np

print("casadi", version("casadi"))
grid = np.linspace(0.0, 5.0, 6)
spline = casadi.interpolant("spline", "bspline", [grid], grid**3)
linear = casadi.interpolant("linear", "linear", [grid], grid**3)
for x in (-1.0, 2.5, 4.999, 6.0):
    print(f"x = {x}: cubic {x**3:.3f}, bspline {float(spline(x)):.3f}, linear {float(linear(x)):.3f}")
inside = abs(float(spline(2.5)) - 2.5**3) < 1e-9
sys.exit(0 if inside and float(spline(6.0)) == 0.0 == float(spline(-1.0)) and float(linear(6.0)) == 186.0 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
