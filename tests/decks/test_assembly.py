"""Parts typed a little beside the joints that hold them are where ADAMS's assembly moves them."""

import numpy as np
import pytest

from sim.decks import deck_model
from sim.errors import DeckError
from tests.decks.decks_of_tests import PENDULUM
from tests.decks.test_deck_inputs import solved
from tests.decks.test_deck_loops import DRIVE, FOUR_BAR, rocker

ASIDE = PENDULUM.replace("PART/02, MASS = 1\n", "PART/02, MASS = 1\n, QG = 3E-4, 0, -4E-4\n")
SWAPPED = ASIDE.replace("I = 0102, J = 0202\nSF", "I = 0202, J = 0102\nSF")


@pytest.mark.parametrize("text", [ASIDE, SWAPPED], ids=["J on the part", "I on the part"])
def test_a_part_beside_its_hinge_is_moved_there(text):
    assert text != PENDULUM
    scenario = deck_model(text).scenario(0.2, 0.05)
    assert any(
        "line 23, JOINT/1: its markers are 0.5 mm apart as typed; PART/2 is moved there" in note
        for note in scenario.notes
    )
    found, wanted = solved(scenario), solved(deck_model(PENDULUM).scenario(0.2, 0.05))
    for axis in "XYZ":
        channel = f"request.REQUEST_1.{axis}"
        assert np.abs(found[channel] - wanted[channel]).max() < 1e-12  # m


def test_a_loop_that_is_typed_with_few_digits_is_closed():
    """Bars keep their lengths: the law of cosines, whatever the angles are typed to."""
    coupler, angle = rocker(0.0)
    typed = {"coupler": f"{coupler:.3f}", "rocker": f"{angle:.3f}"}
    more = f"{DRIVE}\nREQUEST/2, D, I = 31, J = 41"
    scenario = deck_model(FOUR_BAR.format(**typed, kind="REVOLUTE", more=more)).scenario(0.5, 0.1)
    (told,) = (note for note in scenario.notes if "are open by" in note)
    gap = 0.4 * np.exp(1j * np.round(coupler, 3)) - 0.3 * np.exp(1j * np.round(angle, 3)) - 0.25
    assert float(told.split("open by ")[1].split()[0]) == pytest.approx(1e3 * abs(gap), rel=1e-2)
    columns = solved(scenario)
    angle = rocker(2 * columns.t)[1]
    for axis, row in zip("XY", (np.cos(angle), np.sin(angle)), strict=True):
        of_tip = columns[f"request.REQUEST_1.{axis}"].to_numpy()
        assert of_tip == pytest.approx(0.3 * row, abs=1e-9)  # m
        assert np.abs(columns[f"request.REQUEST_2.{axis}"]).max() < 1e-9


@pytest.mark.parametrize("way", ["11E-4, 0, 0", "0, 0, 1"])
def test_a_part_that_is_further_away_is_refused(way):
    with pytest.raises(DeckError, match=r"JOINT/1: its markers are (1\.1|1000) mm"):
        deck_model(ASIDE.replace("3E-4, 0, -4E-4", way))
