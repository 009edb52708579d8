"""The torsion spring of a public deck as its file has it."""

import numpy as np

from sim.decks import deck_model
from tests.decks.decks_of_tests import PENDULUM
from tests.decks.test_deck_inputs import solved
from tests.helpers.adams_files import swing

AS_TYPED = """SFORCE/1
, ROTATIONAL
, I = 0102
, J = 0202
, FUNCTION =  - 1.0*RTOD*(az(0102,0202)-0.0*DTOR)
, - 5.0E-002*RTOD*wz(0102,0202,0202)
, + 0.0
"""


def test_the_torsion_spring_as_typed():
    spring = PENDULUM[PENDULUM.index("SFORCE/1") : PENDULUM.index("REQUEST/01")]
    request = "REQUEST/01, D,I=0201,J=0102,RM=0101,C=\nMARKER/0101, PART = 01\n"
    text = PENDULUM.replace(spring, AS_TYPED)
    text = text[: text.index("REQUEST/01")] + request + text[text.index("ACCGRAV") :]
    columns = solved(deck_model(text.replace(",C=", "")).scenario(5.0, 0.01))
    stiffness = 180 / np.pi
    wanted = swing(0.0, stiffness, 0.05 * stiffness)["Pos"]
    for axis, row in zip("XYZ", wanted, strict=True):
        off = np.abs(columns[f"request.REQUEST_1.{axis}"].to_numpy() - row).max()
        assert off < 1e-9  # m; two integrations at 1e-11
