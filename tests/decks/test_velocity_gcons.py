"""GCONs of velocities, and along the axes of their first marker: against closed forms."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from sim.decks import deck_model
from sim.errors import DeckError
from tests.helpers.solved_models import solved_deck

G = 9.80665
BEVEL = """bevel gears of 20 and 40 teeth, about z and x
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
MARKER/11, PART = 1, REULER = 90D, 90D, 0D
PART/2, MASS = 1, CM = 20, IP = 1E4, 1E4, 1E4
MARKER/20, PART = 2
PART/3, MASS = 2, CM = 30, IP = 5E4, 5E4, 5E4
MARKER/30, PART = 3, REULER = 90D, 90D, 0D
PART/4, MASS = 3, CM = 40
MARKER/40, PART = 4
JOINT/1, REVOLUTE, I = {ends}
JOINT/2, REVOLUTE, I = 30, J = 11
JOINT/3, TRANSLATIONAL, I = 40, J = 10
GCON/1, FUNCTION = {function}
{more}
SFORCE/1, ROTATIONAL, ACTIONONLY, I = 20, J = 10, FUNCTION = 100
REQUEST/1, F2 = WZ(20,10,10)\\F3 = WZ(30,11,11)\\F4 = VZ(40)
END
"""
HELD = "JOINT/9, FIXED, I = 40, J = 10"


def bevel(function, ends="20, J = 10", more=""):
    return BEVEL.format(function=function, ends=ends, more=more)


@pytest.mark.parametrize(
    ("function", "ratio"),
    [
        ("20*WZ(20,10,10) + 40*WZ(30,11,11)", -0.5),
        ("WZ(10,20,20)*20 - 40*WZ(30,11,30)", -0.5),
        ("WZ(20) - VARVAL(1)*WX(30)", 0.5),  # about the world's axes: x is z of 11
        ("WM(20)*0 + WZ(20)", None),
    ],
)
@pytest.mark.parametrize("ends", ["20, J = 10", "10, J = 20"])
def test_bevel_gears_turn_together(function, ratio, ends):
    """0.1 N·m on a gear of 0.01 kg·m², which turns one of 0.05 kg·m² by the ratio."""
    text = bevel(function, ends, "VARIABLE/1, FUNCTION = 2")
    if ratio is None:
        with pytest.raises(DeckError, match=r"GCON/1: its function .* is not linear"):
            deck_model(text)
        return
    columns = solved_deck(text, 0.2)
    speed = 0.1 / (0.01 + 0.05 * ratio**2) * columns.t
    assert columns["request.REQUEST_1.F2"].to_numpy() == pytest.approx(speed, abs=1e-10)
    assert columns["request.REQUEST_1.F3"].to_numpy() == pytest.approx(ratio * speed, abs=1e-10)


def test_a_drum_hoists_a_load_by_a_gcon_of_its_speed():
    """VZ = 50 mm · WZ: 0.1 N·m accelerates 0.01 kg·m² and 3 kg at 50 mm."""
    columns = solved_deck(bevel("VZ(40,10,10) - 50*WZ(20,10)"), 0.2)
    speed = 0.1 / (0.01 + 3 * 0.05**2) * columns.t
    assert columns["request.REQUEST_1.F2"].to_numpy() == pytest.approx(speed, abs=1e-10)
    assert columns["request.REQUEST_1.F4"].to_numpy() == pytest.approx(0.05 * speed, abs=1e-10)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("WZ(20,10)*WZ(30,11,11)", "is not linear and homogeneous"),
        ("WZ(20,10) - 3", "is not linear and homogeneous"),
        ("WZ(20,10) - TIME*WZ(30,11,11)", "is not linear and homogeneous"),
        ("WZ(20,10) + AZ(20,10)", "is not linear and homogeneous"),
        ("WZ(20,10)", "the speeds of 1 joints"),
        ("VX(20,10) - WZ(30,11,11)", "is no fixed multiple of the speeds of joints"),
        ("WZ(20,99) - WZ(30,11,11)", "there is no MARKER/99"),
    ],
)
def test_other_gcons_of_velocities_are_refused_by_line(function, words):
    with pytest.raises(DeckError, match=f"line 15, GCON/1: .*{words}"):
        deck_model(bevel(function))


def test_a_coefficient_that_another_program_writes_is_refused(tmp_path):
    """Not read as the number that the deck types."""
    text = bevel("VARVAL(1)*WZ(20) - WX(30)", more="VARIABLE/1, FUNCTION = 2")
    table = tmp_path / "inputs.csv"
    table.write_text("t,VARIABLE_1\n0,1\n1,1\n2,1\n3,1\n", encoding="utf-8")
    with pytest.raises(DeckError, match=r"line 15, GCON/1: .* is not linear and homogeneous"):
        deck_model(text, "bevel.adm", table)
    ratio = deck_model(text, values={1: 4.0}).urdf.partition('multiplier="')[2].partition('"')[0]
    assert abs(float(ratio)) in (pytest.approx(4.0), pytest.approx(0.25))


BALL = """a ball on a table that leans by 0.3 rad about x
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, QP = 10, 20, 30, REULER = 0, 0.3, 0
PART/2, MASS = 2, CM = 20, IP = 1E5, 1E5, 1E5, VX = 1000
MARKER/20, PART = 2, QP = 10, 20, 30, REULER = 0, 0.3, 0
GCON/1, FUNCTION = {function}
ACCGRAV/KGRAV = -9806.65
REQUEST/1, D, I = 20, J = 10, RM = 10
END
"""


@pytest.mark.parametrize(
    "function",
    ["2*DZ(20,10,10)", "DZ(10,20,10)", "VZ(20,10,10,10)"],
)
def test_a_ball_slides_down_a_table_whichever_marker_the_gcon_names_first(function):
    """The force of the table is at its mass centre: a = g sin 0.3 down the slope."""
    columns = solved_deck(BALL.format(function=function), 0.2)
    down = -G * np.sin(0.3) * columns.t**2 / 2
    for axis, wanted in zip("XYZ", (columns.t, down, 0 * columns.t), strict=True):
        found = columns[f"request.REQUEST_1.{axis}"].to_numpy()
        assert found == pytest.approx(np.asarray(wanted), abs=1e-10)


def plate_on_a_point(t):
    """y and z of a plate whose plane passes a point: m = 2, I = 0.1, by Lagrange multipliers."""
    mass = np.array([2.0, 2.0, 0.1])

    def rate(_, state):
        y, z, turn, *v = state
        normal, along = (
            np.array([-np.sin(turn), np.cos(turn)]),
            np.array([np.cos(turn), np.sin(turn)]),
        )
        J = np.array([*normal, -along @ (y, z)])  # of n · p = 0, with n' = -along
        bias = -2 * v[2] * along @ v[:2] - v[2] ** 2 * normal @ (y, z)
        force = np.array([0.0, -2 * G, 0.0])
        pull = -(J @ (force / mass) + bias) / (J @ (J / mass))
        return [*v, *((force + J * pull) / mass)]

    start = [0.0, 0.0, 0.3, 0.0, 0.0, 0.0]
    return solve_ivp(rate, (0, t[-1]), start, "DOP853", t, rtol=1e-12, atol=1e-14).y


@pytest.mark.parametrize("function", ["DZ(20,10,20)", "DZ(10,20,20)", "-3*DZ(20,10,20)"])
def test_a_plate_slides_over_a_point_that_stays_in_its_own_plane(function):
    """A GCON along the axes of its first marker acts at the point, and turns the plate."""
    text = BALL.format(function=function).replace("VX = 1000", "VX = 0")
    columns = solved_deck(text.replace("RM = 10", "RM = 0"), 0.2)
    y, z, *_ = plate_on_a_point(columns.t)
    for axis, wanted in (("Y", y), ("Z", z)):
        found = columns[f"request.REQUEST_1.{axis}"].to_numpy()
        assert found == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("function", ["DX(20,10,20) - DZ(20,10,10)", "VZ(20,10,20)"])
def test_what_no_loop_or_coupling_is_is_refused(function):
    with pytest.raises(DeckError, match="GCON"):
        deck_model(BALL.format(function=function))
