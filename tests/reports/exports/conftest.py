"""A run written by hand, with numbers whose every bit counts."""

import numpy as np
import pytest

from tests.helpers.synthetic_runs import joint, recording


@pytest.fixture
def run():
    t = np.linspace(0.0, 2.0, 2001)
    columns = {
        "q.arm": np.sin(t) / 3,
        "q.slide": 0.1 * t,
        "qd.arm": np.cos(t) / 3,
        "tau.arm": 1e-17 + np.pi * t,
        "tau.slide": np.full_like(t, 1e300),
        "tool.x": t / 7,
        "tool.qx": np.cos(t / 2),
        "tool.ax": -t / 7,
    }
    analytic = {"q.arm": np.cos(t)}
    return recording(t, columns, joint("arm"), joint("slide", "prismatic"), analytic=analytic)
