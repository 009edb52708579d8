#!/usr/bin/env bash
# TITLE: PyBullet loads a URDF that was changed on the disk as it was before
# GUESS: 5 kg, as the file states now: `resetSimulation` and `loadURDF` read it again
# SEEN: 1 kg, the file of the first call, without a message; a new connection, or `enableFileCaching=0`, reads it
# VERSIONS: pybullet==3.2.7 numpy==2.4.6
# MATTERS: robots written to one path in a loop, one per variant, are all the first variant
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pybullet==3.2.7 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import pybullet

print("pybullet", version("pybullet"))
ARM = """<robot name="arm"><link name="base"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="{mass}"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="50" velocity="3"/></joint></robot>"""


def masses(*, caching: int) -> tuple[float, float]:
    """Mass of the link as loaded from one path: of 1 kg, and then of 5 kg [kg]."""
    client = pybullet.connect(pybullet.DIRECT)
    found = []
    for mass in (1, 5):
        Path("arm.urdf").write_text(ARM.format(mass=mass))
        pybullet.resetSimulation(physicsClientId=client)
        pybullet.setPhysicsEngineParameter(enableFileCaching=caching, physicsClientId=client)
        body = pybullet.loadURDF("arm.urdf", physicsClientId=client)
        found.append(pybullet.getDynamicsInfo(body, 0, physicsClientId=client)[0])
    pybullet.disconnect(client)
    return found[0], found[1]


default, off = masses(caching=1), masses(caching=0)
print(f"\nthe file of 1 kg, then of 5 kg: {default} kg; with enableFileCaching=0: {off} kg")
sys.exit(0 if default == (1.0, 1.0) and off == (1.0, 5.0) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
