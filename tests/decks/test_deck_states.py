"""DIFF, LSE and TFSISO of decks: a block that they push, by SciPy."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.signal import TransferFunction, lsim

from sim.decks import deck_model
from sim.decks.converted_files import script_text
from sim.errors import DeckError
from tests.helpers.solved_models import solved

# 2 kg on a slide along the world's x, which is z of the markers.
BLOCK = """a block that states push
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = {time}
PART/1, GROUND
MARKER/1, PART = 1, REULER = 90D, 90D, 0D
PART/2, MASS = 2, CM = 21
MARKER/21, PART = 2, REULER = 90D, 90D, 0D
JOINT/1, TRANSLATIONAL, I = 21, J = 1, ICTRAN = 300
SFORCE/1, TRANSLATIONAL, ACTIONONLY, I = 21, J = 1, FUNCTION = {force}
REQUEST/1, F2 = {read}
{states}
END
"""
MATRICES = """
VARIABLE/1, FUNCTION = DZ(21,1,1)
VARIABLE/2, FUNCTION = 50*TIME
ARRAY/1, X, SIZE = 2
ARRAY/2, U, SIZE = 2, VARIABLES = 1, 2
ARRAY/3, Y, SIZE = 1
ARRAY/4, IC, SIZE = 2, NUMBERS = 100, 0
MATRIX/1, FULL = CORDER, M = 2, N = 2, VALUES = -5, 1, 0, -2
MATRIX/2, FULL, RORDER, M = 2, N = 2, VALUES = 5, 0, 0, 1
MATRIX/3, SPARSE, ROWS = 1, COLUMNS = 2, VALUES = 0.03
LSE/1, X = 1, U = 2, Y = 3, IC = 4, A = 1, B = 2, C = 3"""

# Of each: what pushes, what is read besides, the states; of x, v, the states, and t and 1 where
# they count, the matrix, the start from the third on, and the row of what is read.
CASES = {
    "a lag": (
        ("-0.01*DIF(3)", "DIF1(3)", "DIFF/3, IC = 500, FUNCTION = 10*(DZ(21,1,1) - DIF(03))"),
        [[0, 1, 0, 0], [0, 0, -0.005, 0], [10, 0, -10, 0], [0, 0, 0, 0]],
        [500, 1],
        [10, 0, -10, 0],
    ),
    "a lag beside a switch": (
        ("-0.01*DIF(3)", "DIF1(3)", "DIFF/3, IC = 500, "
         "FUNCTION = IF(DZ(21,1,1) + 1E6: 0, 0, 10*(DZ(21,1,1) - DIF(03)))"),
        [[0, 1, 0, 0], [0, 0, -0.005, 0], [10, 0, -10, 0], [0, 0, 0, 0]],
        [500, 1],
        [10, 0, -10, 0],
    ),
    "an implicit one": (
        ("-0.01*DIF(3)", "2*DIF(3)",
         "DIFF/3, IC = 500, IMPLICIT, FUNCTION = 0.1*DIF1(3) - DZ(21,1,1) + DIF(3)"),
        [[0, 1, 0, 0], [0, 0, -0.005, 0], [10, 0, -10, 0], [0, 0, 0, 0]],
        [500, 1],
        [0, 0, 2, 0],
    ),
    "two that follow each other": (
        ("-0.01*DIF(1)", "DIF(2)",
         "DIFF/1, FUNCTION = DIF(2)\nDIFF/2, IC = 20, FUNCTION = -9*DIF(1)"),
        [[0, 1, 0, 0], [0, 0, -0.005, 0], [0, 0, 0, 1], [0, 0, -9, 0]],
        [0, 20],
        [0, 0, 0, 1],
    ),
    "a double integrator by its entries": (
        ("-0.01*ARYVAL(1, 1)", "ARYVAL(1, 2)",
         "VARIABLE/1, FUNCTION = DZ(21,1,1)\nARRAY/1, X\nARRAY/2, U, VARIABLES = 1\n"
         "MATRIX/1, SPARSE, ROWS = 1, COLUMNS = 2, VALUES = 1\n"
         "MATRIX/2, SPARSE, ROWS = 2, COLUMNS = 1, VALUES = -9\nLSE/1, X = 1, U = 2, A = 1, B = 2"),
        [[0, 1, 0, 0], [0, 0, -0.005, 0], [0, 0, 0, 1], [-9, 0, 0, 0]],
        [0, 0],
        [0, 0, 0, 1],
    ),
    "a linear system": (
        ("-ARYVAL(3, 1)", "ARYVAL(1, 2) + ARYVAL(4, 1) + ARYVAL(2, 2)", MATRICES),
        [[0, 1, 0, 0, 0, 0], [0, 0, 0, -0.015, 0, 0], [5, 0, -5, 0, 0, 0], [0, 0, 1, -2, 50, 0],
         [0, 0, 0, 0, 0, 1], [0] * 6],
        [100, 0, 0, 1],
        [0, 0, 0, 1, 50, 100],
    ),
}  # fmt: skip


@pytest.mark.rotates(2)
@pytest.mark.parametrize("case", CASES)
def test_states_of_a_deck_move_as_their_matrix_says(case):
    """Lengths in mm; forces in N on 2 kg move 500 mm/s² each."""
    (force, read, states), A, start, reading = CASES[case]
    model = deck_model(BLOCK.format(time="SECOND", force=force, read=read, states=states))
    columns = solved(model.scenario(1.0, 0.25))
    A = np.array(A, dtype=float)
    A[1] *= 1e3  # from m/s² to mm/s²
    y = np.array([expm(A * time) @ [300, 0, *start] for time in np.arange(5) * 0.25])
    assert columns["q.JOINT_1"].to_numpy() == pytest.approx(y[:, 0] / 1e3, abs=1e-10)
    found = columns["request.REQUEST_1.F2"].to_numpy()
    assert found == pytest.approx(y @ reading, abs=1e-7)
    assert "sim.States(" in script_text(model, "block")


def test_a_transfer_function_in_milliseconds_answers_as_scipys():
    """(3 + 40 s)/(1 + 20 s + 900 s²) of a ramp, s in 1/ms; coefficients from the power 0 on."""
    states = """VARIABLE/5, FUNCTION = 0.01*TIME
ARRAY/1, X, SIZE = 2
ARRAY/2, U, VARIABLES = 5
ARRAY/3, Y, SIZE = 1
TFSISO/1, X = 1, U = 2, Y = 3, NUMERATOR = 3, 40, DENOMINATOR = 1, 20, 900"""
    text = BLOCK.format(time="MILLISECOND", force="0", read="ARYVAL(3,1)", states=states)
    found = solved(deck_model(text).scenario(0.2, 0.05))["request.REQUEST_1.F2"].to_numpy()
    t = np.linspace(0, 200, 2001)  # ms
    _, wanted, _ = lsim(TransferFunction([40, 3], [900, 20, 1]), 0.01 * t, t)
    assert found == pytest.approx(wanted[::500], abs=1e-9)


def test_states_without_a_free_joint_are_integrated_too():
    text = BLOCK.format(time="SECOND", force="0", read="DIF(1)", states="DIFF/1, FUNCTION = 3")
    text = text.replace("\nDIFF", "\nMOTION/1, JOINT = 1, FUNCTION = 300\nDIFF")
    found = solved(deck_model(text).scenario(1.0, 0.5))["request.REQUEST_1.F2"].to_numpy()
    assert found == pytest.approx([0, 1.5, 3], abs=1e-12)


BAD = {
    ("DIF(3)", ""): r"SFORCE/1: DIF\(3\): there is no DIFF/3",
    ("DIF1(3)", ""): r"SFORCE/1: DIF1\(3\): there is no DIFF/3",
    ("ARYVAL(9,1)", ""): r"SFORCE/1: ARYVAL\(9, 1\): there is no ARRAY/9",
    ("ARYVAL(9,3)", "ARRAY/9, IC, NUMBERS = 1, 2"): r"ARYVAL\(9, 3\): ARRAY/9 has 2",
    ("DIF(3)", "DIFF/3, FUNCTION = USER(7)"): r"line 10, DIFF/3: a subroutine cannot be called",
    ("DIF(3)", "DIFF/3, FUNCTION = DIF1(3)"): r"DIFF/3: DIF1\(3\) depends on itself",
    ("DIF(3)", "DIFF/3, IMPLICIT, FUNCTION = DIF1(3)**2"): r"DIFF/3: IMPLICIT: .* first power",
    ("DIF(3)", "DIFF/3, FUNCTION = DX(77)"): r"DIFF/3: .*77",
    ("ARYVAL(1,1)", "TFSISO/1, X = 1, NUMERATOR = 1"): r"TFSISO/1: it needs U, an ARRAY",
    (
        "ARYVAL(1,1)",
        "GSE/1, X = 1, NS = 1, FUNCTION = USER(1)\nARRAY/1, X",
    ): "no ARRAY/1 .* not of a GSE",
    ("ARYVAL(3,1)", MATRICES.replace("VALUES = -5, ", "VALUES = ")): r"MATRIX/1: it needs FULL",
    ("ARYVAL(3,1)", MATRICES.replace("COLUMNS = 2, V", "COLUMNS = 3, V")): r"LSE/1: C is 1 by 3",
    ("ARYVAL(3,1)", MATRICES.replace("ROWS = 1", "ROWS = 1, 2")): r"MATRIX/3: ROWS has 2",
    ("ARYVAL(3,1)", MATRICES.replace("ROWS = 1", "ROWS = 0.5")): r"MATRIX/3: .* integers from 1",
    (
        "ARYVAL(3,1)",
        MATRICES.replace("ROWS", "M = 1, N = 1E6, ROWS"),
    ): r"1 by 1000000; 1 to 1000 rows",
    ("ARYVAL(3,1)", MATRICES.replace("A = 1", "A = 8")): r"LSE/1: A = 8: there is no MATRIX/8",
    ("0\nMOTION/1, JOINT = 1, FUNCTION = DIF(1)", "DIFF/1, FUNCTION = 1"): r"MOTION/1: .*DIF",
}


@pytest.mark.parametrize("case", BAD)
def test_states_that_cannot_be_had_are_refused_where_they_are_read(case):
    force, states = case
    with pytest.raises(DeckError, match=BAD[case]):
        deck_model(BLOCK.format(time="SECOND", force=force, read="TIME", states=states))


def test_what_nothing_reads_is_a_note():
    states = "DIFF/3, FUNCTION = USER(7)\nDIFF/4, FUNCTION = DX(77)\nLSE/1, A = 4"
    model = deck_model(BLOCK.format(time="SECOND", force="0", read="DIF(3)", states=states))
    for words in ("line 10, DIFF/3: a subroutine", "DIFF/4: ", "LSE/1: A = 4: there is no"):
        assert any(words in note and note.endswith("nothing reads it") for note in model.notes)
    assert any("REQUEST/1: not recorded are F2" in note for note in model.notes)
