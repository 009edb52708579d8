#!/usr/bin/env bash
# TITLE: NVIDIA's usd-to-urdf writes limits that a USD leaves open as 0
# GUESS: without a maximum force and a maximum velocity in the stage, the URDF has none, or large ones
# SEEN: effort="0." velocity="0.", without a message
# VERSIONS: nvidia-srl-usd-to-urdf==1.0.3 nvidia-srl-usd==2.0.0 usd-core==25.11 numpy==1.26.4
# MATTERS: readers that hold them give a joint that no motor may move: Drake makes no actuator at all for effort 0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check nvidia-srl-usd-to-urdf==1.0.3 nvidia-srl-usd==2.0.0 usd-core==25.11 numpy==1.26.4
cd "$folder"
cat > seen.py <<'PYTHON'
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

print("nvidia-srl-usd-to-urdf", version("nvidia-srl-usd-to-urdf"))
BODY = """def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{
    float physics:mass = 1
    float3 physics:diagonalInertia = (0.02, 0.03, 0.04)
}}"""
JOINT = """def Physics{kind}Joint "{name}" {{
    rel physics:body0 = </arm/base>
    rel physics:body1 = </arm/{name}_rod>
    uniform token physics:axis = "Z"
    float physics:lowerLimit = -1
    float physics:upperLimit = 1
}}"""
parts = [BODY.format(name=name) for name in ("base", "turn_rod", "slide_rod")]
parts += [JOINT.format(kind="Revolute", name="turn"), JOINT.format(kind="Prismatic", name="slide")]
Path("arm.usda").write_text("""#usda 1.0
(
    defaultPrim = "arm"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "arm" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
""" + "\n".join(parts) + "\n}\n")
program = Path(sysconfig.get_path("scripts"), "usd_to_urdf")
subprocess.run([program, "arm.usda", "-o", "arm.urdf"], check=True)
limits = {j.get("name"): j.find("limit").attrib for j in ElementTree.parse("arm.urdf").iter("joint")}
for name, limit in limits.items():
    print(name, limit)
sys.exit(0 if len(limits) == 2 and all(float(x[k]) == 0 for x in limits.values() for k in ("effort", "velocity")) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
