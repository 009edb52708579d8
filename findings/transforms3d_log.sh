#!/usr/bin/env bash
# TITLE: transforms3d's logarithm of the identity is 1, and so are the exponential and the powers of each real quaternion
# GUESS: log (1, 0, 0, 0) is 0, exp (1, 0, 0, 0) is e = 2.718, and (2, 0, 0, 0) squared is (4, 0, 0, 0)
# SEEN: (1, 0, 0, 0) each time; a turn of 1e-6 rad has the right logarithm, 5e-7
# VERSIONS: transforms3d==0.4.2 numpy==2.4.6
# MATTERS: the error of an orientation that is reached is as long as that of one 2 rad away
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check transforms3d==0.4.2 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import cos, e, sin

import numpy as np
from transforms3d.quaternions import qexp, qlog, qpow

print("transforms3d", version("transforms3d"))
log, exp, power = qlog([1.0, 0, 0, 0]), qexp([1.0, 0, 0, 0]), qpow([2.0, 0, 0, 0], 2)
print(f"log of 1: {log}; closed form 0")
print(f"exp of 1: {exp}; closed form {e:.4f}, 0, 0, 0")
print(f"square of 2: {power}; closed form 4, 0, 0, 0")
lengths = {}
for angle in (2.0, 1e-6, 0.0):
    lengths[angle] = float(np.linalg.norm(qlog([cos(angle / 2), 0, 0, sin(angle / 2)])))
    print(f"turn of {angle} rad: length of the logarithm {lengths[angle]:.3g}; closed form {angle / 2:.3g}")
near = abs(lengths[2.0] - 1.0) < 1e-12 and abs(lengths[1e-6] - 5e-7) < 1e-10 and lengths[0.0] == 1.0
sys.exit(0 if near and all(np.array_equal(found, [1, 0, 0, 0]) for found in (log, exp, power)) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
