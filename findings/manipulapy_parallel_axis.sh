#!/usr/bin/env bash
# TITLE: ManipulaPy counts the offset of a link's mass centre twice in the mass matrix
# GUESS: 0.07 kg·m² for a hinge with 1 kg at 0.2 m and 0.03 kg·m² about the mass centre: 0.03 + 1·0.2²
# SEEN: 0.11 kg·m², 0.03 + 2·0.04, without a message; the gravity torque is right
# VERSIONS: ManipulaPy==1.4.2 numpy==2.4.6
# MATTERS: torques of inverse dynamics are too large and accelerations too small wherever a mass centre is off the link's origin
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check ManipulaPy==1.4.2 numpy==2.4.6
cd "$folder"
cat > arm.urdf <<'URDF'
<robot name="arm">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.03"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="10" velocity="10"/></joint>
</robot>
URDF
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import cos, isclose

from ManipulaPy.urdf_processor import URDFToSerialManipulator

print("ManipulaPy", version("ManipulaPy"))
MASS, OFFSET, INERTIA, Q, G = 1.0, 0.2, 0.03, 0.3, 9.81
dynamics = URDFToSerialManipulator("arm.urdf").dynamics
mass_matrix = float(dynamics.mass_matrix([Q])[0, 0])
gravity = float(dynamics.gravity_forces([Q], [0, 0, -G])[0])
once, twice = (INERTIA + count * MASS * OFFSET**2 for count in (1, 2))
print(f"mass matrix {mass_matrix:.4f} kg·m²; closed form {once:.4f}, with the offset counted twice {twice:.4f}")
print(f"torque against gravity {gravity:.4f} N·m; closed form {-MASS * G * OFFSET * cos(Q):.4f}")
same_gravity = isclose(gravity, -MASS * G * OFFSET * cos(Q), rel_tol=1e-6)
sys.exit(0 if isclose(mass_matrix, twice, rel_tol=1e-6) and same_gravity else 1)
PYTHON
MANIPULAPY_QUIET=1 "$folder/venv/bin/python" seen.py
