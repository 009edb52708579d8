import numpy as np
import pytest

from sim.maths.arrays import columns


def test_arrays_of_one_shape_come_back_as_floats():
    q, qd = columns(2, q=[[1, 2, 3], [4, 5, 6]], qd=np.ones((2, 3), dtype=int))
    assert q.dtype == qd.dtype == np.float64
    np.testing.assert_array_equal(q, [[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize("bad", [np.zeros(2), np.zeros((3, 2)), np.zeros((2, 2, 2))])
def test_another_shape_is_refused_by_name(bad):
    with pytest.raises(ValueError, match=r"q must have shape \(2, N\)"):
        columns(2, q=bad)


def test_arrays_must_have_as_many_samples_as_the_first():
    with pytest.raises(ValueError, match=r"qd and q must .* got \(2, 4\)"):
        columns(2, q=np.zeros((2, 3)), qd=np.zeros((2, 4)))


def test_columns_are_contiguous_floats():
    transposed = np.arange(6).reshape(3, 2).T
    (array,) = columns(2, q=transposed)
    assert array.flags.c_contiguous
    assert array.dtype == np.float64
    np.testing.assert_array_equal(array, transposed)


def test_the_message_names_the_array_and_both_shapes():
    with pytest.raises(ValueError, match=r"^qd must have shape \(2, N\).*; got \(3, 4\)$"):
        columns(2, q=np.zeros((2, 4)), qd=np.zeros((3, 4)))
    with pytest.raises(
        ValueError, match=r"^qd and q must have one shape; got \(2, 5\) and \(2, 4\)$"
    ):
        columns(2, q=np.zeros((2, 4)), qd=np.zeros((2, 5)))
