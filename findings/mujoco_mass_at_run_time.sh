#!/usr/bin/env bash
# TITLE: A free body of MuJoCo whose mass is doubled at run time falls at twice the acceleration of gravity
# GUESS: 9.81 m/s², whatever the mass: `body_mass` of a compiled model is used from the next step on
# SEEN: 19.62 m/s² with its mass centre at its origin: its weight is of the new mass, its inertia of the old; 9.81 m/s² after `mj_setConst`; so is an armature ignored that is set for the only joint of a mechanism
# VERSIONS: mujoco-core==4.0.1 numpy==2.4.6
# MATTERS: a mass varied between episodes, or set for a payload, has the weight of one body and the inertia of another
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mujoco-core==4.0.1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose

import mujoco

for package in ("mujoco-core", "numpy"):
    print(package, version(package))
BALL = """<mujoco><worldbody><body pos="0 0 2"><freejoint/>
  <geom type="sphere" size="0.1" pos="{x} 0 0" mass="1"/></body></worldbody></mujoco>"""
ROD = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint type="hinge" axis="0 0 1"/>
  <inertial pos="{x} 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody></mujoco>"""


def acceleration(x: float, *, is_told: bool) -> float:
    """Vertical acceleration after the mass, centred at x in the body, was doubled [m/s²]."""
    model = mujoco.MjModel.from_xml_string(BALL.format(x=x))
    data = mujoco.MjData(model)
    model.body_mass[1] *= 2
    model.body_inertia[1] *= 2
    if is_told:
        mujoco.mj_setConst(model, data)
    mujoco.mj_forward(model, data)
    return float(data.qacc[2])


def inertia(x: float, *, is_told: bool) -> float:
    """Torque per acceleration of a hinge after its armature was set to 1 kg·m² [kg·m²]."""
    model = mujoco.MjModel.from_xml_string(ROD.format(x=x))
    data = mujoco.MjData(model)
    model.dof_armature[0] = 1.0
    if is_told:
        mujoco.mj_setConst(model, data)
    data.qfrc_applied[0] = 1.0
    mujoco.mj_forward(model, data)
    return 1.0 / float(data.qacc[0])


cases = (("at the origin", 0.0, False), ("0.1 m away from it", 0.1, False), ("at the origin, with mj_setConst", 0.0, True))
seen = []
for text, x, is_told in cases:
    falls, turns = acceleration(x, is_told=is_told), inertia(x, is_told=is_told)
    print(f"mass centre {text}: free fall of twice the mass {falls:.2f} m/s², hinge with armature {turns:.2f} kg·m²")
    seen += [falls, turns]
expected = -19.62, 0.04, -9.81, 1.05, -9.81, 1.04
sys.exit(0 if all(isclose(a, b, rel_tol=1e-9) for a, b in zip(seen, expected, strict=True)) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
