#!/usr/bin/env bash
# TITLE: PID-Py answers a constant error with a derivative kick at the second call
# GUESS: 0 at each call with a derivative gain alone: the docs state kd·(error - lastError)/dt, and the error is 1 at all calls
# SEEN: 0, 10, 0: the first call returns 0 whatever the error and does not keep it, so the second takes 0 for the last error; a proportional gain of 2 acts from the second call on
# VERSIONS: PID-Py==1.2.2
# MATTERS: a motor gets no command in the first period, and a jolt of kd·error/dt in the second
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check PID-Py==1.2.2
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

from PID_Py.PID import PID

print("PID-Py", version("PID-Py"))


def outputs(kp: float, kd: float) -> list[float]:
    """Outputs for a constant error of 1 at 0, 0.1 and 0.2 s."""
    controller = PID(kp=kp, ki=0.0, kd=kd)
    return [controller.compute(setpoint=1.0, processValue=0.0, currentTime=time) for time in (0.0, 0.1, 0.2)]


derivative, proportional = outputs(0.0, 1.0), outputs(2.0, 0.0)
print(f"kd = 1: {derivative}; by kd·(error - lastError)/dt: {[1.0 * (1.0 - 1.0) / 0.1] * 3}")
print(f"kp = 2: {proportional}; by kp·error: {[2.0 * 1.0] * 3}")
is_jolt = all(abs(a - b) < 1e-9 for a, b in zip(derivative, (0.0, 10.0, 0.0), strict=True))
sys.exit(0 if is_jolt and proportional == [0.0, 2.0, 2.0] else 1)
PYTHON
"$folder/venv/bin/python" seen.py
