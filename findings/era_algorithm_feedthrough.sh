#!/usr/bin/env bash
# TITLE: era-algorithm counts the direct feedthrough D among the samples of its Hankel matrix
# GUESS: Markov parameters D, CB, CAB, ... = 0.3, 2, 1, 0.5, ... give back A = 0.5, CB = 2, D = 0.3
# SEEN: A = 0.728, CB = 1.242; without the first one A = 0.5, CB = 2, but D = 2: no input gives the system back
# VERSIONS: era-algorithm==0.1.0 numpy==1.26.4 scipy==1.17.1
# MATTERS: poles, and with them frequencies and damping, of a structure identified from exact data are wrong
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check era-algorithm==0.1.0 numpy==1.26.4 scipy==1.17.1
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from ERA.core import construct_markov_parameters_from_system_matrices, era_method2_truncation

print("era-algorithm", version("era-algorithm"))
POLE, FIRST, DIRECT = 0.5, 2.0, 0.3
one = np.ones((1, 1))
markov = np.array([construct_markov_parameters_from_system_matrices(POLE * one, FIRST * one, one, DIRECT * one, 21)])
print("the package's own Markov parameters:", markov[0, :4], "...")
is_own_order = np.allclose(markov[0], [DIRECT, *(FIRST * POLE**k for k in range(20))])


def identified(samples: np.ndarray) -> tuple[float, float, float]:
    """A, CB and D of order 1."""
    _, a, b, c, d = era_method2_truncation(samples, 5, 5, 1, 1, 1)
    return a.item(), (c @ b).item(), d.item()


whole, rest = identified(markov), identified(markov[:, 1:])
names = "A {:.4f}, CB {:.4f}, D {:.4f}"
print("all parameters:   ", names.format(*whole), "; closed form", names.format(POLE, FIRST, DIRECT))
print("without the first:", names.format(*rest))
rows = np.arange(5)[:, None] + np.arange(5)  # balanced realization of order 1, with D as the first sample
u, s, vt = np.linalg.svd(markov[0][rows])
expected = u[:, 0] @ markov[0][rows + 1] @ vt[0] / s[0], u[0, 0] * s[0] * vt[0, 0], DIRECT
print("of a Hankel matrix that starts with D:", names.format(*expected))
is_counted = np.allclose(whole, expected) and abs(whole[0] - POLE) > 0.2
sys.exit(0 if is_own_order and is_counted and np.allclose(rest, [POLE, FIRST, FIRST]) else 1)
PYTHON
"$folder/venv/bin/python" seen.py
