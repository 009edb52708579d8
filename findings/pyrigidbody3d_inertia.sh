#!/usr/bin/env bash
# TITLE: pyrigidbody3d gives each moving body the moment of inertia 1 kg·m², whatever its mass and shape
# GUESS: 1.25 rad/s after 1 N·m·s on a sphere of 2 kg and radius 1 m, of 0.8 kg·m²
# SEEN: 1 rad/s, also for 0.1 kg and radius 0.1 m, where 2500 rad/s are right; its velocity is right
# VERSIONS: pyrigidbody3d==0.3 numpy==2.4.6
# MATTERS: bodies hit off their centre spin too slowly or too fast, here by factors of 2500 and 80
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pyrigidbody3d==0.3 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from pyrigidbody3d.geometry import Sphere
from pyrigidbody3d.rigidbody import RigidBody

print("pyrigidbody3d", version("pyrigidbody3d"))
is_as_seen = True
for mass, radius in ((2.0, 1.0), (0.1, 0.1), (50.0, 2.0)):
    body = RigidBody(inv_mass=1 / mass, collision_shape=Sphere(radius))
    body.apply_impulse(np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]))  # 1 N·s at 1 m: 1 N·m·s about Z
    spin, speed = body.angular_velocity[2], body.linear_velocity[1]
    print(f"sphere of {mass} kg, {radius} m: {spin:.4f} rad/s; closed form 1/(2/5·m·r²) = {1 / (0.4 * mass * radius**2):.4f}; "
          f"{speed:.4f} m/s, closed form {1 / mass:.4f}")
    is_as_seen = is_as_seen and spin == 1.0 and abs(speed - 1 / mass) < 1e-12
sys.exit(0 if is_as_seen else 1)
PYTHON
"$folder/venv/bin/python" seen.py
