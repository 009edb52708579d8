"""COUPLER, GEAR and RACKPIN: a falling rack that turns a pinion, wheels, and what is refused."""

import re

import numpy as np
import pytest

from sim.decks import deck_model
from sim.errors import DeckError
from sim.kinematics import frame_pose
from sim.robots import read_urdf
from tests.decks.test_deck_runs import positions
from tests.helpers.solved_models import solved, solved_deck

G = 9.80665  # m/s²
MASS, MOMENT, RADIUS = 2.0, 0.01, 0.05  # kg, kg·m², m

# The pinion turns about the world's x; the rack slides down, z of its markers, on either side.
RACK = """falling rack, in millimetres
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1, REULER = 90D, 90D, -90D
MARKER/2, PART = 1, QP = 0, {y}, 0, REULER = 0D, 180D, 0D
MARKER/5, PART = 1, QP = 0, 0, 0, REULER = 0D, 180D, 0D
PART/2, MASS = 1, CM = 21, IP = 1E4, 1E4, 1E4
MARKER/21, PART = 2, REULER = 90D, 90D, -90D
PART/3, MASS = 2, CM = 31, QG = 0, {y}, 30
MARKER/31, PART = 3, REULER = 0D, 180D, 0D
MARKER/32, PART = 3, QP = 0, {back}, 0, REULER = 0D, 180D, 0D
JOINT/1, REVOLUTE, {turning}
JOINT/2, TRANSLATIONAL, I = 31, J = 2
{coupling}
ACCGRAV/KGRAV = -9806.65
END
"""
I_ON_PINION, I_ON_GROUND = "I = 21, J = 1", "I = 1, J = 21"
RACKPIN = "JOINT/3, RACKPIN, I = 21, J = 31, PD = 100"
COAXIAL = "JOINT/3, RACKPIN, I = 21, J = 32, PD = 100"
GEAR = "GEAR/1, JOINTS = 1, 2, CV = 2"


def rack(coupling, y=50, turning=I_ON_PINION):
    return RACK.format(y=y, back=-y, turning=turning, coupling=coupling)


# Teeth of a pinion at y move up with ω y: the rack's way down is -y times the angle about x.
CASES = {
    "RACKPIN": (rack(RACKPIN), -1),
    "RACKPIN on the other side": (rack(RACKPIN, -50), 1),
    "RACKPIN from pinion to ground": (rack(RACKPIN, 50, I_ON_GROUND), 1),
    "RACKPIN on one axis": (rack(COAXIAL), 1),
    "GEAR": (rack(GEAR), -1),
    "GEAR on the other side": (rack(GEAR, -50), 1),
    "COUPLER": (rack("COUPLER/1, JOINTS = 1, 2, SCALES = 50, 1"), -1),
    "COUPLER by one scale": (rack("COUPLER/1, JOINTS = 2, 1, TYPE = T:R, SCALES = -50"), 1),
}


@pytest.mark.parametrize("case", CASES)
def test_a_falling_rack_turns_its_pinion(case):
    """M g = (m + I/r²) a."""
    text, sign = CASES[case]
    rate = MASS * G / (MASS + MOMENT / RADIUS**2)
    robot = read_urdf(deck_model(text).urdf)
    way = rate * (np.arange(5) * 0.05) ** 2 / 2
    (leader,), (follower,) = robot.joint_names, [j for j in robot.tree_joints if j.mimic]
    expected = {"JOINT_1": sign * way / RADIUS, "JOINT_2": way - 0.03}
    (found,) = positions(text, 0.2, 0.05)
    assert found == pytest.approx(expected[leader], abs=1e-9)  # rad or m
    ratio = {"JOINT_2": sign * RADIUS, "JOINT_1": sign / RADIUS}[follower.name]
    assert follower.mimic.multiplier == pytest.approx(ratio, rel=1e-12)
    offset = {"JOINT_2": -0.03, "JOINT_1": 0.03 * ratio}[follower.name]
    assert follower.mimic.offset == pytest.approx(offset, abs=1e-14)


# Sun 30, planet 20 and ring 70 mm; the ring is the ground, and bears the carrier by JOINT/4.
PLANETS = """planetary gear
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
PART/2, MASS = 1, CM = 20, IP = 1E-3, 1E-3, 2E-3
MARKER/20, PART = 2
PART/3, MASS = 2, CM = 30, IP = 1E-2, 1E-2, 2E-2
MARKER/30, PART = 3
MARKER/31, PART = 3, QP = 0.05, 0, 0
MARKER/33, PART = 3, QP = 0.03, 0, 0, REULER = 0, 90D, 0
MARKER/34, PART = 3, QP = 0.07, 0, 0, REULER = 0, 90D, 0
PART/4, QG = 0.05, 0, 0, MASS = 0.3, CM = 40, IP = 1E-3, 1E-3, 1E-3
MARKER/40, PART = 4
JOINT/1, REVOLUTE, I = 20, J = 30
JOINT/3, REVOLUTE, I = 40, J = 31
JOINT/4, REVOLUTE, I = 10, J = 30
{bearing}
GEAR/1, JOINTS = 1, 3, CV = 33
GEAR/2, JOINTS = 4, 3, CV = 34
MOTION/1, ROTATIONAL, JOINT = 1, FUNCTION = 0.7*TIME**2
REQUEST/1, F3 = WZ(20)\\F4 = WZ(40)
END
"""


@pytest.mark.parametrize("bearing", ["", "JOINT/2, REVOLUTE, I = 30, J = 10"])
def test_a_second_bearing_of_a_carrier_changes_nothing(bearing):
    """The carrier turns at 0.3, the planet at -0.75 of the sun's speed; the sun in it at 0.7."""
    columns = solved_deck(PLANETS.format(bearing=bearing), 0.2)
    sun, planet = (columns[f"request.REQUEST_1.F{k}"].to_numpy() for k in (3, 4))
    speed = 2 * np.arange(3) * 0.1
    assert sun == pytest.approx(speed, abs=1e-12)  # rad/s
    assert planet == pytest.approx(-0.75 * speed, abs=1e-12)
    moment = 2e-3 + 0.3**2 * (2e-2 + 0.3 * 0.05**2) + 0.75**2 * 1e-3  # kg·m², of the sun's angle
    assert columns["tau.JOINT_1"].to_numpy() == pytest.approx(
        np.full(3, 2 * moment / 0.7), rel=1e-9
    )


def test_a_rack_that_starts_with_a_speed_gives_it_to_its_pinion():
    """The rack's typed speed is kept, and the pinion's, which is not typed, follows it."""
    text = rack(RACKPIN).replace("MASS = 2", "MASS = 2, VZ = -100")  # mm/s, downwards
    assert deck_model(text).drives.qd0 == pytest.approx({"JOINT_1": -0.1 / RADIUS}, rel=1e-12)


def test_a_spring_on_the_rack_swings_the_pinion_too():
    """x = m g/k (1 - cos ω t), ω² = k/(m + I/r²); the rack follows, the spring pulls at it."""
    spring = (
        "\nMARKER/6, PART = 1, QP = 0, 50, 1000"
        "\nSPRINGDAMPER/1, TRANSLATIONAL, I = 31, J = 6, K = 0.6, LENGTH = 970"
    )
    k, t = 600.0, np.arange(11) * 0.05  # N/m
    way = MASS * G / k * (1 - np.cos(np.sqrt(k / (MASS + MOMENT / RADIUS**2)) * t))
    (pinion,) = positions(rack(RACKPIN + spring), 0.5, 0.05)
    assert pinion == pytest.approx(-way / RADIUS, abs=1e-9)  # rad


def test_what_is_assumed_is_a_note():
    assert not [note for note in deck_model(rack(RACKPIN)).notes if "RACKPIN" in note]
    (note,) = deck_model(rack(COAXIAL)).notes
    assert re.search(r"line 14, JOINT/3: .*assumed: z of the rack = \+PD/2", note)
    (note,) = deck_model(rack("COUPLER/4, JOINTS = 1, 2, SCALES = 1")).notes
    assert "COUPLER/4: its displacements count from where the parts are typed" in note


WHEELS = """wheels about z
UNITS/SYSTEM = MKS
PART/1, GROUND
MARKER/1, PART = 1
MARKER/2, PART = 1, QP = {distance}, 0, 0
MARKER/3, PART = 1, QP = 0.3, 0, 0, REULER = 0D, 90D, 0D
MARKER/4, PART = 1, QP = 5, 0, 0
PART/2, MASS = 1, CM = 21, IP = 1, 1, 1
MARKER/21, PART = 2
PART/3, MASS = 1, CM = 31, QG = {distance}, 0, 0, IP = 1, 1, 1
MARKER/31, PART = 3
PART/4, MASS = 1, CM = 41, QG = 5, 0, 0, IP = 1, 1, 1
MARKER/41, PART = 4
JOINT/1, REVOLUTE, I = 21, J = 1
JOINT/2, REVOLUTE, I = 31, J = 2
JOINT/3, REVOLUTE, I = 41, J = 4
GEAR/1, JOINTS = 1, 2, CV = 3
COUPLER/1, JOINTS = 1, 3, SCALES = 2, 1
MOTION/1, ROTATIONAL, JOINT = 2, FUNCTION = TIME
END
"""


@pytest.mark.parametrize(("distance", "ratio"), [(0.4, -1 / 3), (0.2, 1 / 3)])
def test_wheels_follow_the_driven_one(distance, ratio):
    """Outside teeth turn the other way, those of a ring the same, by 0.1 m to 0.3 m; then by -2."""
    robot = read_urdf(deck_model(WHEELS.format(distance=distance)).urdf)
    assert robot.joint_names == ("JOINT_2",)
    mimics = {joint.name: joint.mimic for joint in robot.tree_joints if joint.mimic}
    assert [mimics[name].joint for name in ("JOINT_1", "JOINT_3")] == ["JOINT_2", "JOINT_2"]
    assert mimics["JOINT_1"].multiplier == pytest.approx(ratio, rel=1e-12)
    assert mimics["JOINT_3"].multiplier == pytest.approx(-2 * ratio, rel=1e-12)


def test_a_motion_drives_the_wheels_that_follow():
    """All moments of inertia are 1: the others weigh 1/9 and 4/9 of the driven one, at 6 rad/s²."""
    text = WHEELS.format(distance=0.4).replace("= TIME", "= 3*TIME**2")
    reads = r"MOTION(1, 0, 8, 0)\F3 = MOTION(1, 1, 8, 0)\F4 = JOINT(2, 0, 2, 0)"
    reads += r"\F6 = JOINT(3, 0, 4, 0)\F7 = JOINT(9, 0, 4, 0)"
    screw = (
        "MARKER/51, PART = 5\nPART/5, MASS = 1, CM = 51, IP = 1, 1, 1\nACCGRAV/KGRAV = -9.80665\n"
    )
    screw += "JOINT/9, SCREW, I = 51, J = 1, PITCH = 1"
    model = deck_model(text.replace("END", f"REQUEST/1, F2 = {reads}\n{screw}\nEND"))
    columns = solved(model.scenario(0.2, 0.1))
    for name, side in {"F2": 1, "F3": -1}.items():
        found = columns[f"request.REQUEST_1.{name}"].to_numpy()
        assert found == pytest.approx(np.full(3, side * 6 * 14 / 9), abs=1e-10)
    carried = 1 / (1 + 1 / (2 * np.pi) ** 2)  # share of the weight on a thread of 1 m a turn
    for name, share in {"F6": 1, "F7": carried}.items():
        found = columns[f"request.REQUEST_1.{name}"].to_numpy()
        assert found == pytest.approx(np.full(3, share * G), abs=1e-10)  # N
    assert any("not recorded are F4: JOINT(2): forces of the teeth" in n for n in model.notes)


def test_a_force_that_is_partly_unknown_is_not_recorded():
    """A bearing beside one with teeth, and a sum with it."""
    more = """MARKER/32, PART = 3, QP = 0, 0, 1
MARKER/5, PART = 1, QP = 0.4, 0, 1
JOINT/7, REVOLUTE, I = 32, J = 5
SFORCE/1, ROTATIONAL, I = 31, J = 2, FUNCTION = 5
PART/6, MASS = 1, CM = 61, IP = 1, 1, 1
MARKER/61, PART = 6
JOINT/6, REVOLUTE, I = 61, J = 1
REQUEST/1, F2 = JOINT(7,0,2,0)\\F3 = FX(31,2)\\F6 = JOINT(6,0,4,0)
END"""
    model = deck_model(WHEELS.format(distance=0.4).replace("END", more))
    ((_, request),) = model.requests.requests
    assert [*request.functions] == ["F6"]
    for words in ("F2: JOINT(7): forces of the teeth", "F3: JOINT/2: forces of the teeth"):
        assert any(f"not recorded are {words}" in note for note in model.notes)


DIFFERENTIAL = (
    WHEELS[: WHEELS.index("GEAR")]
    + """{couplings}
SFORCE/1, ROTATIONAL, ACTIONONLY, I = 21, J = 1, FUNCTION = 6
SFORCE/2, ROTATIONAL, ACTIONONLY, I = 41, J = 4, FUNCTION = 1
END
"""
)


def test_a_differential_shares_torque_by_its_scales():
    """J₁ a₁ + J₂ a₂/4 … of q₂ = (q₁ + q₃)/2, all J = 1: M = [[5/4, 1/4], [1/4, 5/4]]."""
    text = DIFFERENTIAL.format(distance=0.4, couplings="COUPLER/1, JOINTS = 1:3, SCALES = -2, 1")
    text = text.replace("JOINTS = 1:3, SCALES", "JOINTS = 1, 2, 3, TYPE = R:R:R, SCALES")
    robot = read_urdf(deck_model(text).urdf)
    assert robot.joint_names == ("JOINT_1", "JOINT_2")  # 3 follows: q₃ = 2 q₂ - q₁
    q1, q2 = positions(text, 0.2, 0.1)
    a1, a3 = np.linalg.solve([[5 / 4, 1 / 4], [1 / 4, 5 / 4]], [6, 1])
    t = np.array([0.0, 0.1, 0.2])
    assert q1 == pytest.approx(a1 * t**2 / 2, abs=1e-12)
    assert q2 == pytest.approx((a1 + a3) / 2 * t**2 / 2, abs=1e-12)


def test_couplings_that_need_each_other_are_solved_together():
    """With 2 driven: q₁ + q₂ - q₃ = 0 and q₁ - q₂ - 2 q₃ = 0 make q₁ = -3 q₂, q₃ = -2 q₂."""
    both = (
        "COUPLER/1, JOINTS = 1, 2, 3, SCALES = 1, 1, -1\nCOUPLER/2, JOINTS = 1, 2, 3, SCALES = 1, "
    )
    again = "-1, -2\nCOUPLER/3, JOINTS = 1, 2, SCALES = 1, 3"
    text = DIFFERENTIAL.format(distance=0.4, couplings=both + again)
    model = deck_model(
        text.replace("\nSFORCE", "\nMOTION/1, JOINT = 2, FUNCTION = TIME\nSFORCE", 1)
    )
    robot = read_urdf(model.urdf)
    ratios = {j.name: j.mimic.multiplier for j in robot.tree_joints if j.mimic}
    assert ratios == pytest.approx({"JOINT_1": -3.0, "JOINT_3": -2.0}, rel=1e-12)
    assert any("COUPLER/3: it repeats what other statements couple" in n for n in model.notes)


PLANET = """a planet of 0.1 m that rolls on a sun of 0.3 m, which is the ground
UNITS/SYSTEM = MKS
PART/1, GROUND
MARKER/1, PART = 1
PART/2, MASS = 1, CM = 21, IP = 1, 1, 1
MARKER/21, PART = 2
MARKER/22, PART = 2, QP = 0.4, 0, 0
MARKER/23, PART = 2, QP = 0.3, 0, 0, REULER = 0D, 90D, 0D
PART/3, MASS = 1, CM = 31, QG = 0.4, 0, 0, IP = 1, 1, 1
MARKER/31, PART = 3
JOINT/1, REVOLUTE, I = 1, J = 21
JOINT/2, REVOLUTE, I = 31, J = 22
GEAR/1, JOINTS = 1, 2, CV = 23
END
"""


def test_a_planet_turns_once_more_for_each_round():
    """A wheel that rolls on a fixed one turns 1 + 0.3/0.1 times as far as its carrier."""
    robot = read_urdf(deck_model(PLANET).urdf)
    start, now = (
        [frame_pose(robot, np.array([[q]]), link.name)[:3, :3, 0] for link in robot.links[1:]]
        for q in (0.0, 0.1)
    )
    turns = [R @ R0.T for R, R0 in zip(now, start, strict=True)]
    carrier, planet = (np.arctan2(R[1, 0], R[0, 0]) for R in turns)
    assert abs(carrier) == pytest.approx(0.1, abs=1e-14)  # rad
    assert planet == pytest.approx(4 * carrier, abs=1e-14)


BAD = {
    "four joints": ("1, 3, SCALES = 2, 1", "1:4, SCALES = 1, 1", r"COUPLER/1: it couples 4"),
    "a scale too few": (
        "1, 3, SCALES = 2, 1",
        "1, 2, 3, SCALES = 1",
        r"SCALES = 1: .* of 3 joints",
    ),
    "a subroutine": ("SCALES = 2, 1", "FUNCTION = USER(1120, 1)", r"line 18, COUPLER/1: FUNCTION"),
    "no scales": (", SCALES = 2, 1", "", r"COUPLER/1: no SCALES"),
    "a scale of 0": ("SCALES = 2, 1", "SCALES = 0, 1", r"COUPLER/1: SCALES = 0, 1"),
    "one joint": ("JOINTS = 1, 3", "JOINTS = 3", r"COUPLER/1: it needs JOINTS = two"),
    "no such joint": ("JOINTS = 1, 3", "JOINTS = 1, 7", r"there is no JOINT/7"),
    "a freedom that is not there": (
        "SCALES = 2",
        "TYPE = R:T, SCALES = 2",
        r"no freedom of TYPE T",
    ),
    "a type that is none": ("SCALES = 2", "TYPE = R:X, SCALES = 2", r"TYPE = R:X: it requires"),
    "a joint that cannot": ("2, REVOLUTE", "2, HOOKE", r"GEAR/1: JOINT/2 is HOOKE"),
    "coupled twice": (
        "MOTION/1, ",
        "COUPLER/2, JOINTS = 2, 3, SCALES = 1\nMOTION/1, ",
        r"COUPLER/2: with the other couplings it leaves joint JOINT_\d no motion",
    ),
    "driven twice": (
        "MOTION/1, ",
        "MOTION/2, JOINT = 3, FUNCTION = 0\nMOTION/1, ",
        r"MOTION/1: its joint",
    ),
    "a follower with a start": ("I = 21, J = 1", "I = 21, J = 1, ICROT = 1D", r"JOINT/1: ICROT"),
    "CV on a wheel": ("MARKER/3, PART = 1", "MARKER/3, PART = 2", r"GEAR/1: CV = 3 is on PART/2"),
    "CV across the teeth": ("REULER = 0D, 90D, 0D", "REULER = 0, 0, 0", r"GEAR/1: .*does not move"),
    "a pinion without rack": (
        "GEAR/1, JOINTS = 1, 2, CV = 3",
        "MARKER/32, PART = 3, REULER = 90D, 90D, 0D\nJOINT/9, RACKPIN, I = 21, J = 32, PD = 1",
        r"line 18, JOINT/9: it needs one part that holds the pinion, PART/2",
    ),
    "a pinion that is tilted": (
        "GEAR/1, JOINTS = 1, 2, CV = 3",
        "JOINT/9, RACKPIN, I = 21, J = 31, PD = 1",
        r"JOINT/9: x of I = 21 is 90 degrees from z of J = 31",
    ),
    "no PD": (
        "GEAR/1, JOINTS = 1, 2, CV = 3",
        "JOINT/9, RACKPIN, I = 21, J = 31",
        r"JOINT/9: it needs PD",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_coupling_is_refused_by_line_and_statement(case):
    text = WHEELS.format(distance=0.4)
    good, bad, message = BAD[case]
    assert good in text
    with pytest.raises(DeckError, match=message):
        deck_model(text.replace(good, bad, 1))


def test_both_engines_run_a_rack_and_pinion(sim_command, tmp_path):
    (tmp_path / "rack.adm").write_text(rack(RACKPIN), encoding="utf-8")
    short = ("--set", "duration=0.1", "--no-report")
    done = sim_command("run", "rack.adm", "--engine", "both", *short)
    assert (done.status, done.err) == (0, "")
    assert "1 of 1 pass with both engines" in done.out


COUPLED_TWICE = """a cylinder whose turn and slide both follow a hinge on it
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/10, PART = 1
PART/2, MASS = 2, CM = 22, IP = 0.1, 0.1, 0.1
MARKER/20, PART = 2
MARKER/21, PART = 2, QP = 0.6, 0, 0.1, REULER = 50D, 40D, 0D
MARKER/22, PART = 2, QP = 0.3, 0.1, 0.05
PART/3, MASS = 1.5, CM = 33, IP = 0.05, 0.05, 0.05, QG = 0.6, 0, 0.1
MARKER/30, PART = 3, REULER = 50D, 40D, 0D
MARKER/33, PART = 3, QP = 0.2, 0.1, 0.07
JOINT/1, CYLINDRICAL, I = 20, J = 10
JOINT/2, REVOLUTE, I = 30, J = 21
COUPLER/1, JOINTS = 1, 2, SCALES = 1, 2, TYPE = R:R
COUPLER/2, JOINTS = 1, 2, SCALES = 3, 2, TYPE = T:R
{requests}ACCGRAV/JGRAV = -9.81
END
"""


def test_forces_of_a_joint_with_two_couplers_are_those_of_newton_and_euler():
    """Both couplers act along and about z of the cylinder, its constraint across."""
    calls = [f"F{x}(20,10)" for x in "XYZ"] + [f"T{x}(20,10)" for x in "XYZ"]
    calls += [f"JOINT(1,0,{k},0)" for k in (2, 3, 4, 6, 7, 8)]
    calls += [f"{f}{x}({m})" for m in (22, 33) for f in ("ACC", "WDT") for x in "XYZ"]
    calls += [f"D{x}({m},20)" for m in (22, 33) for x in "XYZ"]
    requests = "".join(f"REQUEST/{k}, FUNCTION = {call}\n" for k, call in enumerate(calls, 1))
    columns = solved_deck(COUPLED_TWICE.format(requests=requests), 0.4)
    rows = [columns[f"request.REQUEST_{k}.FUNCTION"].to_numpy() for k in range(1, 31)]
    force, torque, held, holding, *rows = np.array(rows).reshape(10, 3, -1).swapaxes(1, 2)
    (a2, spin2, a3, spin3, at2, at3), down = rows, np.array([0, -9.81, 0])
    pulls = 2 * (a2 - down), 1.5 * (a3 - down)
    moment = 0.1 * spin2 + 0.05 * spin3 + np.cross(at2, pulls[0]) + np.cross(at3, pulls[1])
    assert np.abs(force - sum(pulls)).max() < 1e-11
    assert np.abs(torque - moment).max() < 1e-11
    for part, whole in ((held, force), (holding, torque)):
        assert np.abs(part - whole * [1, 1, 0]).max() < 1e-11
        assert np.abs(whole[:, 2]).max() > 1
