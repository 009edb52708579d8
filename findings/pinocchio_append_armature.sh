#!/usr/bin/env bash
# TITLE: Pinocchio's `appendModel` sets the armature of all joints to zero
# GUESS: armature of both models is kept, as damping, friction and limits are
# SEEN: 0 for every joint, also those of the first model; the mass matrix is smaller by it
# VERSIONS: pin==4.1.0 numpy==2.4.6
# MATTERS: an arm with a tool or a second arm appended to it loses the rotors of its motors: inertia at a geared joint is mostly armature
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pin==4.1.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pinocchio

print("pin", version("pin"))


def arm(prefix: str) -> pinocchio.Model:
    Path("arm.xml").write_text(f"""<mujoco model="{prefix}"><compiler angle="radian"/><worldbody>
      <body name="{prefix}rod"><joint name="{prefix}hinge" type="hinge" axis="0 1 0" armature="0.5" damping="0.3"/>
      <inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody></mujoco>""")
    return pinocchio.buildModelFromMJCF("arm.xml")


left, right = arm("left_"), arm("right_")
both = pinocchio.appendModel(left, right, 0, pinocchio.SE3.Identity())
for name, model in (("left", left), ("right", right), ("both", both)):
    M = np.diag(pinocchio.crba(model, model.createData(), pinocchio.neutral(model)))
    print(f"{name}: armature {model.armature}, damping {model.damping}, mass matrix {M.round(4)} kg·m²")
was_there = left.armature[0] == right.armature[0] == 0.5 and list(both.damping) == [0.3, 0.3]
sys.exit(0 if was_there and not both.armature.any() else 1)
PYTHON
"$folder/venv/bin/python" seen.py
