"""Balls of a deck, and its parts that no joint carries, against closed solutions."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from sim.checks import check
from sim.decks import deck_model
from sim.errors import DeckError, ScenarioError
from sim.simulation import run
from tests.helpers.adams_files import swing
from tests.helpers.solved_models import solved

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


POINTS = """a mass on a spring, and one at the end of a bar, in millimetres
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, REULER = 180D, 90D, 180D
MARKER/11, PART = 1, QP = 1000, 0, 0
POINT_MASS/2, MASS = 2, CM = 20, QG = 1300, 0, 0, REULER = 10D, 20D, 30D, VZ = -500
MARKER/20, POINT_MASS = 2
PART/3, MASS = 1.5, CM = 30, IP = 2E4, 2E4, 2E4
MARKER/30, PART = 3
MARKER/31, PART = 3, REULER = 180D, 90D, 180D
MARKER/32, PART = 3, QP = 400, 0, 0
!  adams_view_name='bob'
POINT_MASS/4, MASS = 0.5, CM = 40, QG = 400, 0, 0
MARKER/40, POINT_MASS = 4
JOINT/1, REVOLUTE, I = 31, J = 10
JOINT/2, SPHERICAL, I = 40, J = 32
SPRINGDAMPER/1, TRANSLATIONAL, I = 20, J = 11, K = 0.4, C = 0.003, LENGTH = 250
REQUEST/1, D, I = 20, J = 11
REQUEST/2, F2 = AZ(31, 10)\\F3 = FZ(40, 32)
ACCGRAV/KGRAV = -9806.65
END
"""


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_point_masses_move_and_do_not_turn(engine):
    scenario = deck_model(POINTS).scenario(0.4, 0.1)
    recording = run(scenario, engine=engine, name="points")
    assert [one.channel for one in check(recording) if not one.ok] == []

    def rate(t, y):
        """Of x, z and their speeds on the spring, and of angle and speed of the bar."""
        x, z, u, w, angle, speed = y
        length = np.hypot(x, z)
        pull = 400 * (length - 0.25) + 3 * (x * u + z * w) / length
        swing = 0.5 * 9.80665 * 0.4 * np.cos(angle) / (0.02 + 0.5 * 0.4**2)
        return u, w, -pull * x / length / 2, -pull * z / length / 2 - 9.80665, speed, swing

    times = np.linspace(0, 0.4, 5)
    wanted = solve_ivp(
        rate, (0, 0.4), [0.3, 0, 0, -0.5, 0, 0], "DOP853", times, rtol=1e-12, atol=1e-12
    ).y
    for columns in (recording.recorded, recording.analytic):
        rows = {"REQUEST_1.X": wanted[0], "REQUEST_1.Z": wanted[1], "REQUEST_2.F2": wanted[4]}
        for key, row in rows.items():  # m, rad; two integrations at 1e-11
            assert columns[f"request.{key}"].to_numpy() == pytest.approx(row, abs=1e-8), key
        first = 0.5 * (9.80665 - 0.4 * 0.5 * 9.80665 * 0.4 / 0.1)  # N on the mass at the start
        assert columns["request.REQUEST_2.F3"].to_numpy()[0] == pytest.approx(first, abs=1e-7)


def test_a_point_mass_needs_a_number_of_its_own():
    with pytest.raises(DeckError, match=r"POINT_MASS/3: line 8, PART/3 has this number"):
        deck_model(POINTS.replace("POINT_MASS/4", "POINT_MASS/3"))


HEAVY = """a body of twenty tons that mounts or a string hold, far from the origin, or nothing
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1, QP = 53, 20, 3
PART/2, MASS = 20000, CM = 20, IP = 1E5, 2E5, 3E5, QG = 50, 20, 3
{held}
MARKER/20, PART = 2
MARKER/21, PART = 2, QP = 1, 0, 0
ACCGRAV/KGRAV = -9.80665
END
"""
SPIN = ", WX = 8, WY = 0.1\n"
HELD = {
    "nothing": SPIN,
    "mounts": f"{SPIN}BUSHING/1, I = 21, J = 1, K = 1E8, 2E8, 3E8",
    "a string": f"{SPIN}GCON/1, I = 21, FUNCTION = DM(21,1) - 2",
    "a plane": "JOINT/1, PLANAR, I = 22, J = 2\nMARKER/2, PART = 1, REULER = 0D, 90D, 0D\n"
    "MARKER/22, PART = 2, QP = -50, -20, -3, REULER = 0D, 90D, 0D",
}


@pytest.mark.parametrize("held", HELD.values(), ids=HELD)
def test_a_heavy_body_without_reactions_passes_all_checks(held):
    """What cancels there is rounded as the forces that act, not as the reactions, which are 0."""
    recording = run(deck_model(HEAVY.format(held=held)).scenario(0.02, 0.01))
    assert [one.channel for one in check(recording) if not one.ok] == []


TURNED = """a loose part under a torsion spring, and what a hinge makes of it
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
PART/2, MASS = 1, CM = 20, IP = 3E4, 3E4, 4E4, WZ = 60
MARKER/20, PART = 2
{held}SFORCE/1, ROTATIONAL, I = 20, J = 10, FUNCTION = -200*AZ(20,10) - 20*WZ(20,10,10)
REQUEST/1, F2 = AZ(20,10)\\F3 = AZ(10,20)
END
"""


@pytest.mark.parametrize("held", ["", "JOINT/1, SPHERICAL, I = 20, J = 10\n"])
def test_angles_count_whole_turns_of_what_no_hinge_holds(held):
    """As the same deck with a hinge; more than three turns forwards."""
    loose, hinged = (
        solved(deck_model(TURNED.format(held=one)).scenario(2.0, 0.1))
        for one in (held, "JOINT/1, REVOLUTE, I = 20, J = 10\n")
    )
    for key in ("F2", "F3"):
        wanted = hinged[f"request.REQUEST_1.{key}"].to_numpy()
        assert np.abs(wanted).max() > 3 * 2 * np.pi
        assert loose[f"request.REQUEST_1.{key}"].to_numpy() == pytest.approx(wanted, abs=1e-9)


SCREW = """a loose part that a GCON makes a screw, ten radians a metre
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
PART/2, MASS = 1, CM = 20, IP = 0.03, 0.03, 0.04
MARKER/20, PART = 2
GCON/1, I = 20, FUNCTION = {function}
REQUEST/1, F2 = AZ(20,10)\\F3 = DZ(20,10)
ACCGRAV/KGRAV = -9.80665
END
"""


@pytest.mark.parametrize(
    "function", ["AZ(20,10) - 10*DZ(20,10,10)", "SIN(AZ(20,10) - 10*DZ(20,10,10))"]
)
def test_a_gcon_counts_whole_turns_of_a_loose_part(function):
    """(m + I p²) z'' = -m g, and the part turns by p z; nothing tilts it."""
    columns = solved(deck_model(SCREW.format(function=function)).scenario(1.5, 0.1))
    z = -9.80665 / (1 + 0.04 * 10**2) * columns.t**2 / 2
    assert z.min() < -2.0  # m; three turns
    assert columns["request.REQUEST_1.F3"].to_numpy() == pytest.approx(z, abs=1e-9)
    assert columns["request.REQUEST_1.F2"].to_numpy() == pytest.approx(10 * z, abs=1e-9)


def test_a_ball_without_inertia_about_its_rod_is_refused_beside_a_spring_too():
    text = (
        BALL.format(i=1, j=20, side=0)
        .replace("IP = 0.04", "IP = 0.0")
        .replace("-50D, 10D", "0D, 0D")
    )
    text = text.replace("JOINT/", "BUSHING/1, I = 20, J = 1, KT = 1, 1, 1\nJOINT/", 1)
    with pytest.raises(
        ScenarioError, match=r"'JOINT_1\.[xyz]' is free and has no inertia along it"
    ):
        solved(deck_model(text).scenario(0.1, 0.05))
