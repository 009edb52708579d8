#!/usr/bin/env bash
# TITLE: InterpolatePy's double-S trajectory uses half of the acceleration allowed when the speed limit is not reached
# GUESS: 1.22 s for 0.5 m from rest to rest within 1 m/s, 2 m/s² and 10 m/s³, with 2 m/s² in use: the time-optimal profile that it names
# SEEN: 1.51 s and 1.01 m/s²; a move of 1 m, which reaches the speed limit, takes the optimal 1.7 s
# VERSIONS: interpolatepy==3.3.2 numpy==2.4.6
# MATTERS: short moves take a quarter more time than the drives allow, and a cycle time planned with it is too long
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check interpolatepy==3.3.2 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import sqrt

import numpy as np
from interpolatepy import DoubleSTrajectory, StateParams, TrajectoryBounds

print("interpolatepy", version("interpolatepy"))
V, A, J = 1.0, 2.0, 10.0


def planned(distance: float) -> tuple[float, float]:
    """Duration [s] and largest acceleration [m/s²] from rest to rest."""
    path = DoubleSTrajectory(StateParams(0, distance, 0, 0), TrajectoryBounds(V, A, J))
    times = np.linspace(0, path.get_duration(), 20001)
    return path.get_duration(), max(abs(path.evaluate_acceleration(t)) for t in times)


# Two equal halves, each with jerk for A/J twice and A in between: distance = v·(v/A + A/J) for the largest speed v.
speed = (-A * A / J + sqrt((A * A / J) ** 2 + 4 * A * 0.5)) / 2
optimum = 2 * (speed / A + A / J)
(short, used), (long, full) = planned(0.5), planned(1.0)
print(f"0.5 m: {short:.3f} s with {used:.3f} m/s²; optimum {optimum:.3f} s with {A} m/s² and {speed:.3f} of {V} m/s")
print(f"1.0 m: {long:.3f} s with {full:.3f} m/s²; optimum {1 / V + V / A + A / J:.3f} s")
sys.exit(0 if short > 1.2 * optimum and used < 0.52 * A and abs(long - 1.7) < 1e-6 and full > 0.999 * A else 1)
PYTHON
"$folder/venv/bin/python" seen.py
