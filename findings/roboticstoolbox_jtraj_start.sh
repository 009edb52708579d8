#!/usr/bin/env bash
# TITLE: roboticstoolbox's `jtraj` over times from 1 s to 3 s does not start at its first position
# GUESS: from q0 at 1 s to q1 at 3 s, as over 0 to 2 s and as `quintic` does
# SEEN: at 1 s it is 21 % of the way, and its largest speed is 0.625 for 0.9375 rad/s: times are divided by the last of them
# VERSIONS: roboticstoolbox-python==1.5.0 numpy==2.4.6
# MATTERS: a motion planned for a later part of a run begins with a jump
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
early, late = np.linspace(0, 2, 201), np.linspace(1, 3, 201)
for name, motion in (
    ("jtraj from 0 s", roboticstoolbox.jtraj([0.0], [1.0], early)),
    ("jtraj from 1 s", roboticstoolbox.jtraj([0.0], [1.0], late)),
    ("quintic from 1 s", roboticstoolbox.quintic(0.0, 1.0, late)),
):
    q, speed = np.ravel(motion.q), np.ravel(motion.qd).max()
    print(f"{name}: position {q[0]:.4f} to {q[-1]:.4f}, largest speed {speed:.4f}")
first = float(roboticstoolbox.jtraj([0.0], [1.0], late).q[0, 0])
s = 1 / 3
sys.exit(0 if abs(first - (6 * s**5 - 15 * s**4 + 10 * s**3)) < 1e-9 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
