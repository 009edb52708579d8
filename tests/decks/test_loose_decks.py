"""Balls of a deck, and its parts that no joint carries, against closed solutions."""

import numpy as np
import pytest

from sim.decks import deck_model
from tests.decks.test_deck_inputs import solved
from tests.helpers.adams_files import swing

BALL = """a bar on a ball
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1, REULER = 20D, 30D, 40D
MARKER/10, PART = 1
PART/2, MASS = 1, CM = 21, IP = 0.04, 0.1, 0.1
MARKER/20, PART = 2, REULER = -50D, 10D, 70D
MARKER/21, PART = 2, QP = 2, 0, 0
JOINT/1, SPHERICAL, I = {i}, J = {j}
REQUEST/1, D, I = 21, J = 10
REQUEST/2, F2 = JOINT(1,{side},2,10)\\F3 = JOINT(1,{side},3,10)\\F4 = JOINT(1,{side},4,10)
ACCGRAV/KGRAV = -9.80665
END
"""

THROWN = """a symmetric top, thrown
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1
PART/2, MASS = 2, CM = 21, IP = 3E4, 3E4, 5E4, QG = 100, 200, 300
, VX = 1000, VZ = 2000, WX = 3, WZ = 12
MARKER/21, PART = 2, QP = 50, 0, 0
REQUEST/1, D, I = 21, J = 1
REQUEST/2, F2 = WX(21,1,21)\\F3 = WY(21,1,21)\\F4 = WZ(21,1,21)
ACCGRAV/KGRAV = -9806.65
END
"""


@pytest.mark.parametrize(("i", "j", "side"), [(1, 20, 0), (20, 1, 1)])
def test_a_bar_on_a_ball_falls_as_a_pendulum(i, j, side):
    """Whichever marker is on the ground, and however both are turned."""
    columns = solved(deck_model(BALL.format(i=i, j=j, side=side)).scenario(5.0, 0.01))
    wanted = swing(0.0)
    for axis, row in zip("XYZ", wanted["Pos"], strict=True):
        assert np.abs(columns[f"request.REQUEST_1.{axis}"].to_numpy() - row).max() < 1e-8  # m
    for key, row in zip(("F2", "F3", "F4"), wanted["Rforce"], strict=True):
        off = np.abs(columns[f"request.REQUEST_2.{key}"].to_numpy() - row).max()
        assert off < 1e-6  # N of 29, on the ground


def test_a_part_that_no_joint_carries_flies():
    """A parabola, and Euler's equations of a top with two equal moments of inertia."""
    columns = solved(deck_model(THROWN).scenario(1.0, 0.02))
    t, g = columns.t, 9.80665
    flight = (0.15 + t, 0.2 + 0 * t, 0.3 + 2 * t - g * t**2 / 2)  # m
    for axis, row in zip("XYZ", flight, strict=True):
        assert columns[f"request.REQUEST_1.{axis}"].to_numpy() == pytest.approx(row, abs=1e-9)
    nod = 12 * (5 - 3) / 3 * t  # rad
    for key, row in zip(("F2", "F3", "F4"), (3 * np.cos(nod), 3 * np.sin(nod), 12.0), strict=True):
        assert columns[f"request.REQUEST_2.{key}"].to_numpy() == pytest.approx(row, abs=1e-8)
