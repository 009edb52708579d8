#!/usr/bin/env bash
# TITLE: openTorsion counts a shaft that is given by its moment of inertia six times
# GUESS: disks of 1 and 2 kg·m² and a shaft of 0.6 kg·m² between them: all elements of the mass matrix add up to 3.6 kg·m²
# SEEN: 6.6 kg·m²: the matrix [[2, 1], [1, 2]] is multiplied by the inertia, not by a sixth of it; a shaft given by its diameter is right
# VERSIONS: opentorsion==0.3.2 numpy==1.26.4 scipy==1.17.1 matplotlib==3.11.2
# MATTERS: torsional frequencies of a drive train come out too low where shafts are taken from a data sheet
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check opentorsion==0.3.2 numpy==1.26.4 scipy==1.17.1 matplotlib==3.11.2
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose, pi, sqrt

from opentorsion import Assembly, Disk, Shaft

print("openTorsion", version("opentorsion"))
SHAFT, LEFT, RIGHT, STIFFNESS = 0.6, 1.0, 2.0, 1000.0
train = Assembly([Shaft(0, 1, k=STIFFNESS, I=SHAFT)], disk_elements=[Disk(0, LEFT), Disk(1, RIGHT)])
total = train.M.sum()  # turned as one body, the train has the sum of its inertias
print(f"sum of the mass matrix {total:.4f} kg·m²; closed form {LEFT + RIGHT + SHAFT:.4f}, with six shafts {LEFT + RIGHT + 6 * SHAFT:.4f}")
frequency = train.modal_analysis()[1].max()


def closed_form(shaft: float) -> float:
    """Torsional frequency of two disks and a shaft with a linear twist [rad/s]."""
    a, b, c = LEFT + shaft / 3, RIGHT + shaft / 3, shaft / 6
    return sqrt(STIFFNESS * (a + b + 2 * c) / (a * b - c * c))


print(f"torsional frequency {frequency:.4f} rad/s; closed form {closed_form(SHAFT):.4f}, with six shafts {closed_form(6 * SHAFT):.4f}")
by_size = Shaft(0, 1, L=500, odl=50).M().sum()
steel = 8000 * pi * 0.05**4 / 32 * 0.5
print(f"shaft of 50 mm by 500 mm: {by_size:.6f} kg·m², closed form {steel:.6f}")
is_six = isclose(total, LEFT + RIGHT + 6 * SHAFT) and isclose(frequency, closed_form(6 * SHAFT), rel_tol=1e-6)
sys.exit(0 if is_six and isclose(by_size, steel) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
