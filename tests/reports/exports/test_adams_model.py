"""A run goes out as a model of ADAMS: statements by hand, and read back as the same run."""

import re

import msgspec
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sim
from sim import shipped
from sim.decks import deck_model
from sim.errors import RecordingError
from sim.recording import Recording
from sim.recording.schema.facts import DriveFacts
from sim.reports.exports.adams_model import model_text
from sim.robots import read_urdf
from sim.scenario import load_script
from sim.shipped import scenario_names
from sim.simulation import run
from tests.decks.decks_of_tests import PENDULUM
from tests.decks.test_deck_joints import LEAD, SHAFTS
from tests.decks.test_deck_loops import DRIVE, FALLS, HINGES, LOOSE, RODS, four_bar
from tests.decks.test_loose_decks import POINTS as POINT_MASSES
from tests.decks.test_loose_decks import THROWN
from tests.helpers.adams_dataset import statements
from tests.helpers.random_robots import random_urdf
from tests.helpers.short_runs import short_run
from tests.helpers.small_robots import double_pendulum, joint, link, robot
from tests.helpers.solved_models import solved_deck

ARM = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.1 0.2 -0.25"/><mass value="2"/>
<inertia ixx="0.05" iyy="0.06" izz="0.02" ixy="0.003" ixz="-0.004" iyz="0.005"/></inertial></link>
<link name="fore"><inertial><origin xyz="0 0 -0.2"/><mass value="1.5"/>
<inertia ixx="0.02" iyy="0.02" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tip"/>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
<origin xyz="0 0 0.5"/><axis xyz="0 1 0"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/>
<origin xyz="0 0 -0.5" rpy="0 0 1.5707963267948966"/><axis xyz="1 0 0"/></joint>
<joint name="tip_joint" type="fixed"><parent link="fore"/><child link="tip"/>
<origin xyz="0 0 -0.4"/></joint></robot>"""


def exported(recorded, *, millimetres=False, degrees=False):
    """Text, without its title, and its statements by a reader that knows nothing of the writer."""
    text = model_text(recorded, degrees=degrees, millimetres=millimetres)
    assert max(map(len, text.splitlines())) <= 80
    title, _, rest = text.partition("\n")
    assert title.startswith("ADAMS/View model name: ")
    return text, statements(rest)


def numbers(listed):
    """Numbers of a list; angles with D in degrees."""
    return [float(word.strip().rstrip("D")) for word in listed.split(",")]


def differences(recorded, text, groups=("q", "qd", "qdd", "tau", "ke", "pe")):
    """Largest difference of each group of channels from the run's, of the peak of the group."""
    settings, meant = recorded.run.settings, recorded.analytic
    found = solved_deck(text, settings.duration, settings.dt)
    worst = {}
    for group in groups:
        names = [name for name in meant.columns if name == group or name.startswith(f"{group}.")]
        peak = max(np.abs(meant[names].to_numpy()).max(), 1e-9)
        errors = [np.abs(meant[n].to_numpy() - found[n].to_numpy()).max() for n in names]
        worst[group] = max(errors) / peak
    return worst


@pytest.fixture(scope="module")
def bent_arm():
    """A run of the arm that begins with the shoulder at 30 degrees."""
    motion = sim.JointMotion.displacement({"shoulder": "30d + STEP(time,0,0,1,20d)", "elbow": "0"})
    scenario = sim.Scenario(read_urdf(ARM), motion, duration=0.02, dt=0.01)
    return run(scenario, method="ideal", name="bent arm")


def test_every_statement_of_a_small_arm_is_what_a_hand_writes(bent_arm):
    """Millimetres, kg·mm², 3-1-3 angles: Ry(30°) is 90°, 30°, -90°."""
    text, read = exported(bent_arm, millimetres=True)
    assert read["UNITS/"] == {
        "FORCE": "NEWTON", "MASS": "KILOGRAM", "LENGTH": "MILLIMETER", "TIME": "SECOND"
    }  # fmt: skip
    assert numbers(read["ACCGRAV/"]["KGRAV"]) == [-9810.0]
    assert "GROUND" in read["PART/1"]

    def of(head, key):
        return pytest.approx(numbers(read[head][key]), abs=1e-9)

    assert of("PART/2", "MASS") == [2.0]
    assert of("PART/2", "IP") == [5e4, 6e4, 2e4, -3e3, 4e3, -5e3]  # products: positive integrals
    assert of("PART/2", "QG") == [0, 0, 500]
    assert of("PART/2", "REULER") == [90, 30, -90]
    assert read["PART/2"]["CM"] == "203"
    assert of("MARKER/203", "QP") == [100, 200, -250]
    assert of("PART/3", "IP") == [2e4, 2e4, 1e3]
    assert of("PART/3", "QG") == [-250, 0, 500 - 250 * np.sqrt(3)]
    assert of("PART/3", "REULER") == [90, 30, 0]
    markers = {"101": "2", "102": "1", "201": "3", "202": "2", "203": "2", "303": "3"}
    assert {k: read[f"MARKER/{k}"]["PART"] for k in markers} == markers
    assert of("MARKER/101", "REULER") == [180, 90, 0]  # z along y
    assert of("MARKER/102", "REULER") == [180, 90, 0]
    assert of("MARKER/102", "QP") == [0, 0, 500]
    assert of("MARKER/201", "REULER") == [90, 90, 0]  # z along x
    assert of("MARKER/202", "REULER") == [180, 90, 0]
    assert of("MARKER/202", "QP") == [0, 0, -500]
    assert read["JOINT/2"] == {"REVOLUTE": "", "I": "201", "J": "202"}
    assert read["MOTION/1"]["FUNCTION"] == "30D + STEP(TIME, 0, 0, 1, 20D)"
    assert read["REQUEST/13"] == {
        "FORCE": "", "I": "101", "J": "102", "RM": "102", "COMMENT": "force in shoulder"
    }  # fmt: skip
    assert read["REQUEST/24"]["F2"] == "MOTION(2, 0, 8, 202)"
    assert "! scenario: bent arm\n" in text and "! sim_version: " in text
    names = re.findall(r"adams_view_name='(.*)'\n(PART|JOINT)/", text)
    assert [name for name, _ in names] == ["base", "upper", "fore", "shoulder", "elbow"]
    assert text.endswith("END\n")


def places(read):
    """Poses of all markers in the world at the start, by SciPy's own Euler angles."""

    def pose(given, key):
        turned = Rotation.from_euler("ZXZ", numbers(given.get("REULER", "0,0,0")), degrees=True)
        return turned, np.array(numbers(given.get(key, "0,0,0")))

    found = {}
    for head, given in read.items():
        if head.startswith("MARKER/"):
            (R, p), (A, x) = pose(read[f"PART/{given['PART']}"], "QG"), pose(given, "QP")
            found[head.removeprefix("MARKER/")] = ((R * A).as_matrix(), p + R.apply(x))
    return found


def test_markers_of_joints_and_loops_meet_at_the_start():
    """Of the IRB 460, whose three parallelograms JPRIMs close: one line and two slots each."""
    scenario, _ = load_script("irb460_static").build({})
    recorded = run(scenario, method="ideal", name="still")
    _, read = exported(recorded)
    at = places(read)
    joints = [head for head in read if head.startswith("JOINT/")]
    loops = [head for head in read if head.startswith("JPRIM/")]
    assert len(joints) == 9 and len(loops) == 3
    for head in (*joints, *loops):
        (R_i, p_i), (R_j, p_j) = (at[read[head][key]] for key in "IJ")
        across = R_j.T @ (p_i - p_j)
        assert across[:2] == pytest.approx([0, 0], abs=1e-12)  # m; INLINE: I on z of J
        if head in joints:
            assert across[2] == pytest.approx(0, abs=1e-12)
            assert R_i[:, 2] == pytest.approx(R_j[:, 2], abs=1e-12)
        else:
            assert R_j[:, 2] == pytest.approx([1, 0, 0], abs=1e-12)  # across the plane of the rods
    assert all("INLINE" in read[head] for head in loops)
    load = next(given for head, given in read.items() if head.startswith("VFORCE/"))
    assert [load[key].rstrip("\\") for key in ("FX", "FY", "FZ")] == ["0.0", "0.0", "-800.0"]
    old = msgspec.structs.replace(recorded.run.robot, closures=())
    with pytest.raises(RecordingError, match="of an earlier version; run the scenario again"):
        exported(recorded.with_description(robot=old))


MACHINE = robot(
    link("arm", 3.0, "0.2 0 0", "0.02 0.05 0.04"),
    link("carriage", 2.0, "0 0.1 0", "0.01 0.01 0.02"),
    link("wheel", 1.0, "0.05 0 0", "0.004 0.003 0.005"),
    link("cap", 0.5, "0 0.02 0.1", "0.002 0.003 0.002"),
    joint("swing", "revolute", "ground", "arm", "0 1 0", '<dynamics damping="0.3"/>'),
    joint("slide", "prismatic", "arm", "carriage", "1 0 0", '<dynamics damping="4"/>'),
    joint(
        "roll", "revolute", "carriage", "wheel", "0 0.6 0.8",
        '<origin xyz="0.1 0 0" rpy="0.3 0.2 0.1"/>'
        '<mimic joint="slide" multiplier="-3" offset="0.4"/>',
    ),
    joint(
        "tilt", "revolute", "wheel", "cap", "0 0 1",
        '<mimic joint="roll" multiplier="0.5" offset="0.1"/>',
    ),
)  # fmt: skip
"""A free hinge, a slide that a motor pushes, a wheel that follows it, a cap that follows that."""

WALL, TIP = sim.Marker("wall", "world", (0.9, 0.1, 0.4)), sim.Marker("tip", "wheel", (0, 0, 0.1))
HUB = sim.Marker("hub", "carriage", (0, 0.05, 0), (0.1, 0.2, 0.3))
POINTS = sim.spline([-1.0, -0.3, 0.0, 0.4, 1.0], [40.0, 14.0, 0.0, -20.0, -60.0])
LONG = sim.Names(
    markers=[HUB, TIP, WALL],
    variables={"stretch": "DM(tip, wall) - 0.5"},
    splines={"law": POINTS},
)
ELEMENTS = (
    sim.Spring("strut", TIP, WALL, stiffness=90.0, damping=2.0, free_length=0.4, preload=1.0),
    sim.Spring("soft", HUB, WALL, damping=0.5, free_length=0.3, force="-30*x-20*x**3"),
    sim.Spring("table", HUB, WALL, free_length=0.5, force=POINTS),
    sim.SForce("pull", TIP, WALL, "CUBSPL(VARVAL(stretch), 0, law) - 2*-VR(tip, wall)*-1",
               names=LONG),
    sim.SForce("twist", HUB, WALL, "0.4*SIN(3*TIME) - 0.2*WZ(hub, wall, wall)",
               acts="rotational"),
    sim.VForce("wind", TIP, WALL, ["3*COS(TIME)", "-0.5*VY(tip, wall, hub)", 0.0],
               ["0.1*DX(tip)", 0.0, 0.2], along=HUB, names=LONG),
    sim.Bushing("pad", HUB, WALL, stiffness=[10.0, 20.0, 30.0], damping=1.0,
                turning_stiffness=0.5, turning_damping=0.1, preload=[1.0, 0.0, 2.0],
                turning_preload=0.1),
    sim.Force("wheel", ["2", "STEP(time,0,0,0.1,3)", "0"], ["0", "0.2", "0"], at=(0, 0.1, 0),
              axes="carriage"),
    sim.Force("arm", ["0", "0", "-5"]),
)  # fmt: skip


@pytest.fixture(scope="module")
def machine():
    """A run with every force that a model can have, whose torques feel them all."""
    held = MACHINE.with_springs({"swing": sim.JointSpring(20.0, 0.5, 0.1, 0.3)})
    held = held.with_stops({"slide": sim.Stop(5e3, 1.5, 10.0, 1e-3, -0.02, 0.02)})
    motion = sim.JointMotion.velocity({"swing": "0.5 + 0.3*SIN(3*time)"}, q0={"swing": 0.2})
    motion |= sim.JointMotion.displacement({"slide": "0.03*SIN(20*time)"})
    scenario = sim.Scenario(
        held, motion, duration=0.4, dt=0.01, gravity=(0.5, 1.0, -9.0), forces=ELEMENTS
    )
    return run(scenario, method="ideal", name="machine")


@pytest.mark.parametrize("millimetres", [False, True])
def test_a_machine_with_every_force_comes_back(machine, millimetres):
    """Torques to rounding; the stop is met on both sides."""
    text, read = exported(machine, millimetres=millimetres, degrees=millimetres)
    assert machine["stop.slide"].min() < -1.0 and machine["stop.slide"].max() > 1.0
    kinds = {head.partition("/")[0] for head in read}
    assert kinds >= {"SPRINGDAMPER", "SFORCE", "VFORCE", "GFORCE", "BUSHING", "SPLINE", "VARIABLE",
                     "COUPLER"}  # fmt: skip
    worst = differences(machine, text, ("qd", "qdd", "tau", "ke", "pe"))
    assert max(worst.values()) < 1e-12, worst
    found = solved_deck(text, 0.4, 0.01)
    # a follower's angle counts from where its leader's is zero
    for name, offset in {"swing": 0.0, "slide": 0.0, "roll": 0.4, "tilt": 0.3}.items():
        error = found[f"q.{name}"].to_numpy() + offset - machine.analytic[f"q.{name}"]
        assert np.abs(error).max() < 1e-12


def test_what_moves_freely_starts_as_it_did_and_motors_stay_functions_of_the_state():
    """Two integrations at 1e-11 of one motion, which begins with more than a turn."""
    tip, base = sim.Marker("tip", "lower", (0, 0, -0.3)), sim.Marker("base", "world", (1, 0, 0))
    names = sim.Names(markers=[tip, base])
    motion = sim.JointMotion.torque({"elbow": "2*TIME - 3*VR(tip, base)"}, names=names)
    motion |= sim.JointMotion.acceleration(
        {}, q0={"shoulder": 7.0}, qd0={"shoulder": 0.5}, free=["shoulder"]
    )
    plant = double_pendulum(1.5, 0.8, 0.6, 0.9)
    recorded = run(sim.Scenario(plant, motion, 0.02, dt=0.01), method="adaptive", name="loose")
    text, read = exported(recorded, millimetres=True, degrees=True)
    assert numbers(read["JOINT/1"]["ICROT"]) == pytest.approx(np.degrees([7.0, 0.5]), rel=1e-15)
    assert read["SFORCE/2"]["FUNCTION"].startswith("1000.0 * (2 * TIME - 3 * (0.001 * VR(")
    worst = differences(recorded, text, ("q", "qd", "qdd", "ke", "pe"))
    assert max(worst.values()) < 1e-9, worst
    law = DriveFacts(joint="elbow", level="torque", function="Controller")
    with pytest.raises(
        RecordingError, match="motor of joint 'elbow' follows 'Controller', a Python function"
    ):
        exported(recorded.with_description(drives=(law,)))


def test_a_coupler_says_the_ratio_in_the_units_of_the_model(machine):
    """roll = -3 rad/m slide: 3 SCALES in metres, 0.003 in millimetres; its J marker is turned."""
    for millimetres, ratio in ((False, 3.0), (True, 0.003)):
        _, read = exported(machine, millimetres=millimetres)
        assert numbers(read["COUPLER/3"]["JOINTS"]) == [3, 2]
        assert numbers(read["COUPLER/3"]["SCALES"]) == pytest.approx([1.0, ratio], rel=1e-15)


ROTOR = """PART/{k}, MASS = 1, CM = {k}1, IP = 1, 1, 1
MARKER/{k}1, PART = {k}
JOINT/{joint}, REVOLUTE, I = {k}1, J = 1
SFORCE/{k}, ROTATIONAL, ACTIONONLY, I = {k}1, J = 1, FUNCTION = {k}
"""
ROTORS = f"""four rotors, of which three are coupled
UNITS/SYSTEM = MKS
PART/1, GROUND
MARKER/1, PART = 1
{"".join(ROTOR.format(k=k, joint=k - 1) for k in (2, 3, 4, 5))}
COUPLER/1, JOINTS = 1:3, SCALES = 1, -2, 1
END
"""


def test_a_coupler_of_three_joints_comes_back():
    """q₃ = 2 q₂ - q₁ of two free rotors; more leaders than a COUPLER has are refused."""
    model = deck_model(ROTORS)
    recorded = run(model.scenario(0.1, 0.05), method=model.method, name="differential")
    text, read = exported(recorded, millimetres=True)
    assert numbers(read["COUPLER/3"]["JOINTS"]) == [3, 1, 2]
    assert numbers(read["COUPLER/3"]["SCALES"]) == [1, 1, -2]
    assert max(differences(recorded, text, ("q", "qd", "ke")).values()) < 1e-12
    four = re.sub(r"(<mimic_plus.*)", r'\1<mimic_plus joint="JOINT_4"/>', model.urdf)
    still = sim.Scenario(read_urdf(four), sim.JointMotion.displacement({}), duration=0.02, dt=0.01)
    with pytest.raises(RecordingError, match="follows JOINT_1, JOINT_2, JOINT_4; a COUPLER of"):
        exported(run(still, method="ideal", name="three leaders"))


def test_friction_of_a_driven_joint_is_a_function():
    """Viscous, Coulomb, and ADAMS's law without a load: D STEP at the speed of the pin."""
    rubbing = robot(
        link("bob", 1.0, "0 0 -0.5", "0.1 0.1 0.1"),
        joint("hinge", "revolute", "ground", "bob", "0 1 0",
              '<dynamics damping="0.7" friction="0.3"/>'),
    )  # fmt: skip
    law = sim.JointFriction(0.0, 0.0, 0.01, pin_radius=0.02, preload=2.0)
    rubbing = rubbing.with_friction({"hinge": law})
    motion = sim.JointMotion.displacement({"hinge": "0.4*SIN(3*time)"})
    recorded = run(sim.Scenario(rubbing, motion, 1.0, dt=0.05), method="ideal", name="rubs")
    text, read = exported(recorded)
    assert read["SFORCE/1001"]["FUNCTION"] == (
        "-0.7 * WZ(101, 102, 102) - 0.3 * IF(WZ(101, 102, 102): -1, 0, 1) - 2.0 * "
        "STEP(0.02 * WZ(101, 102, 102), -0.01, -1, 0.01, 1)"
    )
    worst = differences(recorded, text, ("q", "tau"))
    assert max(worst.values()) < 1e-12, worst


def test_friction_by_the_load_is_the_statement_of_adams():
    law = sim.JointFriction(
        0.2, 0.1, 0.01, 0.03, 0.04, 0.05, 2.0, 9.0, ("preload", "reaction_force")
    )
    loaded = short_arm().with_friction({"elbow": law})
    recorded = run(sim.Scenario(loaded, sim.JointMotion.displacement({}), 0.05), name="loaded")
    _, read = exported(recorded, millimetres=True)
    assert read["FRICTION/2"] == {
        "JOINT": "2", "MU_STATIC": "0.2", "MU_DYNAMIC": "0.1",
        "STICTION_TRANSITION_VELOCITY": "10.0", "TRANSITION_VELOCITY_COEFFICIENT": "1.5",
        "FRICTION_TORQUE_PRELOAD": "2000.0", "PIN_RADIUS": "30.0", "FRICTION_ARM": "40.0",
        "BENDING_REACTION_ARM": "50.0", "MAX_FRICTION_TORQUE": "9000.0",
        "INPUTS": "PRELOAD:REACTION_FORCE",
    }  # fmt: skip


def test_splines_of_drives_go_out_with_all_their_points():
    """The run is shorter than they are; one drive reads two, by names of the user."""
    t = np.arange(0.0, 2.1, 0.1)
    way = {"way": sim.spline(t, np.sin(t)), "7": sim.spline(t, 0.1 * t**2, extrapolate="linear")}
    drives = {"shoulder": "CUBSPL(time, 0, way)*2 - AKISPL(TIME,0,7)", "elbow": "0.5*time"}
    motion = sim.JointMotion.displacement(drives, splines=way)
    recorded = run(sim.Scenario(read_urdf(ARM), motion, 0.3, dt=0.1), method="ideal", name="way")
    text, read = exported(recorded, millimetres=True, degrees=True)
    assert numbers(read["SPLINE/1"]["Y"]) == pytest.approx(np.sin(t), abs=0)
    assert "LINEAR_EXTRAPOLATE" in read["SPLINE/10001"]
    worst = differences(recorded, text)
    assert max(worst.values()) < 1e-13, worst


def rubs(law=None, friction=0.3):
    """A bob that is pushed and comes to rest."""
    text = f'<dynamics friction="{friction}"/>' if law is None else ""
    bob = robot(
        link("bob", 1.0, "0 0 -0.2", "0.1 0.1 0.1"),
        joint("hinge", "revolute", "ground", "bob", "0 1 0", text),
    )
    return bob if law is None else bob.with_friction({"hinge": law})


@pytest.mark.parametrize("plant", [rubs(), rubs(sim.JointFriction(0.3, 0.2, 0.01, 0.05))])
def test_a_free_joint_that_sticks_and_slips_comes_back(plant):
    motion = sim.JointMotion.acceleration({}, qd0={"hinge": 1.0}, free=["hinge"])
    recorded = run(sim.Scenario(plant, motion, 0.6, dt=0.05), method="adaptive", name="rubs")
    text, read = exported(recorded, millimetres=True)
    assert "FRICTION/1" in read
    worst = differences(recorded, text, ("q", "qd", "ke", "pe"))
    assert max(worst.values()) < 1e-9, worst


@pytest.mark.rotates(2)
@pytest.mark.parametrize(("millimetres", "unit"), [(False, 1.0), (True, 1000.0)])
def test_a_ball_goes_out_in_the_units_of_its_model(millimetres, unit):
    """Damping [N·m·s/rad] becomes a torque of the model, the radius [m] a length of it."""
    held = robot(
        link("bob", 2.0, "0.05 0 -0.2", "0.02 0.03 0.01"),
        joint("ball", "spherical", "ground", "bob", "0 0 1", '<dynamics damping="0.7"/>'),
    )
    law = sim.JointFriction(0.3, 0.2, stiction_velocity=0.05, pin_radius=0.03, preload=0.02)
    motion = sim.JointMotion.torque({}, qd0={"ball.x": 3.0, "ball.y": 1.0})
    scenario = sim.Scenario(held.with_friction({"ball": law}), motion, 0.1, 0.05, "adaptive")
    recorded = run(scenario, name="ball")
    text, read = exported(recorded, millimetres=millimetres)
    (friction,) = (one for key, one in read.items() if key.startswith("FRICTION/"))
    (damping,) = (one for key, one in read.items() if key.startswith("VTORQUE/"))
    assert float(friction["BALL_RADIUS"]) == pytest.approx(0.03 * unit, rel=1e-15)
    assert float(friction["FRICTION_TORQUE_PRELOAD"]) == pytest.approx(0.02 * unit, rel=1e-15)
    assert float(friction["STICTION_TRANSITION_VELOCITY"]) == pytest.approx(0.05 * unit, rel=1e-15)
    for axis in "XYZ":
        factor, _, _ = damping[f"T{axis}"].partition(" * ")
        assert float(factor) == pytest.approx(-0.7 * unit, rel=1e-15)
    worst = differences(recorded, text, ("qd", "ke", "pe"))
    assert max(worst.values()) < 1e-9, worst


LOOPED = {
    "a hinge of three primitives": LOOSE.format(held=HINGES["a line and a plane"]),
    "a right angle and a function": LOOSE.format(held=HINGES["a right angle and a function"]),
    "a plane and a slide": LOOSE.format(held=FALLS["two joints"]),
    "a rod": LOOSE.format(held=f"GCON/1, I = 21, FUNCTION = {RODS[0]}"),
    "a four-bar of balls": four_bar("SPHERICAL", "ACCGRAV/JGRAV = -9.8"),
    "a four-bar of hinges": four_bar("REVOLUTE", DRIVE),
    "a screw": LEAD.format(i=31, j=22),
    "a thrown part": THROWN,
    "point masses": POINT_MASSES,
}


@pytest.mark.rotates(3)
@pytest.mark.parametrize("kind", LOOPED)
def test_loops_of_every_kind_and_balls_come_back(kind):
    model = deck_model(LOOPED[kind].replace("REQUEST", "! REQUEST").replace("\n, ", "\n! , "))
    scenario = model.scenario(0.1, 0.05)
    recorded = run(scenario, name="looped")
    text, _ = exported(recorded, millimetres=True)
    groups = ("qd", "tau", "ke", "pe") if model.method == "ideal" else ("ke", "pe")
    worst = differences(recorded, text, groups)
    assert max(worst.values()) < 1e-9, worst


@pytest.mark.parametrize("seed", range(6))
def test_random_robots_come_back(seed):
    """Skewed axes and inertias, frames without mass, links fixed to each other, followers."""
    rng = np.random.default_rng(seed)
    plant = read_urdf(random_urdf(rng, 6, mimic=True)).mounted(*rng.normal(size=(2, 3)))
    q0 = {name: float(rng.normal()) for name in plant.joint_names}
    drives = {name: f"{rng.normal()!r}*COS(time)" for name in plant.joint_names}
    motion = sim.JointMotion.velocity(drives, q0=q0)
    scenario = sim.Scenario(plant, motion, duration=0.2, dt=0.1)
    recorded = run(scenario, method="ideal", name="random")
    text, _ = exported(recorded, millimetres=seed % 2 == 1)
    worst = differences(recorded, text, ("qd", "tau", "ke", "pe"))
    assert max(worst.values()) < 1e-13, worst


def short_arm():
    return sim.load_robot(shipped.scenarios() / "two_link.urdf")


@pytest.mark.parametrize("inputs", [("preload", "reaction_force"), ("reaction_force",)])
def test_a_constant_friction_beside_a_law_is_more_preload(inputs):
    given, free, _ = rubbing_twice(preload=0.5, inputs=inputs)
    scenario = sim.Scenario(given, free, duration=0.3, dt=0.05)
    recorded = run(scenario, method="adaptive", name="rubs")
    text, read = exported(recorded)
    preload = 0.8 if "preload" in inputs else 0.3  # N·m
    assert float(read["FRICTION/1"]["FRICTION_TORQUE_PRELOAD"]) == pytest.approx(preload)
    assert recorded.analytic["qd.hinge"].iloc[-1] < 2.5  # of 3 rad/s
    assert max(differences(recorded, text).values()) < 1e-9


def test_a_joint_of_constant_velocity_comes_back():
    """Its hinges are JOINTs, and its twist a CONVEL, of whose equations three repeat theirs."""
    model = deck_model(SHAFTS.format(first="-90D", i=33, j=22))
    recorded = run(model.scenario(0.1, 0.05), name="shafts")
    text, _ = exported(recorded)
    assert text.count("CONVEL") == 1
    assert np.ptp(recorded.analytic["q.JOINT_2_a"]) > 0.05
    assert max(differences(recorded, text).values()) < 1e-9


ASKED = PENDULUM.replace(
    "REQUEST/01, D,I=0201,J=0102,C=DISPLACEMENT: X Y Z\n",
    """!  adams_view_name='tip'
REQUEST/1, D, I = 0201, J = 0102, RM = 0202
REQUEST/2, V, I = 0201
REQUEST/3, ACC, I = 0201, J = 0102, RM = 0202
REQUEST/4, F1 = ORIENT(27, 2, 0201, 0102)\\F2 = JOINT(1, 0, 2, 0)\\F3 = JOINT(1, 1, 8, 0202)
, F4 = SFORCE(1, 0, 8, 0102)\\F5 = ACCX(0201)\\F6 = DX(0201)\\F7 = PHI(0201)\\F8 = TIME
REQUEST/5, F2 = DX(0201, 0102)\\F3 = VARVAL(1), CNAMES = , x, "two times"
REQUEST/6, F, I = 0102, J = 0202
VARIABLE/1, FUNCTION = 2*DX(0201, 0102)
""",
)


@pytest.mark.parametrize("millimetres", [False, True])
def test_requests_of_a_run_come_back_under_their_names(millimetres):
    recorded = run(deck_model(ASKED).scenario(0.2, 0.05), name="asked")
    text, read = exported(recorded, millimetres=millimetres)
    places = {key: read["REQUEST/20"][key] for key in ("I", "J", "RM")}
    assert {key: read[f"MARKER/{id}"]["PART"] for key, id in places.items()} == {
        "I": "2", "J": "1", "RM": "2"
    }  # fmt: skip
    assert "! Not written of REQUEST_6 are FX, FY, FZ, FM, TX, TY, TZ, TM: FX … TM sum" in text
    found = solved_deck(text, 0.2, 0.05)
    own = [c for c in recorded.analytic if c.startswith("request.") and "REQUEST_6" not in c]
    assert len(own) == 7 + 8 + 8 + 8 + 2
    for channel in own:
        wanted = recorded.analytic[channel].to_numpy()
        assert np.abs(found[channel] - wanted).max() < 1e-9 * max(1, np.abs(wanted).max()), channel


@pytest.mark.parametrize("millimetres", [False, True])
def test_contacts_come_back(millimetres):
    """Of all shapes that ADAMS has, on a body that falls on them and slides along."""
    shape, law = sim.ContactShape, sim.ContactLaw.impact(3e4, 1.3, 20.0, 1e-3)
    body = robot(
        link("x", 0), link("body", 1.0, moments="1 1 1"),
        joint("slide", "prismatic", "ground", "x", "1 0 0"),
        joint("lift", "prismatic", "x", "body", "0 0 1"),
    )  # fmt: skip
    rubs = {"mu_static": 0.4, "mu_dynamic": 0.3, "stiction_velocity": 0.02}
    contacts = (
        sim.Contact(
            shape.box("body", (0.1, 0.2, 0.3), (0, 0, 0.15)), shape.plane(), law, name="stands",
            **rubs,
        ),
        sim.Contact(
            shape.sphere("body", 0.1, at=(0.3, 0, 0.1)),
            shape.cylinder("world", 0.2, 2.0, (0.3, 0, -0.2), (0, np.pi / 2, 0)), law, name="on",
        ),
        sim.GroundContact("body", stiffness=2e4, radius=0.02, height=-0.02),
    )  # fmt: skip
    motion = sim.JointMotion.torque(
        {}, q0={"lift": 2e-3}, qd0={"slide": 0.3}, free=["slide", "lift"]
    )
    scenario = sim.Scenario(body, motion, duration=0.2, dt=0.01, contacts=contacts)
    recorded = run(scenario, method="adaptive", name="falls")
    text, read = exported(recorded, millimetres=millimetres)
    unit = 1000.0 if millimetres else 1.0
    assert float(read["GRAPHICS/1001"]["Z"]) == pytest.approx(0.3 * unit, rel=1e-14)
    assert float(read["CONTACT/1001"]["STIFFNESS"]) == pytest.approx(3e4 / unit**1.3, rel=1e-14)
    found = solved_deck(text, 0.2, 0.01)
    assert recorded.analytic["contact.on.depth"].max() > 1e-3
    for column in found.columns:
        if column.startswith(("q.", "contact.")):
            wanted = recorded.analytic[column].to_numpy()
            assert np.abs(found[column] - wanted).max() <= 1e-6 * max(1, np.abs(wanted).max())


class Ramp:
    """A function of time in Python."""

    def value(self, t):
        return np.asarray(t, dtype=float)

    def derivatives(self, t):
        return self.value(t), np.ones_like(t), np.zeros_like(t)

    def breaks(self, t0, t1):
        return np.empty(0)


def pushed_by_a_program():
    push = sim.Force("forearm", [Ramp(), 0.0, 0.0])
    return short_arm(), sim.JointMotion.displacement({}), {"forces": (push,)}


def near(shape="capsule", law="impact"):
    sizes = {"capsule": (0.01, 0.1), "sphere": (0.01,)}
    ball = getattr(sim.ContactShape, shape)("forearm", *sizes[shape])
    law = getattr(sim.ContactLaw, law)(1e5)
    contact = sim.Contact(ball, sim.ContactShape.plane(at=(0, 0, -2)), law, name="hand")
    return short_arm(), sim.JointMotion.displacement({}), {"forces": (contact,)}


def near_by_another_law():
    return near("sphere", "hunt_crossley")


def by_a_law_with_states():
    bob = robot(link("bob", 1.0, "0 0 -1"), joint("hinge", "revolute", "ground", "bob", "0 1 0"))
    names = sim.Names(states={"lag": "TIME - DIF(lag)"})
    free = sim.JointMotion.torque({"hinge": "DIF(lag)"}, names=names)
    return bob, free, {}


def rubbing_twice(**most):
    text = '<dynamics friction="0.3"/>'
    hinge = joint("hinge", "revolute", "ground", "bob", "0 1 0", text)
    bob = robot(link("bob", 1.0, "0 0 -1"), hinge)
    law = sim.JointFriction(0.2, 0.1, 0.01, 0.03, **most)
    free = sim.JointMotion.torque({}, q0={"hinge": 1.2}, qd0={"hinge": 3.0}, free=["hinge"])
    return bob.with_friction({"hinge": law}), free, {}


def rubbing_twice_at_most():
    return rubbing_twice(max_torque=9.0)


def untwisted():
    shaft = link("shaft", 1.0, "0 0 0.1", "0.1 0.1 0.1")
    cross = [
        joint("bend", "revolute", "ground", "x", "1 0 0"),
        joint("sway", "revolute", "x", "y", "0 1 0"),
        joint("spin", "revolute", "y", "shaft", "0 0 1"),
    ]
    bob = robot(link("x", 1e-3), link("y", 1e-3), shaft, *cross)
    ends = "ground", (0, 0, 0), "shaft", (0, 0, 0.2)
    axes = {"axis_a": (0, 0, 1), "axis_b": (0, 0, 1), "across_a": (1, 0, 0), "across_b": (1, 0, 0)}
    own = sim.Loop("joint", *ends, None, ("spin",), "untwisted", **axes)
    return bob.with_loops(own), sim.JointMotion.displacement({}, free=["bend", "sway"]), {}


def picking_up():
    box = sim.Payload(1.0)
    events = (sim.PickUp(0.02, box, "box"),)
    return short_arm(), sim.JointMotion.displacement({}), {"events": events}


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (rubbing_twice_at_most, "free and has a constant friction and a law limited to 9;"),
        (pushed_by_a_program, "force on frame 'forearm' is a function of a program"),
        (near, "contact 'hand' is of a capsule, which ADAMS has no GRAPHICS for"),
        (near_by_another_law, "contact 'hand' has the law 'hunt_crossley'"),
        (by_a_law_with_states, "DIF(lag) is a state of a motor's law"),
        (untwisted, "Loop 'joint' prevents twisting between separate points"),
        (
            picking_up,
            "Pick up of payload 'box' at t = 0.02 s: ADAMS parts cannot appear or disappear",
        ),
    ],
)
def test_what_adams_cannot_say_is_refused_by_name(tmp_path, made, words):
    given, motion, more = made()
    scenario = sim.Scenario(given, motion, duration=0.05, dt=0.01, **more)
    is_loose = motion.free or any(level == "torque" for level, _ in motion.drives.values())
    method = "adaptive" if is_loose else "ideal"
    recorded = run(scenario, method=method, name="refused")
    with pytest.raises(RecordingError, match=re.escape(words)):
        sim.export(recorded, tmp_path / "a.adm")
    assert not list(tmp_path.iterdir())


REFUSED = {
    "irb460_pick": "Pick up of payload 'box'",
    "puma560_pick": "Pick up of payload 'cube'",
    "r3_axis": "Joint 'axis' has an elastic gear",
    "r3_robot": "Joint 'axis_1' has an elastic gear",
    "ur10_controlled": "Controller 'PDGravity': the drives are what it tracks",
}


@pytest.mark.rotates(7)
@pytest.mark.parametrize("name", scenario_names())
def test_a_shipped_scenario_comes_back_as_the_same_run(shipped_run, name):
    """At twenty samples; what moves freely is integrated anew.

    A torque that drives a joint is a force of the deck: the motion shows that it acts. Where bodies
    touch, the run promises its forces to 1e-7 of their peak, not to rounding.
    """
    recorded = Recording.read(shipped_run(name))
    if name in REFUSED:
        with pytest.raises(sim.SimError, match=re.escape(REFUSED[name])):
            deck_model(exported(recorded)[0])
        return
    text, _ = exported(recorded)
    settings = recorded.run.settings
    every = (settings.samples - 1) // 20
    dt = every * settings.dt
    found = solved_deck(text, 20 * dt, dt)
    forces = {f"tau.{drive.joint}" for drive in recorded.run.drives if drive.level == "torque"}
    within = {"q": 1e-9, "tau": 1e-7 if recorded.run.contacts else 1e-9}
    for group in ("q", "tau"):
        names = [name for name in found.columns if name.startswith(f"{group}.")]
        names = [name for name in names if name not in forces]
        meant = recorded.analytic[names].to_numpy()[: 20 * every + 1 : every]
        error = np.abs(np.column_stack([found[n] for n in names]) - meant).max()
        assert error <= within[group] * max(np.abs(meant).max(), 1e-3), group


def test_the_command_and_python_write_the_same(sim_command, tmp_path):
    short_run().write(tmp_path / "run")
    done = sim_command("export", "run", "model.adm", "--millimetres")
    assert (done.status, done.err) == (0, "")
    sim.export(Recording.read(tmp_path / "run"), tmp_path / "own.adm", millimetres=True)
    assert (tmp_path / "model.adm").read_text() == (tmp_path / "own.adm").read_text()
    assert sim_command("export", "run", "model.adm").status == 0  # an earlier one is replaced
