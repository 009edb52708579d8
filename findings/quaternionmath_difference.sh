#!/usr/bin/env bash
# TITLE: quaternionmath subtracts the other way round
# GUESS: (5 + i) - 2 is 3 + i, and 10 - 2 with the 2 as quaternion is 8
# SEEN: -3 - i and -8: each difference has the opposite sign; sums and products are right
# VERSIONS: quaternionmath==1.0.1
# MATTERS: an orientation error that is a difference drives away from its goal
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check quaternionmath==1.0.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

from quaternionmath import Quaternion

print("quaternionmath", version("quaternionmath"))


def parts(q: Quaternion) -> tuple[float, ...]:
    """Components, real part first."""
    return (q.a, q.b, q.c, q.d)


first, second = Quaternion(5, 1, 0, 0), Quaternion(2, 0, 0, 0)
difference, number = parts(first - second), parts(10 - second)
print(f"(5 + i) - 2 = {difference}; closed form (3, 1, 0, 0)")
print(f"10 - 2 = {number}; closed form (8, 0, 0, 0)")
print(f"(5 + i) + 2 = {parts(first + second)}, (5 + i) * 2 = {parts(first * second)}")
is_right = parts(first + second) == (7, 1, 0, 0) and parts(first * second) == (10, 2, 0, 0)
sys.exit(0 if is_right and difference == (-3, -1, 0, 0) and number == (-8, 0, 0, 0) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
