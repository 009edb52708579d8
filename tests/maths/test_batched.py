import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sim.maths.arrays import evaluate_in_batches


@given(st.integers(0, 50), st.integers(1, 12))
def test_slices_are_joined_in_order_and_none_is_wider_than_asked(N, size):
    widths = []

    def kernel(x, y):
        widths.append(x.shape[-1])
        return x + y, x[0] * y[0]

    x, y = np.random.default_rng(N).normal(size=(2, 3, N))
    total, product = evaluate_in_batches(kernel, size, x, y)
    np.testing.assert_array_equal(total, x + y)
    np.testing.assert_array_equal(product, x[0] * y[0])
    assert max(widths) <= size
    assert len(widths) == max(1, -(-N // size))
