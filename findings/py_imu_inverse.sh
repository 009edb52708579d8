#!/usr/bin/env bash
# TITLE: py-imu's inverse of a quaternion times the quaternion is its norm, not 1
# GUESS: 0.5 for (2, 0, 0, 0): the conjugate by the square of the norm
# SEEN: 1: the conjugate is divided by the norm; (1, 2, 3, 4) times its inverse is 5.48, √30
# VERSIONS: py-imu==0.1.0 numpy==2.4.6 loguru==0.7.3
# MATTERS: a product that is to cancel scales, unless each quaternion was normalized before
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check py-imu==0.1.0 numpy==2.4.6 loguru==0.7.3
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose

from py_imu.fusion.quaternion import Quaternion

print("py-imu", version("py-imu"))
seen = []
for components in ((2.0, 0.0, 0.0, 0.0), (1.0, 2.0, 3.0, 4.0), (0.5, 0.5, 0.5, 0.5)):
    quaternion, square = Quaternion(*components), sum(c * c for c in components)
    inverse = quaternion.inverse
    product = quaternion * inverse
    seen.append((product.w, square**0.5, inverse.w, components[0] / square))
    print(f"{components}: real part of the inverse {inverse.w:.4f}, closed form {components[0] / square:.4f}; "
          f"quaternion times inverse {product.w:.4f}, by definition 1, norm {square**0.5:.4f}")
sys.exit(0 if all(isclose(product, norm, rel_tol=1e-9) for product, norm, *_ in seen) and seen[0][2] == 1.0 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
