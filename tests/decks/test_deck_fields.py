"""FIELD and BEAM of a deck, against the flexibility of a cantilever and a law written out."""

import numpy as np
import pytest

from sim.decks import deck_model
from sim.errors import DeckError
from tests.helpers.solved_models import solved

# Of 100 mm in N and mm: E Izz = 2e8, E Iyy = 6e8, G A = 8e7, G Ixx = 4e8, E A = 2e8.
FIELDS = """tips of beams, each a little off where it is at rest
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
PART/2, MASS = 1, CM = 20, IP = 1, 1, 1
MARKER/20, PART = 2, REULER = 90D, 90D, 0D
MARKER/11, PART = 1, REULER = 90D, 90D, 0D
MARKER/21, PART = 2, QP = 1, 3, -2
JOINT/1, TRANSLATIONAL, I = 20, J = 11
MOTION/1, TRANSLATIONAL, JOINT = 1, FUNCTION = 4*TIME
PART/3
MARKER/30, PART = 3, QP = {x}, {y}, {z}
MARKER/31, PART = 3, QP = {x}, {y}, {z}, REULER = {turned}
MARKER/12, PART = 1, QP = {x}, {y}, {z}
JOINT/2, FIXED, I = 30, J = 12
{law}
END
"""
BEAM = (
    "BEAM/1, I = 31, J = 10, LENGTH = 100, AREA = 1E3, IXX = 5E3, IYY = 3E3, IZZ = 1E3\n"
    ", EMODULUS = 2E5, GMODULUS = 8E4, ASZ = 1.2, CRATIO = 0.01\n"
    "REQUEST/1, F2 = BEAM(1,0,2,10)\\F3 = BEAM(1,0,3,10)\\F4 = BEAM(1,0,4,10)"
    "\\F6 = BEAM(1,0,6,10)\\F7 = BEAM(1,0,7,10)\\F8 = BEAM(1,0,8,10)"
)
LENGTH, EIZ, EIY, GA, GJ, EA = 100.0, 2e8, 6e8, 8e7, 4e8, 2e8
TIPS = {  # place and turns of a tip under its load, and the load: what the beam does is against it
    "across y": (
        (0, LENGTH**3 / (3 * EIZ), 0),
        (0, 0, LENGTH**2 / (2 * EIZ)),
        (0, 1, 0, 0, 0, 0),
    ),
    "across z, which shears too": (
        (0, 0, LENGTH**3 / (3 * EIY) + 1.2 * LENGTH / GA),
        (0, -(LENGTH**2) / (2 * EIY), 0),
        (0, 0, 1, 0, 0, 0),
    ),
    "about z": (
        (0, LENGTH**2 / (2 * EIZ), 0),
        (0, 0, LENGTH / EIZ),
        (0, 0, 0, 0, 0, 1),
    ),
    "along and about x": ((LENGTH / EA, 0, 0), (LENGTH / GJ, 0, 0), (1, 0, 0, 1, 0, 0)),
}


def turned(turns):
    """REULER of a turn about one axis: about x between two quarter turns, about y after one."""
    x, y, z = turns
    return f"90D, {y!r}, -90D" if y else f"0, {x!r}, {z!r}"


@pytest.mark.parametrize("tip", TIPS)
def test_a_beam_is_a_cantilever(tip):
    (x, y, z), turns, load = TIPS[tip]
    text = FIELDS.format(x=LENGTH + x, y=y, z=z, turned=turned(turns), law=BEAM)
    columns = solved(deck_model(text).scenario(0.02, 0.01))
    components = ("F2", "F3", "F4", "F6", "F7", "F8")
    found = [columns[f"request.REQUEST_1.{key}"].to_numpy()[0] for key in components]
    scale = np.array([1, 1, 1, 1e3, 1e3, 1e3])  # N, N·mm
    assert scale * found == pytest.approx(-np.array(load), abs=1e-6)


def test_a_field_is_its_two_matrices():
    """By columns: a force along x by y and its rate, a moment about z by x; at v = 4 mm/s."""
    k, c = np.zeros((6, 6)), np.zeros((6, 6))
    k[0, 1], k[5, 0], c[2, 0], k[1, 1] = 7.0, 11.0, 0.5, 2.0
    rows = (", ".join(map(repr, m.ravel(order="F").tolist())) for m in (k, c))
    law = (
        "FIELD/1, I = 21, J = 10, KMATRIX = {}\n, CMATRIX = {}\n, LENGTH = 0, 1, 0, 0, 0, 0\n"
        ", FORCE = 0, 0, 5, 0, 0, 0\nREQUEST/1, F2 = FIELD(1,0,2,0)\\F3 = FIELD(1,0,3,0)"
        "\\F4 = FIELD(1,0,4,0)\\F8 = FIELD(1,0,8,0)"
    ).format(*rows)
    text = FIELDS.format(x=0, y=0, z=0, turned="0, 0, 0", law=law)
    columns = solved(deck_model(text).scenario(0.02, 0.01))
    x = 1 + 4 * columns.t  # mm
    wanted = {"F2": -7 * 2, "F3": -2 * 2, "F4": 5 - 0.5 * 4, "F8": -11e-3 * x}  # N, N·m
    for key, row in wanted.items():
        assert columns[f"request.REQUEST_1.{key}"].to_numpy() == pytest.approx(row, abs=1e-12)


def test_a_beam_damps_by_the_lower_half_of_its_matrix():
    """Column by column: what 4 mm/s along x adds is the first column."""
    half = [0.5, 0.1, -0.2, 3.0, 4.0, -5.0, *(7.0,) * 15]
    damped = BEAM.replace("CRATIO = 0.01", "CMATRIX = " + ", ".join(map(repr, half)))
    loads = []
    for law in (damped, BEAM.replace(", CRATIO = 0.01", "")):
        text = FIELDS.format(x=0, y=0, z=0, turned="0, 0, 0", law=law.replace("31, J", "21, J"))
        columns = solved(deck_model(text).scenario(0.02, 0.01))
        loads.append([columns[f"request.REQUEST_1.F{k}"].to_numpy() for k in (2, 3, 4, 6, 7, 8)])
    added = np.array(loads[0]) - loads[1]
    wanted = -4 * np.array(half[:6]) * [1, 1, 1, 1e-3, 1e-3, 1e-3]  # N, N·m
    assert added == pytest.approx(np.repeat(wanted[:, None], 3, axis=1), abs=1e-9)


BAD = {
    "FIELD/1, I = 21, J = 10, KMATRIX = 1, 2": "KMATRIX has 2 numbers: it takes 36",
    "FIELD/1, I = 21, J = 10, FORMULATION = NONLINEAR": "FORMULATION = NONLINEAR: only LINEAR",
    "FIELD/1, I = 21, J = 10, FUNCTION = USER(1)": "a subroutine cannot be called",
    BEAM.replace("CRATIO = 0.01", "CMATRIX = 1, 2"): "CMATRIX has 2 numbers: it takes 21",
    "BEAM/1, I = 21, J = 10, LENGTH = 1": "it needs AREA, IXX, IYY, IZZ, EMODULUS, GMODULUS",
    BEAM.replace("ASZ", "FORMULATION = NONLINEAR, ASZ"): "FORMULATION = NONLINEAR: only LINEAR",
}


@pytest.mark.parametrize("law", BAD)
def test_a_law_that_cannot_be_is_refused(law):
    with pytest.raises(DeckError, match=f"line 16, [A-Z]*/1: {BAD[law]}"):
        deck_model(FIELDS.format(x=0, y=0, z=0, turned="0, 0, 0", law=law))
