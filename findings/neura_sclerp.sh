#!/usr/bin/env bash
# TITLE: neura-dual-quaternions' `sclerp` moves along a straight line, not along a screw
# GUESS: halfway to a quarter turn about Z at (1, 0, 0) the position is (0.5, -0.2071, 0), on a circle about (0.5, 0.5)
# SEEN: (0.5, 0, 0): position and turn are interpolated each for itself; the same by its own `power` is (0.5, -0.2071, 0)
# VERSIONS: neura-dual-quaternions==0.0.4 numpy==1.26.4
# MATTERS: a tool that should turn about a fixed point, as a door or a screw does, leaves it on the way
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check neura-dual-quaternions==0.0.4 numpy==1.26.4
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import cos, pi, sin, sqrt

import numpy as np
from neura_dual_quaternions import DualQuaternion, Quaternion

print("neura-dual-quaternions", version("neura-dual-quaternions"))
start = DualQuaternion.fromQuatPos(Quaternion(1, 0, 0, 0), [0.0, 0.0, 0.0])
end = DualQuaternion.fromQuatPos(Quaternion(cos(pi / 4), 0, 0, sin(pi / 4)), [1.0, 0.0, 0.0])
middle = DualQuaternion.sclerp(start, end, 0.5)
by_power = start * (start.inverse() * end).power(0.5)
on_screw = np.array([0.5, 0.5 - sqrt(0.5), 0.0])  # the motion turns about (0.5, 0.5), at a distance of sqrt(0.5)
for name, pose in (("sclerp", middle), ("power", by_power)):
    print(f"{name}: position {pose.getPosition().ravel().round(6)}, turn {2 * np.arctan2(pose.real.z, pose.real.w):.6f} rad; "
          f"closed form {on_screw.round(6)}, {pi / 4:.6f} rad")
is_power = np.allclose(by_power.getPosition().ravel(), on_screw)
sys.exit(0 if is_power and np.allclose(middle.getPosition().ravel(), [0.5, 0, 0]) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
