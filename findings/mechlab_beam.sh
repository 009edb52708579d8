#!/usr/bin/env bash
# TITLE: mechlab's matrix solver takes a clamped end as a hinge, and a distributed load as a force in its middle
# GUESS: 5/16 of a central force at the roller of a beam clamped at the other end, 312.5 of 1000 N; 2500 N in the middle of three supports under 1000 N/m over 4 m
# SEEN: 500 N, as between two hinges, with SupportType.FIXED; and 4000 N, all of the load, with nothing at the ends
# VERSIONS: mechlab==0.2.6 numpy==2.4.6 matplotlib==3.9.4
# MATTERS: bearings and clamped links are sized for forces that they do not see, and a clamp has no moment
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mechlab==0.2.6 numpy==2.4.6 matplotlib==3.9.4
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

from mechlab.domain.entities import DistributedLoad, PointLoad, Support, SupportType
from mechlab.engine.math.solvers import MatrixBeamSolver

print("mechlab", version("mechlab"))
LENGTH, FORCE, LOAD = 4.0, 1000.0, 1000.0


def reactions(load, *supports: tuple[float, SupportType]) -> list[float]:
    """Vertical reactions at the supports [N]."""
    made = [Support(position, kind) for position, kind in supports]
    MatrixBeamSolver().solve(LENGTH, [load], made)
    return [round(float(support.reaction_force), 3) + 0.0 for support in made]


clamped = reactions(PointLoad(LENGTH / 2, FORCE), (0.0, SupportType.FIXED), (LENGTH, SupportType.ROLLER))
hinged = reactions(PointLoad(LENGTH / 2, FORCE), (0.0, SupportType.PIN), (LENGTH, SupportType.ROLLER))
spread = reactions(DistributedLoad(0.0, LENGTH, LOAD), *((x, SupportType.PIN) for x in (0.0, LENGTH / 2, LENGTH)))
# closed forms of the clamped and propped beam, and of two equal spans
print(f"clamped and roller: {clamped} N; closed form {[11 / 16 * FORCE, 5 / 16 * FORCE]}; hinge and roller: {hinged} N")
span = LENGTH / 2
print(f"three supports: {spread} N; closed form {[3 / 8 * LOAD * span, 10 / 8 * LOAD * span, 3 / 8 * LOAD * span]}")
sys.exit(0 if clamped == hinged == [500.0, 500.0] and spread == [0.0, LOAD * LENGTH, 0.0] else 1)
PYTHON
"$folder/venv/bin/python" seen.py
