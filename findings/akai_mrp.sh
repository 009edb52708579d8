#!/usr/bin/env bash
# TITLE: akai-transform's modified Rodrigues parameters are not those of SciPy
# GUESS: tan(θ/4) = 0.2553 for a turn of 1 rad, as SciPy's `as_mrp`; its docs name modified Rodrigues parameters without a formula
# SEEN: 2 sin(θ/2) = 0.9589, the vector of Tsai and Lenz for hand-eye calibration; `mrp2rmat` reads it back as such
# VERSIONS: akai-transform==1.0.0 numpy==2.4.6 scipy==1.17.1
# MATTERS: parameters exchanged with another program are another rotation: SciPy reads these as a turn of 3.06 rad
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check akai-transform==1.0.0 numpy==2.4.6 scipy==1.17.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import sin, tan

import numpy as np
from akai_transform import tf3d
from scipy.spatial.transform import Rotation

print("akai-transform", version("akai-transform"))
axis, angle = np.array([0.6, 0.0, 0.8]), 1.0
seen = tf3d.rvec2mrp(axis, angle)
turn = Rotation.from_rotvec(angle * axis)
print(f"rvec2mrp {seen.round(4)}; SciPy {turn.as_mrp().round(4)}; "
      f"2 sin(θ/2) {2 * sin(angle / 2):.4f}, tan(θ/4) {tan(angle / 4):.4f} along the axis")
print(f"SciPy reads it as a turn of {Rotation.from_mrp(seen).magnitude():.4f} rad")
is_read_back = np.allclose(tf3d.mrp2rmat(seen)[:3, :3], turn.as_matrix())
sys.exit(0 if np.allclose(seen, 2 * sin(angle / 2) * axis) and is_read_back else 1)
PYTHON
"$folder/venv/bin/python" seen.py
