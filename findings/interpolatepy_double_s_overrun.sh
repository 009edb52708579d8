#!/usr/bin/env bash
# TITLE: InterpolatePy's double-S trajectory ends elsewhere and at full speed where it cannot stop in time
# GUESS: from 1 m/s to rest 0.3 m ahead, where 0.35 m are needed: an error, or past the goal and back
# SEEN: 0.6 s at 1 m/s, and an end at 0.6 m, twice the goal, still at 1 m/s, without a message; 0.4 m ahead is right
# VERSIONS: interpolatepy==3.3.2 numpy==2.4.6
# MATTERS: a goal that moves closer during a motion is passed without braking
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check interpolatepy==3.3.2 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose

from interpolatepy import DoubleSTrajectory, StateParams, TrajectoryBounds

print("interpolatepy", version("interpolatepy"))
V, A, J = 1.0, 2.0, 10.0
needed = V / 2 * (V / A + A / J)


def end(goal: float) -> tuple[float, float]:
    """Position [m] and speed [m/s] at the end of a stop from V at a goal."""
    path = DoubleSTrajectory(StateParams(0, goal, V, 0), TrajectoryBounds(V, A, J))
    duration = path.get_duration()
    position, speed = path.evaluate(duration), path.evaluate_velocity(duration)
    print(f"stop from {V} m/s within {goal} m ({needed:.2f} m needed): "
          f"ends after {duration:.3f} s at {position:.3f} m with {speed:.3f} m/s")
    return position, speed


far, near = end(0.4), end(0.3)
is_right = isclose(far[0], 0.4, abs_tol=1e-6) and isclose(far[1], 0.0, abs_tol=1e-6)
sys.exit(0 if is_right and isclose(near[0], 0.6, rel_tol=1e-6) and isclose(near[1], V, rel_tol=1e-6) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
