"""SPLINEs of several curves over z, by SciPy's Akima and cubic splines."""

import numpy as np
import pytest
from scipy.interpolate import Akima1DInterpolator, CubicSpline

from sim.decks import deck_model
from sim.errors import DeckError
from tests.decks.decks_of_tests import PENDULUM
from tests.helpers.solved_models import solved

X, Z = np.array([0.0, 1, 2, 3, 5]), np.array([0.0, 1, 3])
Y = np.array([[0, 1, 4, 9, 25], [1, -2, 0, 3, 1], [5, 5, 2, 0, 7]], dtype=float)
ROWS = "".join(
    f"\n, Y = {z!r}, {', '.join(map(repr, y))}" for z, y in zip(Z.tolist(), Y.tolist(), strict=True)
)
SURFACE = f"SPLINE/7\n, X = {', '.join(map(repr, X.tolist()))}{ROWS}\nEND\n"
READ = PENDULUM.replace("END\n", SURFACE).replace(
    "D,I=0201,J=0102,C=DISPLACEMENT: X Y Z",
    "F2 = AKISPL(MAX(0, 2.5*TIME), 2*TIME + 0*7, 7)\\F3 = CUBSPL(TIME, 4*TIME - 1, 07, 0)",
)


def test_a_surface_is_cubic_along_x_and_straight_along_z():
    """Beyond its first and last z the curves there stand."""
    found = solved(deck_model(READ).scenario(2.0, 0.25))
    t = np.arange(9) * 0.25
    for column, curve, x, z in (
        ("F2", lambda y: Akima1DInterpolator(X, y), 2.5 * t, 2 * t),
        ("F3", lambda y: CubicSpline(X, y, bc_type="natural"), t, 4 * t - 1),
    ):
        rows = np.array([curve(y)(x) for y in Y])
        wanted = [np.interp(at, Z, row) for at, row in zip(z, rows.T, strict=True)]
        values = found[f"request.REQUEST_1.{column}"].to_numpy()
        assert values == pytest.approx(np.array(wanted), abs=1e-12)


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        (", Y = 1.0, 1.0,", ", Y = 1.0,", "X has 5 numbers and Y 17: a row of Y is z and"),
        (", Y = 1.0,", ", Y = -1.0,", "the z at the head of each Y must increase"),
        ("X = 0.0, 1.0,", "X = 0.0, 0.0,", "SPLINE/7: "),
        ("TIME, 0, 7)", "TIME, 0, 7, 1)", "SPLINE/7: AKISPL has no derivative"),
    ],
)
def test_rows_that_do_not_fit_are_refused(good, bad, words):
    text = READ.replace("10*wz(0102,0202,\n, 0202)", "AKISPL(TIME, 0, 7)")
    assert good in text
    with pytest.raises(DeckError, match=words):
        deck_model(text.replace(good, bad, 1))
