#!/usr/bin/env bash
# TITLE: vibrationtesting's SEREP keeps the lowest modes only if the retained coordinates are the first ones
# GUESS: a chain of three masses reduced to masses 1 and 3 keeps its two lowest frequencies, 0.44504 and 1.24698 rad/s, exactly
# SEEN: 0.48082 and 1.79338 rad/s: the first rows of the modes are taken in place of the retained ones; masses 1 and 2 give the two lowest
# VERSIONS: vibrationtesting==0.24 numpy==1.26.4 scipy==1.17.1 control==0.10.2 matplotlib==3.11.2 pandas==2.2.3
# MATTERS: a model reduced to the places of its sensors has other frequencies, by a method that is exact
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check vibrationtesting==0.24 numpy==1.26.4 scipy==1.17.1 control==0.10.2 matplotlib==3.11.2 pandas==2.2.3
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import pi, sin

import numpy as np
import vibrationtesting
from scipy.linalg import eigh, inv

print("vibrationtesting", version("vibrationtesting"))
MASS, STIFFNESS = np.diag([4.0, 4.0, 4.0]), np.array([[8.0, -4.0, 0.0], [-4.0, 8.0, -4.0], [0.0, -4.0, 4.0]])
exact = np.array([2 * sin((2 * k - 1) * pi / 14) for k in (1, 2, 3)])  # chain fixed at one end, free at the other
modes = eigh(STIFFNESS, MASS)[1][:, :2]
print("closed form of the chain:", exact.round(5), "rad/s")


def frequencies(mass: np.ndarray, stiffness: np.ndarray) -> np.ndarray:
    """Natural frequencies of a model [rad/s]."""
    return np.sqrt(eigh(stiffness, mass)[0])


is_as_seen = True
for retained in ([1, 2], [1, 3], [2, 3]):
    seen = frequencies(*vibrationtesting.serep(MASS, STIFFNESS, np.array([retained]))[:2])
    rows = np.array(retained) - 1
    by_definition = modes @ inv(modes[rows])
    by_first_rows = np.zeros((3, 2))
    by_first_rows[rows], by_first_rows[3 - sum(rows)] = np.eye(2), modes[2] @ inv(modes[:2])
    reference, expected = (frequencies(t.T @ MASS @ t, t.T @ STIFFNESS @ t) for t in (by_definition, by_first_rows))
    print(f"masses {retained}: {seen.round(5)} rad/s; by the definition {reference.round(5)}, with the first rows {expected.round(5)}")
    is_as_seen &= np.allclose(seen, expected) and np.allclose(reference, exact[:2])
    is_as_seen &= np.allclose(seen, reference) == (retained == [1, 2])
sys.exit(0 if is_as_seen else 1)
PYTHON
"$folder/venv/bin/python" seen.py
