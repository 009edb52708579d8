#!/usr/bin/env bash
# TITLE: simplepidcontroller applies the derivative time constant twice
# GUESS: 12.1 at the first call: kp·e + ki·∫e dt + kd·de/dt = 2 + 0.1 + 10 by the formula in its docs, for an error of 1 and 0.1 s
# SEEN: 7.1: kd counts as kd²/kp = 0.5, while `parallel_constants` reads 1
# VERSIONS: simplepidcontroller==1.0.0
# MATTERS: derivative action differs from what was tuned, unless kd equals kp
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check simplepidcontroller==1.0.0
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

from simplepidcontroller import PID

print("simplepidcontroller", version("simplepidcontroller"))
KP, KI, STEP = 2.0, 1.0, 0.1
seen = {}
for kd in (1.0, 2.0, 4.0):
    controller = PID(1.0)
    controller.parallel_constants = KP, KI, kd
    seen[kd] = controller.compute(0.0, STEP)
    print(f"kd {kd}: output {seen[kd]:.4f}; kp·e + ki·∫e dt + kd·de/dt = {KP + KI * STEP + kd / STEP:.4f}")
sys.exit(0 if all(abs(output - (KP + KI * STEP + kd**2 / KP / STEP)) < 1e-9 for kd, output in seen.items()) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
