"""Curves of the functions that are typed."""

import pytest

from sim.studio.setup import CurveRequest
from sim.studio.typed_curves import curve


@pytest.mark.parametrize(
    ("text", "jumps"),
    [
        ("IF(time - 1.25: 0, 0, 30d)", [1.25]),
        ("IF(time - 1.25: 0, 0, time - 1.25)", []),  # a corner
        ("STEP(time, 0.5, 0, 1, 40d)", []),
        ("1e6*IF(time - 0.5: 0, 0, 1) - IF(time - 1.5: 0, 0, 1e6)", [0.5, 1.5]),
    ],
)
def test_a_jump_of_a_function_has_its_time(text, jumps):
    answer = curve(CurveRequest(text, "velocity", 2.0))
    assert answer["jumps"] == pytest.approx(jumps, abs=1e-9)  # s
