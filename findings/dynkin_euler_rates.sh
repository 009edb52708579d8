#!/usr/bin/env bash
# TITLE: dynkin gives a body that is rolled and pitched another roll rate than its attitude has
# GUESS: 0.148 rad/s, sin 0.5 · tan 0.3, for roll 0.5, pitch 0.3 and 1 rad/s about the body's own Y
# SEEN: 0.458 rad/s, sin 0.5 · cos 0.3; the attitude of the body, turned on for a moment, changes at 0.148 rad/s; pitch and yaw rates are right
# VERSIONS: dynkin==0.2.1 numpy==2.4.6
# MATTERS: an attitude integrated from its generalized velocities leaves that of the body
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check dynkin==0.2.1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import cos, isclose, sin, tan

import numpy as np
from dynkin import RigidBody

print("dynkin", version("dynkin"))
ROLL, PITCH, STEP = 0.5, 0.3, 1e-6
body = RigidBody.from_mass_gyradii(1.0, [1.0, 1.0, 1.0], cog=[0.0, 0.0, 0.0])
body.set_attitude([ROLL, PITCH, 0.0])
body.set_angular_velocity([0.0, 1.0, 0.0])
seen = body.generalized_velocities()[3:]
before, rotation = body.attitude, body.rotation.copy()
turn = np.array([[cos(STEP), 0.0, sin(STEP)], [0.0, 1.0, 0.0], [-sin(STEP), 0.0, cos(STEP)]])  # about the body's Y
body.set_rotation(rotation @ turn)
by_attitude = (body.attitude - before) / STEP
exact = np.array([sin(ROLL) * tan(PITCH), cos(ROLL), sin(ROLL) / cos(PITCH)])
print(f"rates of roll, pitch, yaw [rad/s]: {seen.round(4)}; of its attitude {by_attitude.round(4)}; closed form {exact.round(4)}")
is_as_seen = isclose(seen[0], sin(ROLL) * cos(PITCH), rel_tol=1e-9) and np.allclose(seen[1:], exact[1:], rtol=1e-9)
sys.exit(0 if is_as_seen and np.allclose(by_attitude, exact, atol=1e-5) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
