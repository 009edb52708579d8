#!/usr/bin/env bash
# TITLE: quantities converts 60 rpm to 6.28 Hz, although `rps` is its other name for hertz
# GUESS: 1 Hz, one revolution a second
# SEEN: 6.283 Hz and 6.283 rps: a revolution counts as 2π, and hertz as 1/s (its issue 174, open since 2020)
# VERSIONS: quantities==0.16.4 numpy==2.4.6
# MATTERS: the frequency of an unbalance computed from the speed of a motor is off by 2π
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check quantities==0.16.4 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import pi

import quantities as pq

print("quantities", version("quantities"))
speed = 60.0 * pq.rpm
in_hertz, in_rps = (float(speed.rescale(unit).magnitude) for unit in (pq.Hz, pq.rps))
in_angle = float(speed.rescale("rad/s").magnitude)
print(f"60 rpm: {in_hertz:.4f} Hz, {in_rps:.4f} rps, {in_angle:.4f} rad/s; by counting: {60 / 60} turns/s, {2 * pi * 60 / 60:.4f} rad/s")
sys.exit(0 if abs(in_hertz - 2 * pi) < 1e-9 and abs(in_rps - 2 * pi) < 1e-9 and abs(in_angle - 2 * pi) < 1e-9 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
