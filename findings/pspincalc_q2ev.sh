#!/usr/bin/env bash
# TITLE: PSpincalc's `Q2EV` does not undo its `EV2Q`
# GUESS: axis X and 0.5 rad come back
# SEEN: an axis of -0.969, -0.247, 0 and half a turn: `EV2Q` puts the scalar first, `Q2EV` takes the last element for it
# VERSIONS: PSpincalc==0.2.7 numpy==2.4.6 scipy==1.17.1
# MATTERS: each conversion to an Euler vector is another rotation, also those from Euler angles and matrices, which lead through `Q2EV`
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check PSpincalc==0.2.7 numpy==2.4.6 scipy==1.17.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from PSpincalc import PSpincalc
from scipy.spatial.transform import Rotation

print("PSpincalc", version("PSpincalc"))
quaternion = PSpincalc.EV2Q(np.array([1.0, 0.0, 0.0, 0.5]), ignoreAllChk=True).ravel()
expected = Rotation.from_rotvec([0.5, 0.0, 0.0])
back = PSpincalc.Q2EV(quaternion.copy()).ravel()
print(f"EV2Q of axis X and 0.5 rad: {quaternion.round(4)}; SciPy, scalar first: {np.roll(expected.as_quat(), 1).round(4)}")
print(f"Q2EV of it: {back.round(4)}; SciPy's rotation vector: {expected.as_rotvec().round(4)}")
is_first = np.allclose(quaternion, np.roll(expected.as_quat(), 1))
is_other = abs(abs(back[0]) - np.cos(0.25)) < 1e-9 and abs(back[3] - np.pi) < 1e-9
sys.exit(0 if is_first and is_other else 1)
PYTHON
"$folder/venv/bin/python" seen.py
