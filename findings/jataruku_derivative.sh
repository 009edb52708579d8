#!/usr/bin/env bash
# TITLE: jataruku's derivative action is a hundredth of what kd states at its default sample time
# GUESS: -10 for kd 1 and an input that rises by 1 every 0.1 s: -kd·Δ/0.1, as in the Arduino library that it ports
# SEEN: -0.1: kd is multiplied by the sample time, 0.1 s, where it is to be divided by it
# VERSIONS: jataruku==0.1.1
# MATTERS: a loop tuned elsewhere runs without damping, and overshoots
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check jataruku==0.1.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
import time
from importlib.metadata import version
from math import isclose

from jataruku import PID

print("jataruku", version("jataruku"))
KD, SAMPLE = 1.0, 0.1  # the sample time is the default of the package, 100 ms
position, sent = [0.0], []
controller = PID(lambda: position[0], sent.append, 0.0, 0.0, 0.0, KD, True)
controller.set_output_limits(-1000, 1000)
controller.auto = True
for value in (1.0, 2.0, 3.0):
    position[0] = value
    while not controller.compute():
        time.sleep(0.01)
exact, product = -KD * 1.0 / SAMPLE, -KD * 1.0 * SAMPLE
print(f"sample time {controller.sample_time} ms, kd {controller.kd}; outputs {sent}; closed form -kd·Δ/T = {exact}, and -kd·Δ·T = {product}")
is_product = len(sent) == 3 and all(isclose(output, product, rel_tol=1e-9) for output in sent)
sys.exit(0 if is_product and controller.sample_time == 1000 * SAMPLE else 1)
PYTHON
"$folder/venv/bin/python" seen.py
