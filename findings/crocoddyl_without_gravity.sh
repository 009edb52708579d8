#!/usr/bin/env bash
# TITLE: Crocoddyl's free forward dynamics leaves gravity out, with the Pinocchio that pip installs beside it
# GUESS: 42.3 rad/s², with gravity, as `pinocchio.aba` of the same model gives
# SEEN: 14.3 rad/s², without gravity, for crocoddyl 3.2.1 on Pinocchio 4.1.0; with 4.0.0, or once an armature is set, it is there
# VERSIONS: crocoddyl==3.2.1 libcrocoddyl==3.2.1 pin==4.1.0 libpinocchio==4.1.0 numpy==2.4.6
# MATTERS: an optimal trajectory from a plain `pip install crocoddyl` is that of an arm in free fall, without a message
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check crocoddyl==3.2.1 libcrocoddyl==3.2.1 pin==4.1.0 libpinocchio==4.1.0 numpy==2.4.6
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
zero = np.zeros(1)
by_aba = float(pinocchio.aba(model, model.createData(), zero, zero, np.ones(1))[0])
plain, with_armature = acceleration(model), acceleration(model, 0.0)
print(f"1 N·m on a rod of 1 kg, mass centre 0.2 m beside the hinge: aba {by_aba:.3f} rad/s²")
print(f"crocoddyl {plain:.3f} rad/s², with an armature of 0 set {with_armature:.3f} rad/s²")
is_there = isclose(by_aba, (1 + 0.2 * 9.81) / 0.07) and isclose(with_armature, by_aba)
sys.exit(0 if is_there and isclose(plain, 1 / 0.07) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
