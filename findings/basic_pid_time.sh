#!/usr/bin/env bash
# TITLE: basic-pid keeps the time step that `setTimeinc` sets, and never uses it
# GUESS: an integral gain of 1 and an error of 1 for 1 s give an output of 1, in steps of 0.1 s and of 0.01 s
# SEEN: 9.5 and 99.5: gains count per call, not per time
# VERSIONS: basic-pid==0.2.7
# MATTERS: a controller that runs ten times as often is ten times as strong, although its step is stated
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check basic-pid==0.2.7
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

from basicpid import Pid

print("basic-pid", version("basic-pid"))


def integral(step: float) -> float:
    """Output after 1 s of an error of 1, by the integral gain alone."""
    controller = Pid()
    controller.setIntegrateModeOn()
    controller.setGains(0, 1, 0)
    controller.setTimeinc(step)
    for _ in range(round(1 / step)):
        output = controller.getPid(1.0, 0.0)
    return output


coarse, fine = integral(0.1), integral(0.01)
print(f"steps of 0.1 s: {coarse}; of 0.01 s: {fine}")
print(f"trapezoidal rule from an error of 0 on: {1 - 0.1 / 2} and {1 - 0.01 / 2}; in the limit 1")
sys.exit(0 if abs(coarse - 9.5) < 1e-9 and abs(fine - 99.5) < 1e-9 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
