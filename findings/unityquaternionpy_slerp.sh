#!/usr/bin/env bash
# TITLE: UnityQuaternionPy's `Slerp` is at 12 degrees after a quarter of a turn of 90 degrees
# GUESS: 22.5 degrees, as in Unity: a slerp turns at constant speed
# SEEN: 12.35 degrees: the fraction is eased by a cosine, and components are then mixed in straight lines; half-way and the ends are right
# VERSIONS: UnityQuaternionPy==0.1.2
# MATTERS: an interpolated orientation lags in the first half and leads in the second, by 10 degrees of 90
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check UnityQuaternionPy==0.1.2
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import atan2, cos, degrees, pi, radians, sin

from UnityQuaternion import Quaternion

print("UnityQuaternionPy", version("UnityQuaternionPy"))
WHOLE = 90.0
start, end = Quaternion.identity(), Quaternion.AngleAxis(WHOLE, (0.0, 0.0, 1.0))
is_as_seen = True
for fraction in (0.0, 0.25, 0.5, 0.75, 1.0):
    between = Quaternion.Slerp(start, end, fraction)
    seen = degrees(2 * atan2(between.z, between.w))
    eased = (1 - cos(pi * fraction)) / 2
    half = radians(WHOLE / 2)
    mixed = degrees(2 * atan2(eased * sin(half), 1 - eased + eased * cos(half)))
    print(f"fraction {fraction}: {seen:.3f} degrees; slerp {fraction * WHOLE:.3f}; components mixed after a cosine {mixed:.3f}")
    is_as_seen = is_as_seen and abs(seen - mixed) < 1e-9
sys.exit(0 if is_as_seen else 1)
PYTHON
"$folder/venv/bin/python" seen.py
