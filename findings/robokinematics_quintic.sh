#!/usr/bin/env bash
# TITLE: RoboKinematics' quintic trajectory exchanges the first and last accelerations, and misses its goal
# GUESS: from 0 to 1 in 2 s with a first acceleration of 1: 1 at the end, at rest
# SEEN: 3 at the end, still moving at 2 per second; with accelerations of 0, or equal ones, it ends at 1
# VERSIONS: RoboKinematics==1.0.2 numpy==2.4.6 scipy==1.17.1 matplotlib==3.9.4
# MATTERS: a segment that starts or ends under acceleration jumps where the next one begins
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check RoboKinematics==1.0.2 numpy==2.4.6 scipy==1.17.1 matplotlib==3.9.4
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from RoboKinematics import CreateKinematicModel

print("RoboKinematics", version("RoboKinematics"))
DURATION, START, GOAL = 2.0, 0.0, 1.0


def end(first: float, last: float) -> np.ndarray:
    """Position, speed and acceleration at the end, for zero speeds and the accelerations given."""
    return np.array(CreateKinematicModel.quintic_trajectory(0.0, DURATION, [START, GOAL], 0.0, 0.0, first, last, DURATION))


def by_conditions(first: float, last: float) -> np.ndarray:
    """The same by the six end conditions of a polynomial of degree 5, solved."""
    T = DURATION
    rows = [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 2, 0, 0, 0], [T**i for i in range(6)],
            [i * T ** max(i - 1, 0) for i in range(6)], [i * (i - 1) * T ** max(i - 2, 0) for i in range(6)]]
    coefficients = np.linalg.solve(np.array(rows, float), [START, 0.0, first, GOAL, 0.0, last])
    return np.array(rows[3:]) @ coefficients


seen = {pair: end(*pair) for pair in ((0.0, 0.0), (1.0, 1.0), (1.0, 0.0))}
for pair, found in seen.items():
    print(f"accelerations {pair}: ends at {found.round(4)}; by the end conditions {by_conditions(*pair).round(4) + 0.0}")
is_as_seen = all(np.allclose(seen[pair], by_conditions(*pair), atol=1e-9) for pair in ((0.0, 0.0), (1.0, 1.0)))
sys.exit(0 if is_as_seen and np.allclose(seen[1.0, 0.0][:2], [3.0, 2.0], atol=1e-9) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
