#!/usr/bin/env bash
# TITLE: urdf-to-mjcf couples a URDF's <mimic> the wrong way round
# GUESS: the follower stands at 2 times its leader plus 0.1 rad, as in the URDF and in MuJoCo's own reading of it
# SEEN: the leader stands at 2 times the follower plus 0.1 rad: joint1 and joint2 of the equality are exchanged, without a message
# VERSIONS: urdf-to-mjcf==0.1.1 mujoco==4.0.0 numpy==2.4.6
# MATTERS: a gripper or a parallel arm moves with the inverse ratio, and feels another inertia
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check urdf-to-mjcf==0.1.1 mujoco==4.0.0 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path

import mujoco

for package in ("urdf-to-mjcf", "mujoco"):
    print(package, version(package))
LINK = """<link name="{name}"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
LIMIT = '<axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="50" velocity="3"/>'
BASE = '<link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>'
Path("arm.urdf").write_text(f"""<robot name="arm">{BASE}{LINK.format(name="rod")}{LINK.format(name="tip")}
  <joint name="leader" type="revolute"><parent link="base"/><child link="rod"/>{LIMIT}</joint>
  <joint name="follower" type="revolute"><parent link="rod"/><child link="tip"/><origin xyz="0.4 0 0"/>
  {LIMIT}<mimic joint="leader" multiplier="2" offset="0.1"/></joint></robot>""")
program = Path(sysconfig.get_path("scripts"), "urdf-to-mjcf")
subprocess.run([program, "arm.urdf", "-o", "out/arm.xml"], check=True, capture_output=True)
(written,) = Path().rglob("out*/*.xml")


def coupling(path: str) -> str:
    """The equation of the coupling, as MuJoCo reads it: joint1 is a polynomial of joint2."""
    model = mujoco.MjModel.from_xml_path(path)
    (first,), (second,) = model.eq_obj1id[:1, None], model.eq_obj2id[:1, None]
    offset, ratio = model.eq_data[0, :2]
    return f"{model.joint(first[0]).name} = {offset:g} + {ratio:g} * {model.joint(second[0]).name}"


right, seen = coupling("arm.urdf"), coupling(str(written))
print(f"MuJoCo's reading of the URDF: {right}\nurdf-to-mjcf: {seen}")
is_reversed = seen == "leader = 0.1 + 2 * follower"
sys.exit(0 if right == "follower = 0.1 + 2 * leader" and is_reversed else 1)
PYTHON
"$folder/venv/bin/python" seen.py
