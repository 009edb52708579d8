"""Joints whose freedoms move together: a screw, and two shafts at one speed."""

import numpy as np
import pytest

from sim.checks import check
from sim.decks import deck_model
from sim.errors import DeckError
from sim.simulation import run
from tests.helpers.solved_models import solved

SCREW = """a nut on a steep thread, in millimetres
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
PART/2, MASS = 2, CM = 21, IP = 300, 300, 500, QG = 0, 0, 40, REULER = 20D, 0, 0
MARKER/20, PART = 2
MARKER/21, PART = 2, QP = 0, 0, 5
JOINT/1, SCREW, I = {i}, J = {j}, PITCH = {pitch}
REQUEST/1, D, I = 20, J = 10
REQUEST/2, F, I = 20, J = 10
REQUEST/3, F2 = AZ(20, 10) \\ F3 = JOINT(1,0,4,0) \\ F4 = JOINT(1,0,8,0)
ACCGRAV/KGRAV = -9806.65
END
"""


@pytest.mark.parametrize(("i", "j"), [(20, 10), (10, 20)])
def test_a_nut_falls_along_its_thread(i, j):
    """z'' = -g m / (m + I (2π/p)²), and a turn goes with p; the thread bears the rest."""
    model = deck_model(SCREW.format(i=i, j=j, pitch=60))
    assert model.drives.free == ("JOINT_1_a",)
    columns = solved(model.scenario(0.2, 0.1))
    each = 2 * np.pi / 0.06  # rad/m
    rise = -9.80665 * 2 / (2 + 5e-4 * each**2)
    way = rise * columns.t**2 / 2
    assert columns["request.REQUEST_1.Z"].to_numpy() == pytest.approx(0.04 + way, abs=1e-10)
    turn = columns["request.REQUEST_3.F2"].to_numpy()
    assert turn == pytest.approx(np.deg2rad(20) + each * way, abs=1e-8)
    force = columns["request.REQUEST_2.FZ"].to_numpy()
    assert force == pytest.approx(2 * (9.80665 + rise), abs=1e-8)  # N
    torque = columns["request.REQUEST_2.TZ"].to_numpy()
    assert torque == pytest.approx(5e-4 * each * rise, abs=1e-8)  # N·m
    side = 1 if i == 20 else -1
    for name, wanted in {"F3": force, "F4": torque}.items():
        found = columns[f"request.REQUEST_3.{name}"].to_numpy()
        assert found == pytest.approx(side * wanted, abs=1e-12)


def test_a_motion_of_a_cylinder_beside_a_screw_drives_it():
    """φ'' = 2 rad/s²; the thread gives F = m (g + p φ''/2π) and -F p/2π, the motor the rest."""
    reads = r"JOINT(1,0,4,0)\F3 = JOINT(1,0,8,0)\F4 = JOINT(2,0,1,0)\F6 = MOTION(1,0,8,0)"
    driven = f"REQUEST/4, F2 = {reads}\nJOINT/2, CYLINDRICAL, I = 20, J = 10\n"
    driven += "MOTION/1, ROTATIONAL, JOINT = 2, FUNCTION = 20D + TIME**2\nACCGRAV"
    columns = solved(
        deck_model(SCREW.format(i=20, j=10, pitch=60).replace("ACCGRAV", driven)).scenario(0.2, 0.1)
    )
    r = 0.06 / (2 * np.pi)
    force = 2 * (9.80665 + 2 * r)
    wanted = {"F2": force, "F3": -force * r, "F4": 0, "F6": 2 * 5e-4 + force * r}
    for name, value in wanted.items():
        found = columns[f"request.REQUEST_4.{name}"].to_numpy()
        assert found == pytest.approx(np.full(3, value), abs=1e-10), name  # N, N·m


LEAD = """a spindle that a nut, held by a slide, turns as it falls
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
MARKER/12, PART = 1, QP = 0, 200, 100
PART/2, MASS = 1, CM = 21, IP = 1E4, 1E4, 2E4
MARKER/21, PART = 2
MARKER/22, PART = 2, QP = 0, 0, 100, REULER = 30D, 0D, 0D
PART/3, MASS = 3, CM = 31, QG = 0, 0, 100, IP = 1E6, 1E6, 1E6
MARKER/31, PART = 3
MARKER/32, PART = 3, QP = 0, 200, 0
JOINT/1, REVOLUTE, I = 21, J = 10
JOINT/2, SCREW, I = {i}, J = {j}, PITCH = 500
JOINT/3, TRANSLATIONAL, I = 32, J = 12
REQUEST/1, F2 = DZ(31, 10)\\F3 = AZ(21, 10)
ACCGRAV/KGRAV = -9806.65
END
"""


@pytest.mark.parametrize(("i", "j", "engine"), [(31, 22, "bullet"), (22, 31, "mujoco")])
def test_a_nut_that_cannot_turn_turns_its_spindle(i, j, engine):
    """φ'' = m g r/(I + m r²), r = p/2π, over more than a turn."""
    recording = run(
        deck_model(LEAD.format(i=i, j=j)).scenario(0.6, 0.1), engine=engine, name="lead"
    )
    assert [one.channel for one in check(recording) if not one.ok] == []
    r = 0.5 / (2 * np.pi)
    turn = 3 * 9.80665 * r / (0.02 + 3 * r**2)
    for columns in (recording.recorded, recording.analytic):
        way = turn * columns.index.to_numpy() ** 2 / 2
        assert columns["request.REQUEST_1.F2"].to_numpy() == pytest.approx(0.1 - r * way, abs=1e-9)
        assert columns["request.REQUEST_1.F3"].to_numpy() == pytest.approx(way, abs=1e-8)


def test_a_motor_lifts_the_nut():
    """τ = -m g r: z of the nut falls as the spindle turns forwards."""
    driven = LEAD.replace("ACCGRAV", "MOTION/1, JOINT = 1, FUNCTION = TIME\nACCGRAV")
    columns = solved(deck_model(driven.format(i=31, j=22)).scenario(0.2, 0.1))
    torque = np.full(3, -3 * 9.80665 * 0.5 / (2 * np.pi))
    assert columns["tau.JOINT_1"].to_numpy() == pytest.approx(torque, abs=1e-9)


SHAFTS = """two shafts at an angle of 40 degrees
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, REULER = 90D, 90D, 0D
PART/2, MASS = 1, CM = 20, IP = 0.1, 0.2, 0.2
MARKER/20, PART = 2, REULER = 90D, 90D, 0D
MARKER/22, PART = 2, REULER = 90D, {first}, 0D
PART/3, MASS = 1, CM = 30, IP = 0.1, 0.2, 0.2, WY = 2, WX = 3
MARKER/30, PART = 3, QP = 0.3, 0.1, 0
MARKER/33, PART = 3, REULER = 90D, 130D, 0D
JOINT/1, REVOLUTE, I = 20, J = 10
JOINT/2, CONVEL, I = {i}, J = {j}
REQUEST/1, F2 = ORIENT(27,4,33,22) \\ F3 = ORIENT(27,3,33,22) \\ F4 = ORIENT(27,1,33,22)
ACCGRAV/KGRAV = -9.8
END
"""


@pytest.mark.parametrize(("first", "i", "j"), [("90D", 33, 22), ("-90D", 33, 22), ("-90D", 22, 33)])
def test_a_joint_of_constant_velocity_bends_and_does_not_twist(first, i, j):
    """The shafts' relative turn is about an axis square to them: so they spin at one speed."""
    columns = solved(deck_model(SHAFTS.format(first=first, i=i, j=j)).scenario(0.5, 0.1))
    twist = columns["request.REQUEST_1." + ("F2" if first == "90D" else "F3")].to_numpy()
    assert twist == pytest.approx(0, abs=1e-9)  # of the axis, times sin of half the turn
    assert np.ptp(columns["request.REQUEST_1.F4"].to_numpy()) > 1e-2  # it does bend
    energy = columns["ke"].to_numpy() + columns["pe"].to_numpy()
    assert np.ptp(columns["ke"].to_numpy()) > 0.1
    assert np.ptp(energy) < 1e-9  # J


@pytest.mark.parametrize(("i", "j"), [(33, 22), (22, 33)])
def test_half_a_turn_between_shafts_changes_nothing(i, j):
    typed = SHAFTS.format(first="90D", i=i, j=j)
    turned = typed.replace("REULER = 90D, 90D, 0D\nPART/3", "REULER = 90D, 90D, 180D\nPART/3")
    assert turned != typed
    one, other = (solved(deck_model(text).scenario(0.3, 0.1)) for text in (typed, turned))
    for name in ("pe", "ke", "q.JOINT_1"):
        assert one[name].to_numpy() == pytest.approx(other[name].to_numpy(), abs=1e-9)


DRIVE_SHAFT = """a shaft between two hubs, along 0, 25 and 10 degrees
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, REULER = 90D, 90D, 0D
MARKER/11, PART = 1, QP = 0.906307787036650, 0.422618261740699, 0, REULER = 100D, 90D, 0D
PART/2, MASS = 1, CM = 20, IP = 0.2, 0.2, 0.1
MARKER/20, PART = 2, REULER = 90D, 90D, 0D
PART/3, MASS = 2, CM = 30, IP = 0.3, 0.3, 0.05
MARKER/30, PART = 3, REULER = 115D, 90D, 0D
MARKER/33, PART = 3, QP = 0.906307787036650, 0.422618261740699, 0, REULER = 115D, 90D, 0D
PART/4, MASS = 1, CM = 40, IP = 0.3, 0.3, 0.02
MARKER/40, PART = 4, QP = 0.906307787036650, 0.422618261740699, 0, REULER = 100D, 90D, 0D
JOINT/1, REVOLUTE, I = 20, J = 10
JOINT/2, CONVEL, I = 30, J = 20
JOINT/3, CONVEL, I = 33, J = 40
JOINT/4, REVOLUTE, I = 40, J = 11
SFORCE/1, ROTATIONAL, I = 20, J = 10, FUNCTION = 5
REQUEST/1, F2 = AZ(40, 11)\\F3 = WZ(20, 10, 10)
REQUEST/2, F2 = TM(30, 20)\\F3 = TM(33, 40)\\F4 = JOINT(2,0,5,0)\\F5 = JOINT(3,0,5,0)
END
"""


@pytest.mark.rotates(2)
@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_hubs_of_a_drive_shaft_turn_at_one_speed(engine):
    """ω' = T/ΣI; a joint carries T/cos(bend/2) along the line that halves its shafts' angle."""
    scenario = deck_model(DRIVE_SHAFT).scenario(0.4, 0.1)
    recording = run(scenario, engine=engine, name="shaft")
    assert [one.channel for one in check(recording) if not one.ok] == []
    rate = 5 / (0.1 + 0.05 + 0.02)
    first, second = 0.07 * rate, 0.02 * rate  # N·m behind the one joint and the other
    bends = {"F2": first / np.cos(np.deg2rad(12.5)), "F3": second / np.cos(np.deg2rad(7.5))}
    bends |= {"F4": bends["F2"], "F5": bends["F3"]}
    for columns in (recording.recorded, recording.analytic):
        t = columns.index.to_numpy()
        turn = columns["request.REQUEST_1.F2"].to_numpy()
        assert turn == pytest.approx(rate * t**2 / 2, abs=1e-8)  # rad, of 2.4
        assert columns["request.REQUEST_1.F3"].to_numpy() == pytest.approx(rate * t, abs=1e-8)
        for key, moment in bends.items():
            found = columns[f"request.REQUEST_2.{key}"].to_numpy()
            assert found == pytest.approx(np.full(5, moment), abs=1e-7), key  # N·m


TURNBUCKLE = """a sleeve with a thread of either hand on two rods, in millimetres
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, REULER = 90D, 90D, 0D
PART/2, MASS = 1, CM = 20, IP = 1E4, 1E4, 1E4, QG = -100, 0, 0
MARKER/20, PART = 2, REULER = 90D, 90D, 0D
PART/3, MASS = 1, CM = 30, IP = 1E4, 1E4, 1E4, QG = 100, 0, 0
MARKER/30, PART = 3, REULER = 90D, 90D, 0D
PART/4, MASS = 2, CM = 40, IP = 1E4, 1E4, 400
MARKER/40, PART = 4, REULER = 90D, 90D, 0D
JOINT/1, TRANSLATIONAL, I = 20, J = 10
JOINT/2, TRANSLATIONAL, I = 30, J = 10
JOINT/3, SCREW, I = 20, J = 40, PITCH = {pitch}
JOINT/4, SCREW, I = 40, J = 30, PITCH = -{pitch}
SFORCE/1, ROTATIONAL, ACTIONONLY, I = 40, J = 10, FUNCTION = 50
REQUEST/1, F2 = DX(20, 10)\\F3 = DX(30, 10)\\F4 = AZ(40, 10)\\F5 = JOINT(3,0,2,0)
, \\F6 = JOINT(4,1,2,0)
END
"""


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_a_turnbuckle_draws_its_rods_together(engine):
    """φ'' = T/(I + 2 m r²), r = p/2π, through whole turns; each rod goes by r φ."""
    scenario = deck_model(TURNBUCKLE.format(pitch=20)).scenario(0.5, 0.1)
    recording = run(scenario, engine=engine, name="turnbuckle")
    assert [one.channel for one in check(recording) if not one.ok] == []
    r = 0.02 / (2 * np.pi)
    rate = 0.05 / (4e-4 + 2 * r**2)
    for columns in (recording.recorded, recording.analytic):
        turn = rate * columns.index.to_numpy() ** 2 / 2
        wanted = {"F2": -0.1 - r * turn, "F3": 0.1 + r * turn, "F4": turn}
        wanted |= {"F5": -r * rate + 0 * turn, "F6": r * rate + 0 * turn}  # N on the rods
        for key, row in wanted.items():
            found = columns[f"request.REQUEST_1.{key}"].to_numpy()
            assert found == pytest.approx(row, abs=1e-8), key


BAD = {
    "JOINT/1, SCREW, I = 20, J = 10": "JOINT/1: SCREW: PITCH, the travel per turn",
    "JOINT/1, SCREW, I = 20, J = 10, PITCH = 5\nMOTION/1, ROTATIONAL, JOINT = 1, FUNCTION = TIME": (
        "MOTION/1: JOINT/1 is SCREW; a MOTION drives one of REVOLUTE, TRANSLATIONAL, CYLINDRICAL"
    ),
    "JOINT/1, REVOLUTE, I = 20, J = 10, MU1 = 0.1": "JOINT/1: MU1: friction in a JOINT is not",
}


@pytest.mark.parametrize("joint", BAD)
def test_a_joint_that_cannot_be_is_refused(joint):
    text = SCREW.replace("JOINT/1, SCREW, I = {i}, J = {j}, PITCH = {pitch}", joint)
    text = text.replace("QG = 0, 0, 40, REULER = 20D, 0, 0", "QG = 0, 0, 0").replace("REQUEST", "!")
    with pytest.raises(DeckError, match=BAD[joint]):
        deck_model(text)
