import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.dynamics.batch import batched, checked


@given(st.integers(0, 50), st.integers(1, 12))
def test_slices_are_joined_in_order_and_none_is_wider_than_asked(N, size):
    widths = []

    def kernel(x, y):
        widths.append(x.shape[-1])
        return x + y, x[0] * y[0]

    x, y = np.random.default_rng(N).normal(size=(2, 3, N))
    total, product = batched(kernel, size, x, y)
    np.testing.assert_array_equal(total, x + y)
    np.testing.assert_array_equal(product, x[0] * y[0])
    assert max(widths) <= size
    assert len(widths) == max(1, -(-N // size))


def test_checked_arrays_are_contiguous_floats():
    transposed = np.arange(6).reshape(3, 2).T
    (array,) = checked(2, q=transposed)
    assert array.flags.c_contiguous
    assert array.dtype == np.float64
    np.testing.assert_array_equal(array, transposed)


def test_the_message_names_the_array_and_both_shapes():
    with pytest.raises(ValueError, match=r"^qd must have shape \(2, N\).*; got \(3, 4\)$"):
        checked(2, q=np.zeros((2, 4)), qd=np.zeros((3, 4)))
    with pytest.raises(
        ValueError, match=r"^qd and q must have one shape; got \(2, 5\) and \(2, 4\)$"
    ):
        checked(2, q=np.zeros((2, 4)), qd=np.zeros((2, 5)))
