#!/usr/bin/env bash
# TITLE: roboticstoolbox's `mstraj` moves faster than its qdmax
# GUESS: no joint exceeds 1 rad/s, the maximum speed stated
# SEEN: 1.21 rad/s in a blend; without blends (`tacc=0`) the bound holds
# VERSIONS: roboticstoolbox-python==1.5.0 numpy==2.4.6
# MATTERS: a path planned to the rated speed of a joint exceeds it by a fifth
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check roboticstoolbox-python==1.5.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import roboticstoolbox

print("roboticstoolbox-python", version("roboticstoolbox-python"))
POINTS = np.array([[0.0, 0.0], [1.0, 0.3], [0.2, 1.0]])


def largest(tacc: float) -> np.ndarray:
    """Largest speed of each joint, away from the ends, where blends are absent for tacc = 0 [rad/s]."""
    q = roboticstoolbox.mstraj(POINTS, dt=0.001, tacc=tacc, qdmax=[1.0, 1.0]).q
    return np.abs(np.diff(q, axis=0) / 0.001)[5:-5].max(axis=0)


blended, sharp = largest(0.5), largest(0.0)
print(f"largest speeds for qdmax = 1 rad/s: tacc 0.5 s {blended.round(3)}, tacc 0 {sharp.round(3)}")
sys.exit(0 if blended.max() > 1.2 and sharp.max() < 1.001 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
