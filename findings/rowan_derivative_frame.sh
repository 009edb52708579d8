#!/usr/bin/env bash
# TITLE: rowan differentiates quaternions with a velocity in the body and integrates them with one in the world
# GUESS: `integrate` over a short step is `derivative` times the step: both state v·q in their manual
# SEEN: derivative is ½·q·v, with the velocity along the axes of the body; integrate is exp(v·dt/2)·q, along those of the world
# VERSIONS: rowan==1.3.2 numpy==2.4.6
# MATTERS: an orientation integrated from rates that were derived from it turns about another axis, without a message
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check rowan==1.3.2 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import rowan

print("rowan", version("rowan"))
STEP = 1e-6
q, velocity = rowan.from_axis_angle([1, 0, 0], 0.5), np.array([0.0, 0.0, 1.0])
rate = rowan.calculus.derivative(q, velocity)
step = (rowan.calculus.integrate(q, velocity, STEP) - q) / STEP
pure = np.array([0.0, *velocity])
body, world = rowan.multiply(q, pure) / 2, rowan.multiply(pure, q) / 2
for name, value in {"derivative": rate, "step of integrate": step, "½·q·v": body, "½·v·q": world}.items():
    print(f"{name:18}", value.round(4))
sys.exit(0 if np.allclose(rate, body) and np.allclose(step, world, atol=1e-5) and not np.allclose(body, world) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
