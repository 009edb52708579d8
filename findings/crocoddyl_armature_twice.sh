#!/usr/bin/env bash
# TITLE: Crocoddyl adds its armature to the one that the Pinocchio model has
# GUESS: the action's armature replaces the model's: 0.57 kg·m² at the hinge
# SEEN: 1.07 kg·m²: 0.07 of the rod, 0.5 of the model and 0.5 of the action
# VERSIONS: crocoddyl==3.2.1 libcrocoddyl==3.2.1 pin==4.0.0 libpinocchio==4.0.0 numpy==2.4.6
# MATTERS: a model read from an MJCF has its armature already: set again in the action, the motor's inertia is doubled
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check crocoddyl==3.2.1 libcrocoddyl==3.2.1 pin==4.0.0 libpinocchio==4.0.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose

import crocoddyl
import numpy as np
import pinocchio

for package in ("crocoddyl", "pin"):
    print(package, version(package))
ARM = """<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>"""


def acceleration(model: pinocchio.Model, armature: float | None = None) -> float:
    """Acceleration of the hinge at rest under 1 N·m, by Crocoddyl [rad/s²]."""
    state = crocoddyl.StateMultibody(model)
    action = crocoddyl.DifferentialActionModelFreeFwdDynamics(
        state, crocoddyl.ActuationModelFull(state), crocoddyl.CostModelSum(state)
    )
    if armature is not None:
        action.armature = np.array([armature])
    data = action.createData()
    action.calc(data, np.zeros(2), np.ones(1))
    return float(data.xout[0])


model = pinocchio.buildModelFromXML(ARM)
model.gravity.linear = np.zeros(3)
plain, by_action = 1 / acceleration(model), 1 / acceleration(model, 0.5)
model.armature[:] = 0.5
by_model, by_both = 1 / acceleration(model), 1 / acceleration(model, 0.5)
print(f"inertia at the hinge: none {plain:.2f}, action {by_action:.2f}, model {by_model:.2f}, both {by_both:.2f} kg·m²")
seen, expected = (plain, by_action, by_model, by_both), (0.07, 0.57, 0.57, 1.07)
sys.exit(0 if all(isclose(a, b, rel_tol=1e-9) for a, b in zip(seen, expected, strict=True)) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
