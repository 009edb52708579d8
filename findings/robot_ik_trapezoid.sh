#!/usr/bin/env bash
# TITLE: robot-ik's trapezoidal profile turns back before its end if the duration is longer than needed
# GUESS: 1 rad within 1 rad/s and 2 rad/s² stretched from 1.5 s to 3 s arrives slowly, at 1 rad just before the end
# SEEN: at 1 rad after 2.25 s, then backwards at up to 1.48 rad/s to 0.4524 rad at 2.99 s, and at 1 rad again at 3 s; in 1.5 s it is right
# VERSIONS: robot-ik==0.4.0 numpy==1.26.4
# MATTERS: joints synchronised to a slower one run away and jump: 0.55 rad in one sample of 10 ms
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check robot-ik==0.4.0 numpy==1.26.4
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from robot_ik import trapezoidal_velocity_profile

print("robot-ik", version("robot-ik"))


def planned(duration: float):
    """One joint from 0 to 1 rad within 1 rad/s and 2 rad/s²."""
    return trapezoidal_velocity_profile(
        np.array([0.0]), np.array([1.0]), duration, v_max=np.array([1.0]), a_max=np.array([2.0]), dt=0.01
    )


shortest, stretched = planned(1.5), planned(3.0)
for name, path in (("1.5 s", shortest), ("3.0 s", stretched)):
    q, v = path.joint_positions[:, 0], path.joint_velocities[:, 0]
    print(f"{name}: largest {q.max():.4f} rad after {path.time_points[q.argmax()]:.2f} s, last but one {q[-2]:.4f}, "
          f"last {q[-1]:.4f} rad; lowest rate {v.min():.4f} rad/s")
# Cruising at 0.5 rad/s and braking with 2 rad/s² from 2 s on, past rest at 2.25 s, until 2.99 s.
backwards = 1 - 2 / 2 * (2.99 - 2.25) ** 2
print(f"braking on past rest: {backwards:.4f} rad at 2.99 s")
q = stretched.joint_positions[:, 0]
is_right_when_shortest = abs(shortest.joint_positions[-2, 0] - 0.9999) < 1e-9 and shortest.joint_velocities.min() >= 0
sys.exit(0 if abs(q[-2] - backwards) < 1e-9 and q[-1] == 1.0 and is_right_when_shortest else 1)
PYTHON
"$folder/venv/bin/python" seen.py
