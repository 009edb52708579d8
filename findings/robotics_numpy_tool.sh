#!/usr/bin/env bash
# TITLE: robotics-numpy counts the tool twice in the Jacobian
# GUESS: 1.7 and 0.7 m/s along Y for two links of 1 and 0.5 m with a tool of 0.2 m, as the difference of `fkine` gives
# SEEN: 1.9 and 0.9 m/s
# VERSIONS: robotics-numpy==0.1.0 numpy==2.4.6
# MATTERS: velocities and forces at a tool, and inverse kinematics by this Jacobian, belong to an arm with a longer tool
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check robotics-numpy==0.1.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from robotics_numpy.models.dh_link import RevoluteDH
from robotics_numpy.models.dh_robot import DHRobot
from robotics_numpy.transforms.pose import SE3

print("robotics-numpy", version("robotics-numpy"))
STEP = 1e-6
seen = {}
for tool in (0.0, 0.2):
    arm = DHRobot([RevoluteDH(a=1.0), RevoluteDH(a=0.5)], tool=SE3.Trans(tool, 0, 0))
    jacobian = arm.jacob0([0.0, 0.0])[1]
    moved = [(arm.fkine(list(row)).t[1] - arm.fkine(list(-row)).t[1]) / (2 * STEP) for row in STEP * np.eye(2)]
    seen[tool] = jacobian, np.array(moved)
    print(f"tool {tool} m: Jacobian {jacobian.round(4)}, difference of fkine {np.round(moved, 4)}; "
          f"closed form {1.5 + tool:.1f}, {0.5 + tool:.1f}")
is_twice = np.allclose(seen[0.2][0], seen[0.2][1] + 0.2, atol=1e-6)
sys.exit(0 if is_twice and np.allclose(*seen[0.0], atol=1e-6) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
