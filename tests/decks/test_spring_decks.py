"""The springs of two public decks as their files have them."""

import numpy as np
from scipy.integrate import solve_ivp

from sim.decks import deck_model
from tests.decks.decks_of_tests import PENDULUM
from tests.helpers.adams_files import swing
from tests.helpers.solved_models import solved

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


BETWEEN_POINTS = """a part on a spring, as a public deck has it
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/101, PART = 1
MARKER/204, PART = 1
PART/2, MASS = 1, CM = 201, IP = 0.04, 0.1, 0.1
MARKER/201, PART = 2, QP = 0, 2, 0
MARKER/205, PART = 2, QP = 0, 2, 0
SFORCE/1, TRANSLATIONAL, I = 204, J = 205
, FUNCTION =  - 100.0*(dm(204,205)-2.0)
, - 1.0*vr(204,205)
, + 0.0
REQUEST/1, DISPLACEMENT, I = 201, J = 101
REQUEST/5, F2=FX(204,205)\\F3=FY(204,205)\\F4=FZ(204,205)
ACCGRAV/
, KGRAV = -9.80665
END
"""


def test_the_spring_between_points_as_typed():
    """A point of 1 kg in a plane, by SciPy."""
    columns = solved(deck_model(BETWEEN_POINTS).scenario(1.0, 0.1))

    def pull(state):
        p, v = state[:2], state[2:]
        length = np.sqrt(np.sum(p**2, axis=0))
        rate = np.sum(p * v, axis=0) / length
        return (100 * (length - 2) + rate) * p / length

    def rate(t, state):
        return np.concatenate([state[2:], [0.0, -9.80665] - pull(state)])

    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12}
    found = solve_ivp(rate, (0, 1), [2.0, 0, 0, 0], t_eval=columns.t, **options).y
    for axis, row in zip("YZ", found, strict=False):
        assert np.abs(columns[f"request.REQUEST_1.{axis}"].to_numpy() - row).max() < 1e-9  # m
    for key, row in zip(("F3", "F4"), pull(found), strict=True):
        assert np.abs(columns[f"request.REQUEST_5.{key}"].to_numpy() - row).max() < 1e-7  # N
