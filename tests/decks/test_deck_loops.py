"""Loops of a deck: joints beyond its tree, JPRIM and GCON, against closed solutions."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import sim
from sim.checks import check
from sim.decks import convert, deck_model
from sim.decks.closed_places import nearest_closed
from sim.errors import DeckError
from sim.scenario import load_script
from sim.simulation import run
from tests.helpers.adams_files import swing
from tests.helpers.solved_models import solved

LOOSE = """a bar that a few statements hold
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, REULER = 180D, 90D, 180D
MARKER/11, PART = 1
PART/2, MASS = 1, CM = 21, IP = 4E4, 1E5, 1E5
MARKER/20, PART = 2, REULER = 180D, 90D, 180D
MARKER/21, PART = 2, QP = 2000, 0, 0
MARKER/22, PART = 2, QP = 0, 0, 0
REQUEST/1, D, I = 21, J = 11
ACCGRAV/KGRAV = -9806.65
{held}
END
"""
HINGES = {  # the z axes of 10 and 20 are along y, those of 11 and 22 along z
    "a line and a plane": "JPRIM/1, INLINE, I = 20, J = 10\nJPRIM/2, INPLANE, I = 20, J = 10\n"
    "JPRIM/3, PARALLEL_AXES, I = 20, J = 10\nREQUEST/2, "
    "F2 = JPRIM(1,1,2,11)\\F3 = VARVAL(1)\\F4 = JPRIM(1,1,4,0)\n"
    "VARIABLE/1, FUNCTION = JPRIM(2,1,3,0)",
    "a function along the axes of the world": "JPRIM/1, ATPOINT, I = 22, J = 11\n"
    "JPRIM/2, PERPENDICULAR, I = 22, J = 10\nGCON/1, I = 21, FUNCTION = DY(21,10)*3",
    "a right angle and a function": "JPRIM/1, ATPOINT, I = 22, J = 11\n"
    "JPRIM/2, PERPENDICULAR, I = 22, J = 10\nGCON/1, I = 21, FUNCTION = DY(21)*3",
}
PUSH = "MARKER/12, PART = 1, FLOATING\nVFORCE/1, I = 22, JFLOAT = 12, RM = 11, FX = 7\n"
FALLS = {
    "a line": "JPRIM/1, INLINE, I = 22, J = 11\nJPRIM/2, ORIENTATION, I = 22, J = 11\n"
    f"{PUSH}REQUEST/2, F2 = JPRIM(1,0,2,0)\\F3 = JPRIM(1,1,2,0)\\F4 = JPRIM(1,1,7,0)",
    "two joints": "JOINT/1, PLANAR, I = 20, J = 10\nJOINT/2, TRANSLATIONAL, I = 22, J = 11",
    "two slides, turned": "JOINT/1, TRANSLATIONAL, I = 22, J = 11\n"
    "JOINT/2, TRANSLATIONAL, I = 23, J = 11\nMARKER/23, PART = 2, REULER = 30D, 0D, 0D",
}


@pytest.mark.parametrize("held", HINGES.values(), ids=HINGES)
def test_what_holds_as_a_hinge_does_swings_as_a_pendulum(held):
    columns = solved(deck_model(LOOSE.format(held=held)).scenario(0.2, 0.04))
    for axis, row in zip("XYZ", swing(0.0)["Pos"], strict=True):
        off = np.abs(columns[f"request.REQUEST_1.{axis}"].to_numpy() - row[:21:4]).max()
        assert off < 1e-9  # m; two integrations at 1e-11
    if "JPRIM(" in held:
        for key, row in zip(("F2", "F3", "F4"), swing(0.0)["Rforce"], strict=True):
            found = columns[f"request.REQUEST_2.{key}"].to_numpy()
            assert found == pytest.approx(row[:21:4], abs=1e-6)  # N on the ground, of 15


@pytest.mark.parametrize("held", FALLS.values(), ids=FALLS)
def test_what_holds_as_a_slide_does_falls(held):
    columns = solved(deck_model(LOOSE.format(held=held)).scenario(0.4, 0.04))
    fall = -9.80665 * columns.t**2 / 2
    for axis, row in zip("XYZ", (2 + 0 * fall, 0 * fall, fall), strict=True):
        assert columns[f"request.REQUEST_1.{axis}"].to_numpy() == pytest.approx(row, abs=1e-9)
    assert columns["request.REQUEST_1.THETA"].to_numpy() == pytest.approx(0, abs=1e-9)
    if "JPRIM(" in held:  # 7 N along x on the bar, where its marker has fallen to
        wanted = {"F2": -7 + 0 * fall, "F3": 7 + 0 * fall, "F4": 7 * fall}  # N, N, N·m about y
        for key, row in wanted.items():
            assert columns[f"request.REQUEST_2.{key}"].to_numpy() == pytest.approx(row, abs=1e-8)


RODS = (
    "DM(11,0021) - 2000",
    "SQRT(DX(21,11,11)**2 + DY(21,11,11)**2 + DZ(21,11,11)**2) - VARVAL(3)",
    "DX(11,21)**2 + DY(11,21)**2 + DZ(11,21)**2 - VARVAL(3)**2",
)


@pytest.mark.parametrize("function", RODS)
def test_a_gcon_is_a_rod(function, tmp_path):
    """At the mass centre: a point on a circle, θ'' = g cos θ / l from the level."""
    held = f"GCON/1, I = 21, FUNCTION = {function}\nVARIABLE/3, FUNCTION = 2000\n"
    held += "REQUEST/2, F, I = 11, J = 21"
    model = deck_model(LOOSE.format(held=held), "rod.adm")
    columns = solved(model.scenario(0.1, 0.05))
    x, z = (columns[f"request.REQUEST_1.{axis}"].to_numpy() for axis in "XZ")
    swung = solve_ivp(
        lambda t, y: [y[1], 9.80665 * np.cos(y[0]) / 2], (0, 0.1), [0, 0], "DOP853", columns.t,
        rtol=1e-12, atol=1e-12,
    )  # fmt: skip
    assert x == pytest.approx(2 * np.cos(swung.y[0]), abs=1e-9)  # m; two integrations at 1e-11
    assert z == pytest.approx(-2 * np.sin(swung.y[0]), abs=1e-9)
    pull = 9.80665 * np.sin(swung.y[0]) + 2 * swung.y[1] ** 2  # N
    assert columns["request.REQUEST_2.FM"].to_numpy() == pytest.approx(pull, abs=1e-8)
    down = -pull * np.sin(swung.y[0])  # on the ground
    assert columns["request.REQUEST_2.FZ"].to_numpy() == pytest.approx(down, abs=1e-8)
    if function is RODS[0]:
        assert columns["loop.GCON_1.tension"].to_numpy() == pytest.approx(pull, abs=1e-8)
        convert(model, tmp_path)
        scenario, _ = load_script(str(tmp_path / "rod.py")).build({"duration": 0.1, "dt": 0.05})
        assert (solved(scenario)["request.REQUEST_1.Z"].to_numpy() == z).all()
        convert(deck_model(LOOSE.format(held=""), "rod.adm"), tmp_path)
        assert sim.load_robot(tmp_path / "rod.urdf").loops == ()  # none of the earlier deck


FOUR_BAR = """a crank that drives a rocker
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
MARKER/11, PART = 1, QP = 0.45, 0, 0
PART/2, MASS = 1, CM = 20, IP = 0.01, 0.01, 0.01
MARKER/20, PART = 2
MARKER/21, PART = 2, QP = 0.2, 0, 0
PART/3, MASS = 1, CM = 30, IP = 0.01, 0.01, 0.01, QG = 0.2, 0, 0, REULER = {coupler}, 0, 0
MARKER/30, PART = 3
MARKER/31, PART = 3, QP = 0.4, 0, 0
PART/4, MASS = 1, CM = 40, IP = 0.01, 0.01, 0.01, QG = 0.45, 0, 0, REULER = {rocker}, 0, 0
MARKER/40, PART = 4
MARKER/41, PART = 4, QP = 0.3, 0, 0
JOINT/1, {kind}, I = 31, J = 41
JOINT/2, REVOLUTE, I = 30, J = 21
JOINT/3, REVOLUTE, I = 20, J = 10
JOINT/4, REVOLUTE, I = 40, J = 11
REQUEST/1, D, I = 41, J = 11
{more}
END
"""
DRIVE = "MOTION/1, JOINT = 3, FUNCTION = 2*TIME"


def rocker(crank):
    """Angles of coupler and rocker by the law of cosines; the coupler is above."""
    x, y = 0.2 * np.cos(crank), 0.2 * np.sin(crank)
    d, to = np.hypot(0.45 - x, -y), np.arctan2(-y, 0.45 - x)
    coupler = to + np.arccos((0.4**2 + d**2 - 0.3**2) / (2 * 0.4 * d))
    tip = x + 0.4 * np.cos(coupler), y + 0.4 * np.sin(coupler)
    return coupler, np.arctan2(tip[1], tip[0] - 0.45)


def four_bar(kind, more):
    coupler, angle = rocker(0.0)
    return FOUR_BAR.format(coupler=coupler, rocker=angle, kind=kind, more=more)


@pytest.mark.parametrize("kind", ["REVOLUTE", "SPHERICAL", "CYLINDRICAL"])
def test_a_crank_that_is_driven_moves_a_rocker(kind):
    model = deck_model(four_bar(kind, DRIVE))
    assert model.method == "ideal"
    columns = solved(model.scenario(3.0, 0.1))
    assert columns["q.JOINT_3"].to_numpy() == pytest.approx(2 * columns.t, abs=1e-12)
    angle = rocker(2 * columns.t)[1]
    for axis, row in zip("XYZ", (np.cos(angle), np.sin(angle), 0 * angle), strict=True):
        of_tip = columns[f"request.REQUEST_1.{axis}"].to_numpy()
        assert of_tip == pytest.approx(0.3 * row, abs=1e-9)  # m


def test_a_leaning_machine_that_is_typed_with_few_digits_moves():
    """Rounding puts the rocker's plane beside the crank's, where no joint can close the ball."""
    leans, (coupler, angle) = Rotation.from_euler("ZXZ", [0.5, 0.7, 0.9]), rocker(0.0)

    def typed(x, turn):
        euler = (leans * Rotation.from_euler("Z", turn)).as_euler("ZXZ")
        place, turned = (", ".join(f"{v:.6f}" for v in each) for each in (leans.apply(x), euler))
        return f"{place}, REULER = {turned}"

    text = FOUR_BAR
    for old, new in (
        ("MARKER/10, PART = 1", f"MARKER/10, PART = 1, QP = {typed([0, 0, 0], 0)}"),
        ("QP = 0.45, 0, 0", f"QP = {typed([0.45, 0, 0], 0)}"),
        ("CM = 20,", f"CM = 20, QG = {typed([0, 0, 0], 0)},"),
        ("QG = 0.2, 0, 0, REULER = {coupler}, 0, 0", f"QG = {typed([0.2, 0, 0], coupler)}"),
        ("QG = 0.45, 0, 0, REULER = {rocker}, 0, 0", f"QG = {typed([0.45, 0, 0], angle)}"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    columns = solved(deck_model(text.format(kind="SPHERICAL", more=DRIVE)).scenario(0.5, 0.1))
    tip = columns[[f"request.REQUEST_1.{axis}" for axis in "XYZ"]].to_numpy()
    turned = rocker(2 * columns.t)[1]
    level = np.column_stack([np.cos(turned), np.sin(turned), 0 * turned])
    # half a digit of three numbers each, of angles times 0.4 m, over the sine between the bars
    assert tip == pytest.approx(leans.apply(0.3 * level), abs=5e-6)  # m


def test_the_nearest_closed_positions_leave_what_is_held():
    """The crank 0.3 rad on: coupler and rocker follow by the law of cosines."""
    scenario = deck_model(four_bar("SPHERICAL", DRIVE)).scenario()
    robot = scenario.robot
    typed = scenario.motion.on(robot, scenario.duration).at(np.zeros(1)).q
    crank, coupler, rockers = (robot.row_names.index(f"JOINT_{id}") for id in (3, 2, 4))
    q, reach = typed.copy(), np.ones(3)
    q[crank], reach[crank] = 0.3, 0.0
    moved = nearest_closed(robot, q, reach) - typed
    (before, at), (after, to) = rocker(0.0), rocker(0.3)
    assert moved[crank, 0] == pytest.approx(0.3, abs=1e-15)
    assert moved[coupler, 0] == pytest.approx(after - before - 0.3, abs=1e-12)  # rad
    assert moved[rockers, 0] == pytest.approx(to - at, abs=1e-12)


SPATIAL = """a crank, a rod with a ball at the crank, a slider along x at y = 60
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, REULER = 180D, 90D, 180D
MARKER/11, PART = 1, QP = 250, 60, 0, REULER = 90D, 90D, 0D
PART/2, MASS = 1, CM = 20, IP = 1E3, 1E3, 1E2
MARKER/20, PART = 2, REULER = 180D, 90D, 180D
MARKER/21, PART = 2, QP = 0, 0, 80
PART/3, MASS = 2, CM = 30, IP = 2E3, 2E4, 2E4, QG = 0, 0, 80
, WX = {spin[0]}, WY = {spin[1]}, WZ = {spin[2]}
MARKER/30, PART = 3
MARKER/31, PART = 3, QP = 250, 60, -80
PART/4, MASS = 3, CM = 40, IP = 1E3, 1E3, 1E3, QG = 250, 60, 0
MARKER/40, PART = 4, REULER = 90D, 90D, 0D
MARKER/41, PART = 4, REULER = 90D, 0D, 0D
MARKER/42, PART = 4
JOINT/1, REVOLUTE, I = 20, J = 10
JOINT/2, SPHERICAL, I = 30, J = 21
JOINT/3, TRANSLATIONAL, I = 40, J = 11
{held}
MOTION/1, ROTATION, JOINT = 1, FUNCTION = {start}D + 90D*(1 - COS(6*TIME))
REQUEST/1, D, I = 40, J = 11
REQUEST/2, F2 = WX(30)\\F3 = WY(30)\\F4 = WZ(30)
ACCGRAV/KGRAV = -9806.65
END
"""
ENDS = {  # of the rod at the slider, and where the crank starts
    "a ball": ("JOINT/4, SPHERICAL, I = 31, J = 41", 0),
    "a ball, and the crank elsewhere": ("JOINT/4, SPHERICAL, I = 31, J = 41", 10),
    "a universal joint": (
        "MARKER/32, PART = 3, QP = 250, 60, -80\nMARKER/43, PART = 4, REULER = 0D, 90D, 0D\n"
        "JOINT/4, UNIVERSAL, I = 32, J = 43",
        0,
    ),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_crank_drives_a_slider_by_a_rod_on_balls(end):
    """Nothing is free, or but the rod about its axis, which spins as the deck says."""
    (held, start), engine = ENDS[end], "mujoco" if end == "a ball" else "bullet"
    spin = np.array([2.5, 0.6, -0.8]) * (end == "a ball")  # rad/s, along the rod
    scenario = deck_model(SPATIAL.format(held=held, start=start, spin=spin)).scenario(0.1, 0.05)
    recording = run(scenario, engine=engine, name="spatial")
    assert [one.channel for one in check(recording) if not one.ok] == []
    for columns in (recording.recorded, recording.analytic):
        angle = np.deg2rad(start + 90 * (1 - np.cos(6 * columns.index.to_numpy())))
        across = 250**2 + 80**2 - (80 * np.cos(angle)) ** 2  # of the rod along x, mm²
        moved = 80 * np.sin(angle) + np.sqrt(across) - 250
        assert columns["request.REQUEST_1.X"].to_numpy() == pytest.approx(
            moved / 1e3, abs=1e-10
        )  # m
        found = [columns[f"request.REQUEST_2.{key}"].iloc[0] for key in ("F2", "F3", "F4")]
        assert found == pytest.approx(spin, abs=1e-10)


def test_a_joint_of_what_is_held_already_is_passed_over():
    """As ADAMS leaves out equations that others repeat; a hinge of two parts that are welded."""
    more = "PART/5, MASS = 1, CM = 50, IP = 0.01, 0.01, 0.01\nMARKER/50, PART = 5\n"
    more += "JOINT/5, FIXED, I = 20, J = 50\nJOINT/6, REVOLUTE, I = 20, J = 50\n"
    more += "REQUEST/2, F2 = JOINT(6,0,2,0)\\F3 = FX(20, 50)\\F4 = JOINT(3,0,2,0)"
    scenario = deck_model(four_bar("REVOLUTE", f"{DRIVE}\n{more}"), "twice.adm").scenario(0.1, 0.05)
    assert len(scenario.robot.loops) == 1
    told = " ".join(scenario.notes)
    assert "JOINT/6: ignored, as FIXED joints already connect its parts" in told
    assert "not recorded are F2: JOINT(6): FIXED joints hold its parts" in told
    assert "request.REQUEST_2.F4" in solved(scenario)


def test_a_machine_at_rest_is_a_truss():
    """The coupler's kilogram hangs at the pin that closes the loop; two bars carry it."""
    held = DRIVE.replace("2*TIME", "0") + "\nACCGRAV/JGRAV = -9.8\nREQUEST/2, F, I = 31, J = 41\n"
    held += "REQUEST/3, F2 = JOINT(1,1,2,0)\\F3 = JOINT(1,1,3,10)\\F4 = JOINT(1,0,5,0)"
    text = four_bar("SPHERICAL", held).replace("CM = 30", "CM = 31")
    scenario = deck_model(text).scenario(0.1, 0.05)
    assert any("1 of 3 equations of the loops repeat others" in note for note in scenario.notes)
    by_name = sim.Request("pin", {"x": "JOINT(joint_1, 0, 2, 0)"})  # as a script has it
    recording = run(replace(scenario, requests=(*scenario.requests, by_name)), name="truss")
    assert [one.channel for one in check(recording) if not one.ok] == []
    coupler, angle = rocker(0.0)
    bars = np.array([[np.cos(coupler), np.cos(angle)], [np.sin(coupler), np.sin(angle)]])
    push = np.linalg.solve(bars, [0.0, 9.8])[1]  # of the rocker on the pin
    x, y = push * np.cos(angle), push * np.sin(angle)
    wanted = {"REQUEST_2.FX": x, "REQUEST_2.FY": y, "REQUEST_2.FM": abs(push), "pin.x": x}
    wanted |= {"REQUEST_3.F2": -x, "REQUEST_3.F3": -y, "REQUEST_3.F4": 0.0}
    for answer in (recording.recorded, recording.analytic):
        for channel, value in wanted.items():  # N, N·m; engines compute to 1e-9 of the weight
            assert answer[f"request.{channel}"].to_numpy() == pytest.approx(value, abs=1e-8)


def test_a_machine_that_swings_keeps_its_energy():
    model = deck_model(four_bar("SPHERICAL", "ACCGRAV/JGRAV = -9.8"))
    assert model.method == "adaptive"
    assert len(model.drives.free) == 1
    columns = solved(model.scenario(0.4, 0.05))
    energy = columns["ke"].to_numpy() + columns["pe"].to_numpy()
    assert columns["ke"].to_numpy().max() > 0.1
    assert np.ptp(energy) < 1e-9  # J


BAD = {
    "JOINT/1, REVOLUTE, I = 21, J = 22": r"JOINT/1: its markers I and J are on one part",
    "JPRIM/1, I = 21, J = 10": r"JPRIM/1: it needs one kind: ATPOINT, INLINE",
    "JPRIM/1, INLINE, I = 21, J = 20": r"JPRIM/1: .* no joint moves between",
    "GCON/1, I = 21, FUNCTION = DM(21,11) - 2000*TIME": r"GCON/1: .*depends on TIME",
    "GCON/1, I = 21, FUNCTION = DM(21,11) - DM(22,11)": r"GCON/1: .*more than two markers",
    "GCON/1, I = 21, FUNCTION = VM(21,11)": r"GCON/1: .*reads no two markers",
    "GCON/1, I = 21, FUNCTION = DM(21,99)": r"GCON/1: there is no MARKER/99",
    "SPLINE/5, X = 1,2,3,4, Y = 1,2,3,4\nGCON/1, FUNCTION = CUBSPL(DX(21,11), 0, 5)": "CUBSPL is",
    "DIFF/11, FUNCTION = 1\nGCON/1, FUNCTION = DY(21,11) - DIF(11)": "GCON/1: DIF is not .* SFORCE",
    "GCON/1, I = 21": r"GCON/1: it has no FUNCTION",
    "UCON/1": r"UCON/1: a constraint by a subroutine",
}


@pytest.mark.parametrize("held", BAD)
def test_a_loop_that_cannot_be_is_refused_by_line_and_statement(held):
    with pytest.raises(DeckError, match=BAD[held]):
        deck_model(LOOSE.format(held=held))
