#!/usr/bin/env bash
# TITLE: pyton3d's kinetic energy of a spinning body is that of the inverse of its inertia
# GUESS: 0.9 J for 0.2 kg·m² at 3 rad/s
# SEEN: 22.5 J: ½·ω²/I
# VERSIONS: pyton3d==0.2.0 numpy==2.4.6
# MATTERS: the smaller the inertia, the more energy a spin seems to have: energy balances are meaningless
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pyton3d==0.2.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

from pyton3d import RigidBody, SphereCollider, Vec3

print("pyton3d", version("pyton3d"))
MASS, RADIUS, SPEED = 2.0, 0.5, 3.0
ball = RigidBody(mass=MASS, collider=SphereCollider(RADIUS))
ball.angular_velocity = Vec3(0, 0, SPEED)
ball.update_inertia_tensor_world()
inertia = 2 / 5 * MASS * RADIUS**2
print(f"inertia {ball.inertia_tensor.m22:.4f} kg·m², closed form {inertia:.4f}")
print(f"kinetic energy {ball.kinetic_energy():.4f} J, closed form {inertia * SPEED**2 / 2:.4f}")
is_inertia = abs(ball.inertia_tensor.m22 - inertia) < 1e-9
sys.exit(0 if is_inertia and abs(ball.kinetic_energy() - SPEED**2 / inertia / 2) < 1e-9 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
