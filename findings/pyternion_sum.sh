#!/usr/bin/env bash
# TITLE: pyternion's sum of two quaternions multiplies their components
# GUESS: (1, 2, 3, 4) + (5, 6, 7, 8) is 6+8i+10j+12k, and i + j is 0+1i+1j+0k
# SEEN: 5+12i+21j+32k and 0: `+` is the product component by component; `*` is right
# VERSIONS: Pyternion==1.0
# MATTERS: a mean or an increment of orientations is another quaternion, often none
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check Pyternion==1.0
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

from pyternion import Quaternion

print("pyternion", version("pyternion"))
first, second = (1, 2, 3, 4), (5, 6, 7, 8)
total, units = tuple(Quaternion(*first) + Quaternion(*second)), tuple(Quaternion.i + Quaternion.j)
print(f"{first} + {second} = {total}; closed form {tuple(a + b for a, b in zip(first, second))}")
print(f"i + j = {units}; closed form (0, 1, 1, 0)")
product = tuple(Quaternion.i * Quaternion.j)
print(f"i * j = {product}; closed form (0, 0, 0, 1)")
is_product = total == tuple(a * b for a, b in zip(first, second)) and units == (0, 0, 0, 0)
sys.exit(0 if is_product and product == (0, 0, 0, 1) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
