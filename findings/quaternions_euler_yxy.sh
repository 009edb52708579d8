#!/usr/bin/env bash
# TITLE: quaternions gives Euler angles in the order yxy a quaternion that is no rotation
# GUESS: angles 0.1, 0.2, 0.3 give a unit quaternion with z = 0.00997, as SciPy's YXY
# SEEN: norm 1.00487 and z = -0.09933, a cosine in place of a sine; the other eleven orders agree with SciPy
# VERSIONS: quaternions==0.6 numpy==1.26.4 scipy==1.17.1
# MATTERS: a wrist with this order points elsewhere, and vectors that it turns get longer
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check quaternions==0.6 numpy==1.26.4 scipy==1.17.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from itertools import product
from math import cos, isclose, sin

import numpy as np
from quaternions import Quaternion
from scipy.spatial.transform import Rotation

print("quaternions", version("quaternions"))
ANGLES = [0.1, 0.2, 0.3]
first, middle, last = ANGLES
wrong = []
for order in ("".join(axes) for axes in product("xyz", repeat=3) if axes[0] != axes[1] != axes[2]):
    q = Quaternion.from_euler(ANGLES, list(order))
    parts, reference = np.array([q.w, q.x, q.y, q.z]), np.roll(Rotation.from_euler(order.upper(), ANGLES).as_quat(), 1)
    if not np.allclose(parts, reference):
        wrong.append(order)
        print(f"{order}: {parts.round(5)}, norm {np.linalg.norm(parts):.5f}; SciPy {reference.round(5)}")
z = Quaternion.from_euler(ANGLES, ["y", "x", "y"]).z
print(f"orders that differ from SciPy: {wrong}")
print(f"z {z:.5f}; closed form {sin(middle / 2) * sin((last - first) / 2):.5f}, with a cosine {-sin(middle / 2) * cos((first - last) / 2):.5f}")
sys.exit(0 if wrong == ["yxy"] and isclose(z, -sin(middle / 2) * cos((first - last) / 2), rel_tol=1e-9) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
