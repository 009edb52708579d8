"""Files written by SciPy."""

import numpy as np
import pytest
from scipy.io import savemat

from sim.errors import ForeignError
from sim.foreign.matlab import read_matlab

T = np.linspace(0, 1, 5)


@pytest.fixture
def read(tmp_path):
    def write(content, **options):
        savemat(tmp_path / "a.mat", content, **options)
        return {c.title: c for c in read_matlab(tmp_path / "a.mat").columns}

    return write


@pytest.mark.parametrize("options", [{}, {"oned_as": "column"}, {"do_compression": True},
                                     {"format": "4"}])  # fmt: skip
def test_variables_are_columns(read, options):
    found = read({"t": T, "q": T**2, "note": "by hand", "scalar": 3.0}, **options)
    assert found["q"].values.tolist() == (T**2).tolist()
    assert set(found) == {"t", "q"}


def test_a_struct_is_a_part_with_times_of_its_own(read):
    found = read({"left": {"time": T, "q": T + 1}, "right": {"time": 2 * T, "q": T + 2}})
    assert found["right.q"].block == "right"
    assert found["right.time"].values[-1] == 2.0


@pytest.mark.parametrize("turned", [False, True])
def test_a_matrix_is_a_column_each(read, turned):
    matrix = np.column_stack([T, T**2, T**3])
    found = read({"t": T, "q": matrix.T if turned else matrix})
    assert found["q(3)"].values.tolist() == (T**3).tolist()


def test_what_is_no_finite_number_is_a_fault(read):
    assert read({"t": T, "q": np.where(T == 0.5, np.nan, T)})["q"].fault == "is nan in sample 3"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"rubbish" * 99, "cannot be read as a .mat file"),
        (
            b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512) + b"\x89HDF\r\n\x1a\n",
            "version 7.3",
        ),
        (b"\x89HDF\r\n\x1a\n" + bytes(99), "version 7.3"),
    ],
)
def test_what_is_not_read_is_refused_in_one_line(tmp_path, data, words):
    (tmp_path / "a.mat").write_bytes(data)
    with pytest.raises(ForeignError, match=words) as caught:
        read_matlab(tmp_path / "a.mat")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    path = tmp_path / "a.mat"
    savemat(path, {"t": np.arange(500.0), "q": np.arange(500.0)})
    data = path.read_bytes()
    for end in (60, 130, 300, len(data) - 100):
        path.write_bytes(data[:end])
        try:
            found = read_matlab(path)
        except ForeignError:
            continue
        assert {c.title for c in found.columns} <= {"t"}  # whole variables alone are read


def test_a_file_without_vectors(read):
    with pytest.raises(ForeignError, match="no vector of numbers"):
        read({"note": "by hand"})
