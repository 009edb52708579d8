"""The check that a function of time is finite."""

import numpy as np
import pytest

from sim.errors import ScenarioError
from sim.functions.expression import expression
from sim.functions.time_function import require_finite

T = np.linspace(0.0, 2.0, 201)


def test_a_finite_function_passes():
    require_finite(expression("SIN(time)"), T, "the drive")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1/(time - 1)", "the drive: its value is not finite at t = 1 s"),
        ("SQRT(time)", "the drive: its first derivative is not finite at t = 0 s"),
        ("time**1.5", "the drive: its second derivative is not finite at t = 0 s"),
        ("LOG(1 - time)", "the drive: its value is not finite at t = 1 s"),
    ],
)
def test_the_first_time_that_is_not_finite_is_named(text, message):
    with pytest.raises(ScenarioError) as caught:
        require_finite(expression(text), T, "the drive")
    assert str(caught.value) == message
