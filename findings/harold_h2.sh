#!/usr/bin/env bash
# TITLE: harold gives an infinite H2 norm to each discrete system with direct feedthrough
# GUESS: 1.1547 for z/(z-0.5): the root of the sum of squares of its impulse response
# SEEN: infinity, the rule for continuous systems; 1/(z-0.5), with the same response one step later, gets 1.1547
# VERSIONS: harold==1.0.3 numpy==1.26.4 scipy==1.17.1
# MATTERS: a stable sampled filter or loop with direct feedthrough seems to amplify noise without bound
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check harold==1.0.3 numpy==1.26.4 scipy==1.17.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isinf

import harold
import numpy as np
from scipy.signal import dimpulse

print("harold", version("harold"))
seen = []
for numerator in ([1, 0], [1]):
    norm = harold.system_norm(harold.Transfer(numerator, [1, -0.5], dt=1.0), 2)
    response = dimpulse((numerator, [1, -0.5], 1.0), n=60)[1][0]
    seen.append((norm, np.linalg.norm(response)))
    print(f"numerator {numerator} over z-0.5: {norm:.4f}; SciPy's impulse response {np.linalg.norm(response):.4f}; "
          f"closed form {(4 / 3) ** 0.5:.4f}")
(with_direct, expected), (delayed, same) = seen
sys.exit(0 if isinf(with_direct) and abs(delayed - expected) < 1e-9 and abs(same - expected) < 1e-9 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
