#!/usr/bin/env bash
# TITLE: rowan's `riemann_log_map` does not undo its `riemann_exp_map`, as its docs say it does
# GUESS: exp_p(log_p(q)) is q, a turn by 0.8 rad
# SEEN: a turn by -0.4 rad: the logarithm has the opposite sign, so the geodesic leads away from q
# VERSIONS: rowan==1.3.2 numpy==2.4.6
# MATTERS: an average or an interpolation of orientations that steps along it diverges from its goal
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check rowan==1.3.2 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import rowan

print("rowan", version("rowan"))
start, goal = (rowan.from_axis_angle([0, 0, 1], angle) for angle in (0.2, 0.8))
step = rowan.geometry.riemann_log_map(start, goal)
reached = rowan.geometry.riemann_exp_map(start, step)
angle = 2 * np.arctan2(reached[3], reached[0])
print(f"riemann_log_map(0.2 rad, 0.8 rad about Z) {step.round(4)}; riemann_exp_map of it leads to {angle:.4f} rad")
sys.exit(0 if abs(angle + 0.4) < 1e-6 and abs(step[3] + 0.3) < 1e-6 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
