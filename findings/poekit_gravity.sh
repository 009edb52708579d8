#!/usr/bin/env bash
# TITLE: poekit's gravity torque of a hinge does not depend on its angle
# GUESS: 1 kg at 0.2 m on a horizontal hinge: -1.962 N·m at 0 and -0.711 N·m at 1.2 rad, as the cosine goes
# SEEN: -1.962 N·m at any angle, without a message: the first joint's motion is left out of the gravity seen by the links
# VERSIONS: poekit==0.1.0 numpy==1.26.4 sympy==1.14.0 scipy==1.14.1 matplotlib==3.9.2
# MATTERS: an arm whose first joint is not vertical is compensated for another pose
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check poekit==0.1.0 numpy==1.26.4 sympy==1.14.0 scipy==1.14.1 matplotlib==3.9.2
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import cos, isclose

import numpy as np
from poekit.inertia_utils import InertiaUtils
from poekit.potential_utils import PotentialUtils

print("poekit", version("poekit"))
MASS, X, TENSOR, G = 1.0, 0.2, (0.02, 0.03, 0.04), 9.81
link = np.array([[X, 0, 0, *TENSOR, MASS]]).T
seen = []
for angle in (0.0, 0.3, 1.2):
    twist = np.array([[0, 0, 0, 0, 1, 0, angle]], dtype=float).T  # about Y through the origin
    torque = float(PotentialUtils.N_potential_Aij(twist, link, np.array([0, 0, -G]))[0])
    inertia = float(InertiaUtils.M_inertia_Aij(twist, link)[0, 0])
    seen.append(torque)
    print(f"{angle} rad: torque {torque:.4f} N·m, closed form {-MASS * G * X * cos(angle):.4f}; "
          f"inertia {inertia:.4f} kg·m², closed form {TENSOR[1] + MASS * X**2:.4f}")
is_constant = all(isclose(torque, -MASS * G * X, rel_tol=1e-9) for torque in seen)
sys.exit(0 if is_constant and isclose(inertia, TENSOR[1] + MASS * X**2, rel_tol=1e-9) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
