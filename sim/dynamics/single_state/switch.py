"""Switch for machine code, which is used if numba is installed."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec

SWITCH = "SIM_FAST"  # environment variable; 0: NumPy integrates


@cache
def is_installed() -> bool:
    """Whether numba is installed; it is imported where it is used."""
    return find_spec("numba") is not None


def is_on() -> bool:
    """Whether machine code is used: if numba is installed, unless the environment says 0."""
    return is_installed() and os.environ.get(SWITCH) != "0"
