#!/usr/bin/env bash
# TITLE: basic_robotics' interpolated midpoint of two orientations is off the middle
# GUESS: 0.5 rad between no turn and one of 1 rad about Z: its docs name a proper interpolation
# SEEN: 0.6525 rad: the rotation matrix is halved before its logarithm is taken, not the logarithm
# VERSIONS: basic-robotics==1.0.2 numpy==2.4.6
# MATTERS: the middle pose of a path with a turn of 1 rad is turned 9 degrees too far
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check basic-robotics==1.0.2 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

from basic_robotics.general import fsr, tm

print("basic-robotics", version("basic-robotics"))
middle = {angle: float(fsr.tmInterpMidpoint(tm(), tm([0, 0, 0, 0, 0, angle])).TAA.flatten()[5]) for angle in (0.2, 1.0, 2.0)}
for angle, at in middle.items():
    print(f"between 0 and {angle} rad about Z: {at:.4f} rad")
sys.exit(0 if abs(middle[1.0] - 0.65254) < 1e-4 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
