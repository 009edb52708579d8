#!/usr/bin/env bash
# TITLE: MotrixSim leaves the actuatorfrcrange of an MJCF joint aside
# GUESS: 1 N·m, the bound of the joint, as in MuJoCo, or a warning, as MotrixSim gives for other attributes
# SEEN: the motor's 5 N·m act, without a message; the actuator's own forcerange is held
# VERSIONS: motrixsim==0.10.1 motrixsim-core==0.10.1 numpy==2.4.6
# MATTERS: an MJCF that states torque limits at the joints, as the one that MuJoCo saves of a URDF, gives an arm without limits
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check motrixsim==0.10.1 motrixsim-core==0.10.1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose

import motrixsim
import numpy as np

print("motrixsim", version("motrixsim"))
ARM = """<mujoco><compiler angle="radian"/><option gravity="0 0 0" timestep="0.002"/><worldbody><body name="rod">
  <joint name="hinge" type="hinge" axis="0 1 0" {joint}/><inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/>
  </body></worldbody><actuator><motor name="motor" joint="hinge" {motor}/></actuator></mujoco>"""


def torque(joint: str = "", motor: str = "") -> float:
    """Torque at the hinge for a control of 5 N·m, by the change of its velocity [N·m]."""
    model = motrixsim.load_mjcf_str(ARM.format(joint=joint, motor=motor))
    data = motrixsim.SceneData(model)
    model.actuators[0].set_ctrl(data, 5.0)
    model.step(data)
    return float(np.ravel(data.dof_vel)[0]) / 0.002 * 0.07


free, joint, motor = torque(), torque(joint='actuatorfrcrange="-1 1"'), torque(motor='forcerange="-1 1"')
print(f"torque: no bound {free:.3f}, actuatorfrcrange of the joint {joint:.3f}, forcerange of the motor {motor:.3f} N·m")
sys.exit(0 if isclose(joint, 5.0, rel_tol=1e-3) and isclose(motor, 1.0, rel_tol=1e-3) and joint == free else 1)
PYTHON
"$folder/venv/bin/python" seen.py
