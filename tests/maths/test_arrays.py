import numpy as np
import pytest

from sim.maths.arrays import columns, distinct, distinct_rows, workspace


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


def test_a_workspace_is_one_piece_of_memory_without_overlap():
    parts = workspace(7, (2, 3), (4,), (1, 5))
    assert [part.shape for part in parts] == [(2, 3, 7), (4, 7), (1, 5, 7)]
    for number, part in enumerate(parts):
        part[:] = number
    assert [float(part.mean()) for part in parts] == [0.0, 1.0, 2.0]
    ends = [part.__array_interface__["data"][0] for part in parts]
    assert ends[1] - ends[0] == parts[0].nbytes and ends[2] - ends[1] == parts[1].nbytes


@pytest.mark.parametrize("count", [0, 1, 300])
def test_the_different_rows_are_those_of_numpy(count):
    rows = np.random.default_rng(4).integers(-1, 2, size=(count, 3)) * 0.5 * -1.0  # has -0.0
    first, kind = distinct_rows(rows)
    wanted, wanted_first, wanted_kind = np.unique(
        rows, axis=0, return_index=True, return_inverse=True
    )
    np.testing.assert_array_equal(first, wanted_first)
    np.testing.assert_array_equal(kind, wanted_kind.reshape(-1))
    np.testing.assert_array_equal(rows[first], wanted)


def test_the_different_numbers_are_those_of_numpy():
    some, others = np.array([3, 1, 3, 0, -2]), np.array([1, 7], dtype=np.intp)
    np.testing.assert_array_equal(distinct(some, others), np.union1d(some, others), strict=True)
    np.testing.assert_array_equal(distinct([0.5, 0.0, 0.5]), [0.0, 0.5])
    assert distinct(some[:0]).dtype == some.dtype
