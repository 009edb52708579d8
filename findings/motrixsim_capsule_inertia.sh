#!/usr/bin/env bash
# TITLE: MotrixSim gives a capsule of an MJCF five times its moment of inertia across the axis
# GUESS: 0.0692 kg·m² for a capsule of 3.67 kg, the closed form, as in MuJoCo
# SEEN: 0.376 kg·m²; mass, mass centre, and the inertia of cylinders, boxes and spheres are right
# VERSIONS: motrixsim==0.10.1 motrixsim-core==0.10.1 numpy==2.4.6
# MATTERS: limbs drawn as capsules, without <inertial>, respond several times too slowly, without a message
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check motrixsim==0.10.1 motrixsim-core==0.10.1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose, pi

import motrixsim
import numpy as np

print("motrixsim", version("motrixsim"))
R, L, DENSITY = 0.05, 0.4, 1000.0  # radius and length of the straight part [m]
BODY = """<mujoco><compiler angle="radian"/><option gravity="0 0 0" timestep="0.002"/><worldbody><body name="rod">
  <joint name="hinge" type="hinge" axis="{axis}"/><geom type="{kind}" size="{r} {h}" density="{d}"/></body></worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator></mujoco>"""


def inertia(kind: str, axis: str) -> float:
    """Moment of inertia about an axis through the centre, by the change of speed under 1 N·m [kg·m²]."""
    model = motrixsim.load_mjcf_str(BODY.format(kind=kind, axis=axis, r=R, h=L / 2, d=DENSITY))
    data = motrixsim.SceneData(model)
    model.actuators[0].set_ctrl(data, 1.0)
    model.step(data)
    return 0.002 / float(np.ravel(data.dof_vel)[0])


tube, balls = DENSITY * pi * R**2 * L, DENSITY * 4 / 3 * pi * R**3
cylinder = tube * (L**2 / 12 + R**2 / 4)
capsule = cylinder + balls * (2 / 5 * R**2 + L**2 / 4 + 3 / 8 * L * R)
along = tube * R**2 / 2 + balls * 2 / 5 * R**2
seen = inertia("capsule", "1 0 0"), inertia("cylinder", "1 0 0"), inertia("capsule", "0 0 1")
print(f"capsule across its axis {seen[0]:.5f}, closed form {capsule:.5f} kg·m²; along it {seen[2]:.5f}, {along:.5f}")
print(f"cylinder across its axis {seen[1]:.5f}, closed form {cylinder:.5f} kg·m²")
sys.exit(0 if isclose(seen[1], cylinder, rel_tol=1e-3) and 5 < seen[0] / capsule < 6 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
