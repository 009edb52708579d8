#!/usr/bin/env bash
# TITLE: newtonian-physics' stretched spring pushes its bodies apart
# GUESS: two bodies of 1 kg, 2 m apart on a spring of 1 m and 10 N/m, approach each other: 1.63 m after 0.2 s
# SEEN: 2.43 m: the force has the opposite sign, so the distance grows as cosh, not as cos
# VERSIONS: newtonian-physics==0.2.0
# MATTERS: each spring is unstable
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check newtonian-physics==0.2.0
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import cos, cosh, sqrt

from pyphysics import Body, Circle, Spring, Vec2, World

print("newtonian-physics", version("newtonian-physics"))
left, right = (Body(shape=Circle(0.1), position=Vec2(x, 0), mass=1.0) for x in (0, 2))
world = World(gravity=Vec2(0, 0))
for body in (left, right):
    world.add(body)
world.add_spring(Spring(left, right, rest_length=1.0, stiffness=10.0))
for _ in range(200):
    world.step(0.001)
distance = right.position.x - left.position.x
rate = sqrt(2 * 10.0 / 1.0)
pulls, pushes = 1 + cos(rate * 0.2), 1 + cosh(rate * 0.2)
print(f"distance after 0.2 s: {distance:.4f} m; closed form {pulls:.4f} m, with the opposite sign {pushes:.4f} m")
sys.exit(0 if abs(distance - pushes) < 0.01 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
