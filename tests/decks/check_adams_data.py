"""Public decks of ADAMS as they are, against ADAMS's own files: `make adams DATA=folder`.

What ADAMS is off by itself is measured in docs/adams_cases.md: noise of its solver, six printed
digits, and the files of one motion by two joints that differ by 8.4e-4 m.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from sim.decks import deck_model
from tests.decks.test_deck_inputs import solved
from tests.helpers.adams_files import COLUMNS

DATA = os.environ["SIM_ADAMS_DATA"]

COMPONENTS = {
    "Pos": "REQUEST_1.X REQUEST_1.Y REQUEST_1.Z",
    "Quat": "REQUEST_4.F2 REQUEST_4.F3 REQUEST_4.F4 REQUEST_4.F6",
    "Vel": "REQUEST_2.VX REQUEST_2.VY REQUEST_2.VZ",
    "Avel": "REQUEST_2.WX REQUEST_2.WY REQUEST_2.WZ",
    "Acc": "REQUEST_3.ACCX REQUEST_3.ACCY REQUEST_3.ACCZ",
    "Aacc": "REQUEST_3.WDTX REQUEST_3.WDTY REQUEST_3.WDTZ",
    "Rforce": "REQUEST_5.F2 REQUEST_5.F3 REQUEST_5.F4",
    "Rtorque": "REQUEST_5.F6 REQUEST_5.F7 REQUEST_5.F8",
}
# Of ADAMS's solver, in units of a curve's peak, at least as if it were 1; of its print half the
# sixth digit.
STATES, SOLVED, DIGITS = 1e-5, 2e-4, 5e-6
SHARES = dict.fromkeys(COLUMNS, SOLVED) | dict.fromkeys(("Pos", "Quat", "Vel", "Avel"), STATES)
# ADAMS's files of one motion by a hinge and by a cross.
TWIN = {"Pos": 8.5e-4, "Quat": 2.2e-4, "Vel": 2.7e-3, "Avel": 1.1e-3, "Acc": 1.3e-2}
TWIN |= {"Aacc": 2.4e-3, "Rforce": 1.3e-2, "Rtorque": 0.0}


def deck(case):
    found = next(Path(DATA).expanduser().rglob(f"test_{case}.adm"))
    return found, found.read_text(encoding="utf-8", errors="replace")


def compared(case, text, quantities=tuple(COLUMNS), own=None):
    """Solve a deck for 5 s and hold its requests against the files of a case."""
    folder = deck(case)[0].parent
    columns = solved(deck_model(text).scenario(5.0, 0.01))
    for quantity in quantities:
        theirs = np.loadtxt(folder / f"{case}_ADAMS_{quantity}.txt", skiprows=3).T
        peak = np.max(np.abs(theirs[1:]))
        limit = SHARES[quantity] * max(peak, 1.0) + DIGITS * peak + (own or {}).get(quantity, 0.0)
        for name, row in zip(COMPONENTS[quantity].split(), theirs[1:], strict=True):
            off = np.max(np.abs(columns[f"request.{name}"].to_numpy() - row))
            assert off <= limit, (case, quantity, name, off, limit)


@pytest.mark.parametrize("case", ["Revolute_Case01", "Prismatic_Case01", "Cylindrical_Case01"])
def test_a_deck_gives_adams_s_own_curves(case):
    compared(case, deck(case)[1])


@pytest.mark.parametrize(("case", "own"), [("Spherical_Case01", TWIN), ("Revolute_Case01", None)])
def test_a_ball_is_nearer_to_the_files_of_the_hinge_than_to_its_own(case, own):
    """Files of one motion differ by ADAMS's own error; the marker of the hinge is turned."""
    alike = [quantity for quantity in COLUMNS if own or quantity != "Quat"]
    compared(case, deck("Spherical_Case01")[1], alike, own)


def test_a_cross_is_as_near_as_adams_is_to_itself():
    compared("Universal_Case01", deck("Universal_Case01")[1], own=TWIN)


def test_the_torsion_spring_of_the_files_has_other_numbers_than_its_deck():
    """Files obey 200 N·m/rad and 10 N·m·s/rad; REQUEST/5 is the spring, theirs the joint."""
    text = deck("RotSpring_Case01")[1]
    for typed, obeyed in (("1.0*RTOD", "200.0"), ("5.0E-002*RTOD", "10.0")):
        assert typed in text
        text = text.replace(typed, obeyed)
    compared("RotSpring_Case01", text, ("Pos", "Quat", "Vel", "Avel", "Acc", "Aacc", "Rtorque"))
    with pytest.raises(AssertionError, match="'Pos'"):
        compared("RotSpring_Case01", deck("RotSpring_Case01")[1], ("Pos",))


def test_the_rack_falls_by_its_closed_form():
    """g / 41 of 1 kg, 0.1 kg·m² and 0.05 m; REQUEST/05 has the rack."""
    columns = solved(deck_model(deck("RackPinion_Case01")[1]).scenario(5.0, 0.01))
    t = columns.t
    fall = 9.80665 / 41 * t**2 / 2
    assert fall[-1] == pytest.approx(2.98983232, abs=5e-9)  # m
    assert columns["request.REQUEST_5.Z"].to_numpy() == pytest.approx(-fall, abs=1e-9)
    assert columns["request.REQUEST_6.VZ"].to_numpy() == pytest.approx(-9.80665 / 41 * t, abs=1e-9)
