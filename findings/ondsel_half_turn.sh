#!/usr/bin/env bash
# TITLE: OndselSolver, the solver of FreeCAD's assemblies, starts a drive of 2 rad half a turn away
# GUESS: the rod is at 2 rad at the start, and at 2 + t rad after
# SEEN: at 2 - π rad, and half a turn off for the whole run, without a message; a drive that starts at 1.5 rad is right
# VERSIONS: pyondsel==0.0.3
# MATTERS: a mechanism drawn at 0 and driven from beyond a quarter turn reports another motion: its positions are mirrored at the pivot
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pyondsel==0.0.3
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose, pi, remainder

from pyondsel.model.asmt_model import AsmtModel
from pyondsel.model.joint import Joint
from pyondsel.model.marker import Marker
from pyondsel.model.motion import Motion
from pyondsel.model.part import Part
from pyondsel.model.simulation import Simulation

print("pyondsel", version("pyondsel"))


def errors(start: float) -> list[float]:
    """Angle of a rod drawn at 0, less the drive start + time, at five instants [rad]."""
    model = AsmtModel(name="Rig")
    model.add_ground_marker(Marker("pivot"))
    rod = model.add_part(Part("rod", mass_center=(0.5, 0.0, 0.0)))
    rod.add_marker(Marker("hub"))
    model.add_joint(Joint("hinge", "revolute", model.ground_path("pivot"), model.part_path("rod", "hub")))
    model.add_motion(Motion("drive", "hinge", f"{start}+time"))
    model.simulation = Simulation(t_start=0.0, t_end=1.0, frames=4)
    seen = model.solve()
    angles = [angle[2] for angle in seen.parts["/Rig/rod"].bryant_angles]
    return [remainder(a - start - t, 2 * pi) for a, t in zip(angles, seen.times, strict=True)]


small, large = errors(1.5), errors(2.0)
print(f"angle less drive, from 1.5 rad: {[round(e, 6) for e in small]}; from 2 rad: {[round(e, 6) for e in large]}")
is_off = all(isclose(abs(e), pi, abs_tol=1e-5) for e in large)
sys.exit(0 if is_off and max(map(abs, small)) < 1e-5 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
