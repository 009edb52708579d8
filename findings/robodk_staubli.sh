#!/usr/bin/env bash
# TITLE: robodk's `Staubli_2_Pose` turns the angles in the caller's list into radians
# GUESS: a target that is used twice gives the same pose twice
# SEEN: 10 degrees at first, then 0.1745: the list is changed in place, while `KUKA_2_Pose` and others leave theirs
# VERSIONS: robodk==6.0.2
# MATTERS: a program that returns to its first target moves to another orientation
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check robodk==6.0.2
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

from robodk import robomath

print("robodk", version("robodk"))
TARGET = [100.0, 200.0, 300.0, 10.0, 20.0, 30.0]  # mm and degrees
target = list(TARGET)
first, second = (robomath.Pose_2_Staubli(robomath.Staubli_2_Pose(target))[3] for _ in range(2))
print(f"angle about X of the first pose {first:.4f} degrees, of the second {second:.4f}; stated {TARGET[3]}")
print("list afterwards:", [round(value, 6) for value in target])
unchanged = []
for maker in ("Adept", "Comau", "Fanuc", "KUKA", "Motoman", "Nachi"):
    target = list(TARGET)
    getattr(robomath, f"{maker}_2_Pose")(target)
    if target == TARGET:
        unchanged.append(maker)
print("lists are unchanged by the functions for", ", ".join(unchanged))
is_changed = abs(first - 10.0) < 1e-9 and abs(second - 0.17453) < 1e-4
sys.exit(0 if is_changed and "KUKA" in unchanged else 1)
PYTHON
"$folder/venv/bin/python" seen.py
