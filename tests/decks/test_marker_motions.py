"""MOTIONs between markers against the motion that they ask for, by where the parts are then."""

import re

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.spatial.transform import Rotation

from sim.checks import check
from sim.decks import deck_model
from sim.errors import DeckError
from sim.simulation import run
from tests.helpers.solved_models import solved

DECK = """a body on a joint, in millimetres
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, REULER = 20D, 90D, 0D
MARKER/11, PART = 1, QP = 70, 0, 50, REULER = 20D, 90D, 0D
MARKER/12, PART = 1, REULER = 110D, 90D, 90D
PART/2, MASS = 2, CM = 20, IP = 1E4, 1E4, 1E4
MARKER/20, PART = 2, REULER = 20D, 90D, 0D
MARKER/21, PART = 2, QP = 0, 30, 0, REULER = 20D, 90D, 35D
MARKER/22, PART = 2, REULER = 110D, 90D, 90D
JOINT/1, {kind}, I = {ends}
{motion}
REQUEST/1, F2 = {read} \\ F3 = {rate}
END
"""
CASES = {  # kind, ends of the joint, ends and axis of the motion, what reads it
    "turned as typed": (
        "REVOLUTE", "20, J = 10", "I = 21, J = 10, B3", "AZ(21,10)", "WZ(21,10,10)",
    ),
    "joint the other way": (
        "REVOLUTE", "10, J = 20", "I = 21, J = 11, B3", "AZ(21,11)", "WZ(21,11,11)",
    ),
    "motion the other way": (
        "CYLINDRICAL", "20, J = 10", "I = 11, J = 21, B3", "AZ(11,21)", "WZ(11,21,21)",
    ),
    "slide": (
        "TRANSLATIONAL", "20, J = 10", "I = 21, J = 11, Z", "DZ(21,11,11)", "VZ(21,11,11)",
    ),
    "slide the other way": (
        "CYLINDRICAL", "10, J = 20", "I = 11, J = 21, Z", "DZ(11,21,21)", "VZ(11,21,21)",
    ),
    "along another axis": (
        "TRANSLATIONAL", "20, J = 10", "I = 21, J = 12, {axis}", "D{axis}(21,12,12)",
        "V{axis}(21,12,12)",
    ),
}  # fmt: skip
UNIT = {"A": 1.0, "D": 1e-3}  # of a request, in the deck's


def deck(case, function, options=""):
    kind, ends, motion, read, rate = CASES[case]
    law = f"MOTION/7, {motion}{options}, FUNCTION = {function}"
    text = DECK.format(kind=kind, ends=ends, motion=law, read=read, rate=rate)
    return text.replace("{axis}", AXIS)


AXIS = "Y"  # of marker 12, along z of 10


@pytest.mark.parametrize("case", CASES)
def test_markers_move_as_the_motion_says(case):
    """Whichever way joint and motion are typed, and from wherever they start."""
    columns = solved(deck_model(deck(case, "0.4 - 3*TIME**2")).scenario(0.2, 0.02))
    one, t = UNIT[CASES[case][3][0]], columns.t
    assert columns["request.REQUEST_1.F2"].to_numpy() == pytest.approx(
        one * (0.4 - 3 * t**2), abs=1e-12
    )
    assert columns["request.REQUEST_1.F3"].to_numpy() == pytest.approx(-6 * one * t, abs=1e-12)


@pytest.mark.parametrize("case", ["motion the other way", "slide the other way"])
def test_a_velocity_starts_where_it_says(case):
    text = deck(case, "5*TIME", ", VELOCITY, ICDISP = 0.3")
    columns = solved(deck_model(text).scenario(0.2, 0.02))
    one, t = UNIT[CASES[case][3][0]], columns.t
    off = columns["request.REQUEST_1.F2"].to_numpy() - one * (0.3 + 2.5 * t**2)
    assert np.abs(off).max() < 1e-12


REFUSED = {
    "I = 21, J = 11, X": "no REVOLUTE.*slides along x of J",
    "I = 21, J = 12, B2": "turned by .* degrees about other axes than y of J",
    "I = 21, J = 11": "it needs JOINT, or I, J and one of X, Y, Z, B1",
    "I = 21, B3": "it needs JOINT, or I, J and one of",
    "I = 21, J = 99, B3": "there is no MARKER/99",
}


@pytest.mark.parametrize("motion", REFUSED)
def test_a_motion_that_no_joint_leaves_is_refused(motion):
    law = f"MOTION/7, {motion}, FUNCTION = TIME"
    text = DECK.format(kind="REVOLUTE", ends="20, J = 10", motion=law, read="TIME", rate="TIME")
    with pytest.raises(DeckError, match=f"line 12, MOTION/7: .*{REFUSED[motion]}"):
        deck_model(text)


def asked_of(text, functions, end=0.1):
    asked = "".join(f"REQUEST/9{k}, FUNCTION = {one}\n" for k, one in enumerate(functions))
    columns = solved(
        deck_model(text.replace("REQUEST/1", f"{asked}REQUEST/1", 1)).scenario(end, 0.1)
    )
    return [columns[f"request.REQUEST_9{k}.FUNCTION"].to_numpy() for k in range(len(functions))]


@pytest.mark.parametrize("case", CASES)
def test_a_motion_acts_on_its_own_markers(case):
    """By m x'' or I φ'' on marker I along an axis of J, whichever part that is, and back on J."""
    motion = CASES[case][2].replace("{axis}", AXIS)
    i, j = re.findall(r"\d\d", motion)
    turns, way = "B3" in motion, "Y" if motion.endswith("Y") else "Z"
    place = "XYZ".index(way) + (6 if turns else 2)
    read = [f"MOTION(7,{side},{place},{j})" for side in (0, 1)]
    read.append(f"{'FT'[turns]}{way}({i},{j},{j})")
    push = -6 * (0.01 if turns else 2e-3)  # N·m or N
    found = np.transpose(asked_of(deck(case, "0.4 - 3*TIME**2"), read))
    assert found == pytest.approx(np.tile([push, -push, push], (2, 1)), abs=1e-12)


def test_a_motion_off_the_axis_of_its_joint_loads_the_joint_by_its_moment():
    """JOINT is the moment of the force on I, 30 mm off; on J that force has one too."""
    read = ["JOINT(1,0,8,0)", "JOINT(1,1,8,0)", "MOTION(7,0,8,0)", "MOTION(7,1,8,0)", "FZ(20,10)"]
    found = np.transpose(asked_of(deck("slide", "0.4 - 3*TIME**2"), read))[0]
    along, push = np.radians(20), -0.012  # N, along (sin, -cos, 0)
    joint, back = 0.03 * push * np.sin(along), push * (0.03 * np.sin(along) - 0.07 * np.cos(along))
    assert found == pytest.approx([joint, -joint, 0, back, 0], abs=1e-12)


def test_motions_of_one_joint_are_told_apart():
    """Along and about the axis of a CYLINDRICAL: m x'' and I φ''."""
    two = "MOTION/8, ROTATION, JOINT = 1, FUNCTION = TIME**2\nMOTION/7, TRANSLATION, JOINT = 1"
    text = deck("motion the other way", "3*TIME**2").replace("MOTION/7, I = 11, J = 21, B3", two)
    read = [f"MOTION({id},0,{place},10)" for id in (7, 8) for place in (4, 8)]
    assert np.transpose(asked_of(text, read))[0] == pytest.approx([0.012, 0, 0, 0.02], abs=1e-12)


GENERAL = """a part without joints, moved by six motions, in millimetres
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, QP = 5, 0, 0
!  adams_view_name='table'
PART/2, MASS = 2, CM = 20, IP = 1E3, 1E3, 4E3, QG = 30, 0, 0
MARKER/20, PART = 2, QP = 100, 0, 0
MARKER/21, PART = 2
MOTION/1, X, I = 21, J = 10, FUNCTION = 25 + 50*SIN(4*TIME)
MOTION/2, Y, I = 21, J = 10, FUNCTION = 0
MOTION/3, Z, I = 21, J = 10, FUNCTION = 0
MOTION/4, B1, I = 21, J = 10, FUNCTION = 0
MOTION/5, B2, I = 21, J = 10, FUNCTION = 0
MOTION/6, B3, I = 21, J = 10, VELOCITY, FUNCTION = 3
REQUEST/1, D, I = 20, J = 10
ACCGRAV/KGRAV = -9806.65
END
"""


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_motions_of_all_directions_move_a_part_that_no_joint_carries(engine):
    """Of the mass centre x + c cos φ, c sin φ; forces m a, a moment about z of I by x''."""
    recording = run(deck_model(GENERAL).scenario(0.4, 0.1), engine=engine, name="table")
    assert [one.channel for one in check(recording) if not one.ok] == []
    for columns in (recording.recorded, recording.analytic):
        t = columns.index.to_numpy()
        phi, push = 3 * t, -0.05 * 16 * np.sin(4 * t)
        x = 0.025 + 0.05 * np.sin(4 * t) + 0.1 * np.cos(phi)
        wanted = {"request.REQUEST_1.X": x, "request.REQUEST_1.Y": 0.1 * np.sin(phi)}
        wanted["tau.table_x"] = 2 * (push - 0.1 * 9 * np.cos(phi))
        wanted["tau.table_y"] = 2 * -0.1 * 9 * np.sin(phi)
        wanted["tau.table_z"] = 2 * 9.80665 + 0 * t
        wanted["tau.table_b3"] = -2 * 0.1 * np.sin(phi) * push
        for channel, row in wanted.items():  # m, N, N·m
            assert columns[channel].to_numpy() == pytest.approx(row, abs=1e-9), channel


def test_motions_of_all_directions_apply_the_wrench_of_newton_and_euler():
    """m a and I α of a ball; each torque is normal to the axes of the other two angles."""
    laws = {1: "200*TIME**2", 4: "0.7 + TIME", 5: "0.5*TIME**2 - 0.4", 6: "0.3 - 2*TIME"}
    text = re.sub("FUNCTION = 3$", "FUNCTION = 0", GENERAL, flags=re.M).replace("VELOCITY, ", "")
    for id, law in laws.items():
        text = re.sub(rf"(MOTION/{id}, .*FUNCTION =).*", rf"\1 {law}", text)
    text = text.replace("1E3, 1E3, 4E3", "4E3, 4E3, 4E3").replace("QP = 100", "QP = 0")
    read = [f"MOTION({k},0,{place},0)" for k in range(1, 7) for place in (2, 3, 4, 6, 7, 8)]
    wrench = np.transpose(asked_of(text, read)).reshape(2, 6, 6)[1]
    w = 1.0, 0.1, -2.0  # rates of the angles at 0.1 s
    turn = Rotation.from_euler("XYZ", [0.8, 0.005 - 0.4, 0.1])
    x, y, z = np.eye(3)[0], Rotation.from_euler("X", 0.8).apply([0, 1, 0]), turn.apply([0, 0, 1])
    spin = y + np.cross(w[0] * x, w[1] * y) + np.cross(w[0] * x + w[1] * y, w[2] * z)
    assert wrench.sum(axis=0)[:3] == pytest.approx([0.8, 0, 2 * 9.80665], abs=1e-9)
    assert wrench.sum(axis=0)[3:] == pytest.approx(4e-3 * spin, abs=1e-9)
    for torque, others in zip(wrench[3:, 3:], ((y, z), (z, x), (x, y)), strict=True):
        assert [torque @ other for other in others] == pytest.approx([0, 0], abs=1e-12)


ARM = """an arm of two bars with masses at their ends, whose tool is moved
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
PART/2, MASS = 3, CM = 22, IP = 0, 0, 0
MARKER/20, PART = 2
MARKER/22, PART = 2, QP = 500, 0, 0
PART/3, MASS = 2, CM = 32, IP = 0, 0, 0, QG = 500, 0, 0, REULER = 90D, 0D, 0D
MARKER/30, PART = 3
MARKER/32, PART = 3, QP = 400, 0, 0
JOINT/1, REVOLUTE, I = 20, J = 10
JOINT/2, REVOLUTE, I = 30, J = 22
!  adams_view_name='along'
MOTION/1, X, I = 32, J = 10, FUNCTION = 450 + 50*COS(3*TIME)
MOTION/2, Y, I = 32, J = 10, FUNCTION = 400 + 50*SIN(3*TIME)
REQUEST/1, F2 = AZ(20, 10)\\F3 = AZ(30, 22)
ACCGRAV/JGRAV = -9806.65
END
"""


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_motions_move_the_tool_of_an_arm(engine):
    """The joints by the law of cosines; bars without torque carry forces along themselves."""
    recording = run(deck_model(ARM).scenario(0.5, 0.1), engine=engine, name="arm")
    assert [one.channel for one in check(recording) if not one.ok] == []
    t = recording.analytic.index.to_numpy()
    tool = np.array([0.45 + 0.05 * np.cos(3 * t), 0.4 + 0.05 * np.sin(3 * t)])
    rate = 0.15 * np.array([-np.sin(3 * t), np.cos(3 * t)])
    second = -0.45 * np.array([np.cos(3 * t), np.sin(3 * t)])
    elbow = np.arccos(((tool**2).sum(axis=0) - 0.41) / 0.4)
    first = np.arctan2(tool[1], tool[0])
    first -= np.arctan2(0.4 * np.sin(elbow), 0.5 + 0.4 * np.cos(elbow))
    down, pushes = np.array([0, -9.80665]), []
    for k, a in enumerate(first):
        u, v = (np.array([np.cos(x), np.sin(x)]) for x in (a, a + elbow[k]))
        across = np.column_stack([0.5 * np.array([-u[1], u[0]]), 0.4 * np.array([-v[1], v[0]])])
        w = np.linalg.solve(across, rate[:, k])
        lost = second[:, k] + 0.5 * w[0] ** 2 * u + 0.4 * w[1] ** 2 * v
        turn = np.linalg.solve(across, lost)
        of_elbow = across[:, 0] * turn[0] - 0.5 * w[0] ** 2 * u
        _, pull = np.linalg.solve(np.column_stack([-u, v]), 3 * (of_elbow - down))
        pushes.append(2 * (second[:, k] - down) + pull * v)
    wanted = {"request.REQUEST_1.F2": first, "request.REQUEST_1.F3": elbow}
    wanted |= dict(zip(("tau.along", "tau.MOTION_2"), np.transpose(pushes), strict=True))
    for columns in (recording.recorded, recording.analytic):
        for channel, row in wanted.items():  # rad, N
            assert columns[channel].to_numpy() == pytest.approx(row, abs=1e-8), channel


SIX_AXES = """an arm of six axes: about z, y, y, x, y and z
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1
PART/2, MASS = 5, CM = 20, IP = 1E4, 1E4, 1E4
MARKER/20, PART = 2
MARKER/21, PART = 2, QP = 0, 0, 300, REULER = 180D, 90D, 180D
PART/3, MASS = 4, CM = 30, IP = 1E4, 1E4, 1E4, QG = 0, 0, 300, REULER = 0D, 0D, 0D
MARKER/30, PART = 3, REULER = 180D, 90D, 180D
MARKER/31, PART = 3, QP = 200, 0, 300, REULER = 180D, 90D, 180D
PART/4, MASS = 3, CM = 40, IP = 1E4, 1E4, 1E4, QG = 200, 0, 600
MARKER/40, PART = 4, REULER = 180D, 90D, 180D
MARKER/41, PART = 4, QP = 300, 0, 0, REULER = 90D, 90D, 0D
PART/5, MASS = 2, CM = 50, IP = 1E3, 1E3, 1E3, QG = 500, 0, 600
MARKER/50, PART = 5, REULER = 90D, 90D, 0D
MARKER/51, PART = 5, QP = 100, 0, 0, REULER = 180D, 90D, 180D
PART/6, MASS = 1, CM = 60, IP = 1E3, 1E3, 1E3, QG = 600, 0, 600
MARKER/60, PART = 6, REULER = 180D, 90D, 180D
MARKER/61, PART = 6, QP = 0, 0, -100
PART/7, MASS = 1, CM = 70, IP = 1E3, 1E3, 1E3, QG = 600, 0, 500
MARKER/70, PART = 7
MARKER/71, PART = 7, QP = 0, 0, -50
JOINT/1, REV, I = 20, J = 1
JOINT/2, REV, I = 30, J = 21
JOINT/3, REV, I = 40, J = 31
JOINT/4, REV, I = 50, J = 41
JOINT/5, REV, I = 60, J = 51
JOINT/6, REV, I = 70, J = 61
MOTION/1, X, I = 71, J = 1, FUNCTION = 600 + 50*SIN(TIME)
MOTION/2, Y, I = 71, J = 1, FUNCTION = 100*TIME
MOTION/3, Z, I = 71, J = 1, FUNCTION = 450 - 40*TIME**2
MOTION/4, B1, I = 71, J = 1, FUNCTION = 0.2*TIME
MOTION/5, B2, I = 71, J = 1, FUNCTION = -0.3*TIME
MOTION/6, B3, I = 71, J = 1, FUNCTION = 0.5*SIN(TIME)
REQUEST/1, D, I = 71, J = 1
REQUEST/2, F2 = AX(71, 1)\\F3 = AZ(71, 1)
ACCGRAV/KGRAV = -9806.65
END
"""


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_six_motions_move_and_turn_the_tool_of_an_arm(engine):
    """By SciPy's angles about x, y and z; their work is what the energy gains."""
    recording = run(deck_model(SIX_AXES).scenario(1.0, 0.01), engine=engine, name="six")
    assert [one.channel for one in check(recording) if not one.ok] == []
    for columns in (recording.recorded, recording.analytic):
        t = columns.index.to_numpy()
        R = Rotation.from_euler("XYZ", np.transpose([0.2 * t, -0.3 * t, 0.5 * np.sin(t)]))
        R = R.as_matrix()
        wanted = {"1.X": 0.6 + 0.05 * np.sin(t), "1.Y": 0.1 * t, "1.Z": 0.45 - 0.04 * t**2}
        wanted |= {"2.F2": np.arctan2(-R[:, 1, 2], R[:, 2, 2])}
        wanted |= {"2.F3": np.arctan2(R[:, 1, 0], R[:, 0, 0])}
        for key, row in wanted.items():  # m, rad
            found = columns[f"request.REQUEST_{key}"].to_numpy()
            assert found == pytest.approx(row, abs=1e-12), key
        power = sum(
            columns[f"tau.MOTION_{k}"] * columns[f"qd.MOTION_{k}"] for k in range(1, 7)
        ).to_numpy()
        gain = (columns["ke"] + columns["pe"]).to_numpy()
        # Simpson's rule, whose error is 3e-9 of the work here
        done = simpson(power, x=t)
        assert done == pytest.approx(gain[-1] - gain[0], abs=1e-7)  # J


@pytest.mark.parametrize(
    ("which", "others", "engine"),
    [
        ("B1", "56", "bullet"),
        ("B2", "46", "bullet"),
        ("B3", "45", "mujoco"),
        ("B1 B2", "6", "mujoco"),
        ("B1 B3", "5", "mujoco"),
        ("B2 B3", "4", "bullet"),
    ],
)
def test_some_motions_turn_the_tool_of_an_arm(which, others, engine):
    """Of R = Rx Ry Rz in J, by SciPy's angles, with joints that are driven too."""
    turns = {f" {flag}," for flag in which.split()}
    kept = [x for x in SIX_AXES.splitlines() if " B" not in x or any(flag in x for flag in turns)]
    driven = "".join(f"MOTION/1{k}, JOINT = {k}, FUNCTION = 0.3*TIME\n" for k in others)
    angles = "".join(f"\\F{k + 1} = ORIENT(1,{k},71,1)" for k in (1, 2, 3))
    driven += f"REQUEST/3, {angles[1:]}\nREQUEST/1"
    text = "\n".join(kept).replace("REQUEST/1", driven, 1)
    recording = run(deck_model(text).scenario(1.0, 0.02), engine=engine, name="some")
    assert [one.channel for one in check(recording) if not one.ok] == []
    for columns in (recording.recorded, recording.analytic):
        t = columns.index.to_numpy()
        wanted = {"B1": 0.2 * t, "B2": -0.3 * t, "B3": 0.5 * np.sin(t)}
        for k, (flag, row) in enumerate(wanted.items(), 2):
            turned = columns[f"request.REQUEST_3.F{k}"].to_numpy()
            if flag in which:
                assert turned == pytest.approx(row, abs=1e-12)
            else:  # as the joints lead it
                assert np.abs(turned - row).max() > 0.01
        power = sum(columns[c] for c in columns if c.startswith("power.")).to_numpy()
        gain = (columns["ke"] + columns["pe"]).to_numpy()
        assert simpson(power, x=t) == pytest.approx(gain[-1] - gain[0], abs=1e-6)  # J
