#!/usr/bin/env bash
# TITLE: InterpolatePy plans thirty thousand million seconds for waypoints without a speed limit
# GUESS: about a second: each segment accelerates with the 10 m/s² stated, since vmax is None by default, no limit
# SEEN: 3e10 s, without a message; with vmax = 1 it is 3.3 s, and with instants for the waypoints vmax is exceeded by 84 %
# VERSIONS: interpolatepy==3.3.2 numpy==2.4.6
# MATTERS: a robot that follows it stands still, and a loop over its samples never ends; limits hold only without instants
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check interpolatepy==3.3.2 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from interpolatepy import InterpolationParams, TrapezoidalTrajectory

print("interpolatepy", version("interpolatepy"))
POINTS = [0.0, 1.0, 0.5, 2.0]


def planned(**options: object) -> tuple[float, float]:
    """Duration [s] and largest speed [m/s] along the waypoints."""
    path, duration = TrapezoidalTrajectory.interpolate_waypoints(InterpolationParams(POINTS, amax=10.0, **options))
    return duration, max(abs(path(t)[1]) for t in np.linspace(0, duration, 4001))


endless, limited, timed = planned(), planned(vmax=1.0), planned(vmax=1.0, times=[0.0, 1.0, 2.0, 3.0])
for name, (duration, speed) in {"no vmax": endless, "vmax 1": limited, "vmax 1, instants": timed}.items():
    print(f"{name}: {duration:.4g} s, largest speed {speed:.3f} m/s")
sys.exit(0 if endless[0] > 1e10 and limited[1] <= 1.0 + 1e-9 and timed[1] > 1.8 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
