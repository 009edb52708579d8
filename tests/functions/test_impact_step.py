import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Polynomial

from sim.functions.impact import step


def test_a_step_holds_its_ends_outside():
    assert step([-9.0, 1.0, 3.0, 99.0], 1.0, 2.0, 3.0, 5.0).tolist() == [2.0, 2.0, 5.0, 5.0]


@given(st.floats(-5, 5), st.floats(0.01, 5), st.floats(-9, 9), st.floats(-9, 9), st.floats(0, 1))
def test_a_step_is_the_cubic_that_is_flat_at_both_ends(x0, width, h0, h1, share):
    # The only cubic a + b z + c z² + d z³ with these values and zero slopes at z = 0 and z = 1.
    rows = [[1, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0], [0, 1, 2, 3]]
    cubic = Polynomial(np.linalg.solve(np.array(rows, dtype=float), [h0, h1, 0.0, 0.0]))
    found = step(x0 + share * width, x0, h0, x0 + width, h1)
    # z suffers the cancellation in x - x0, at most 5/0.01 ulp of one; slope 1.5 times a rise of 18
    assert found == pytest.approx(cubic(share), abs=1e-11)
