"""Closed loops with springs, end stops and friction in joints whose positions the loops decide.

What acts in such a joint reaches the drives by virtual work, and the links that it holds through
the pins of the loop. The pins are judged by Newton's and Euler's laws of one link, in closed form.
"""

from dataclasses import replace

import numpy as np
import pytest
from lxml import etree

from sim.checks import check
from sim.errors import ModelError, ScenarioError
from sim.motion import JointMotion
from sim.robots import load_robot, read_urdf
from sim.scenario import JointFriction, JointSpring, Measure, Scenario, Stop
from sim.simulation import run
from tests.helpers.loop_robots import FourBar, parallelogram, slider_crank
from tests.helpers.small_robots import joint, link

G = 9.81
TABLES = ("recorded", "analytic")
# Of the largest value: rounding and a difference of energies, or what extrapolation leaves.
EXACT = {"ideal": 1e-9, "stepped": 1e-5}

CRANK, ROD, TURN = 0.2, 0.5, 2.0  # m, m, rad/s; the slider comes to 0.7 m
BARS = FourBar()
BARS_START = BARS.motion(np.zeros(1), np.zeros(1), np.zeros(1))[0][:, 0]


def column(recording, channel, table="recorded"):
    return getattr(recording, table)[channel].to_numpy()


def assert_near(found, wanted, tolerance):
    assert np.max(np.abs(found - wanted)) <= tolerance * np.max(np.abs(wanted))


def failed(recording):
    return [one for one in check(recording) if not one.ok]


def with_dynamics(robot, name, **dynamics):
    """In the text too, as any robot has it: a run is judged by its text."""
    joints = (replace(j, **dynamics) if j.name == name else j for j in robot.joints)
    root = etree.fromstring(robot.text.encode())
    (found,) = root.xpath(f"joint[@name='{name}']")
    for old in found.findall("dynamics"):
        found.remove(old)
    etree.SubElement(found, "dynamics", {key: repr(value) for key, value in dynamics.items()})
    return replace(robot, joints=tuple(joints), text=etree.tostring(root, encoding="unicode"))


# --- a slide that the loop positions ------------------------------------------------------------


def slider(t):
    """Position, velocity, acceleration of the slider; angle of the rod and its rate."""
    a = 0.5 + TURN * t
    height = np.sqrt(ROD**2 - (CRANK * np.cos(a)) ** 2)
    slope = CRANK**2 * np.sin(a) * np.cos(a) / height
    x, xd = CRANK * np.sin(a) + height, TURN * (CRANK * np.cos(a) + slope)
    bend = CRANK**2 * np.cos(2 * a) / height - slope**2 / height
    xdd = TURN**2 * (-CRANK * np.sin(a) + bend)
    angle = np.arctan2(height, -CRANK * np.cos(a))
    return x, xd, xdd, angle, -TURN * CRANK * np.sin(a) / height


def energy(t, mass):
    """Of crank, rod and slider, in closed form."""
    a, (_, xd, _, _, rate) = 0.5 + TURN * t, slider(t)
    vx, vz = (TURN * CRANK * np.cos(a) + xd) / 2, -TURN * CRANK * np.sin(a) / 2
    kinetic = (CRANK * TURN) ** 2 / 6 + 0.8 * (vx**2 + vz**2) / 2 + 0.8 * (ROD * rate) ** 2 / 24
    return kinetic + mass * xd**2 / 2 + G * (1.0 + 0.8) * CRANK * np.cos(a) / 2


def slider_run(robot, method):
    x, _, _, angle, _ = slider(np.zeros(1))
    start = [0.5, x[0], angle[0] - 0.5]
    motion = JointMotion.displacement({"crank_joint": f"0.5+{TURN}*time"}, q0=start)
    return run(Scenario(robot, motion, 1.0), method=method)


STOP = Stop(1e4, 1.5, upper=0.65)
SPRING = JointSpring(300.0, damping=5.0, free_position=0.5, preload=3.0)
ELEMENTS = {
    "stop": (
        lambda robot: robot.with_stops({"slider_joint": STOP}),
        lambda x, xd: -1e4 * np.maximum(x - 0.65, 0.0) ** 1.5,
    ),
    "spring": (
        lambda robot: robot.with_springs({"slider_joint": SPRING}),
        lambda x, xd: 3.0 - 300.0 * (x - 0.5) - 5.0 * xd,
    ),
    "damping and dry friction": (
        lambda robot: with_dynamics(robot, "slider_joint", damping=20.0, friction=7.0),
        lambda x, xd: -20.0 * xd - 7.0 * np.sign(xd),
    ),
}


@pytest.mark.parametrize("mass", [2.0, 1e-9])
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("method", EXACT)
def test_what_acts_on_the_slider_of_a_slider_crank_goes_through_its_pin(method, element, mass):
    """Crank: power of all energies less F xd. Pin: m xdd - F. Also with next to no slider."""
    add, law = ELEMENTS[element]
    robot = add(slider_crank(CRANK, ROD, mass))
    recording = slider_run(robot, method)
    t, h = recording.t, 1e-4
    x, xd, xdd, _, _ = slider(t)
    force = law(x, xd)
    assert np.max(np.abs(force)) > 5.0  # N

    near, far = (energy(t + k * h, mass) - energy(t - k * h, mass) for k in (1, 2))
    power = (8 * near - far) / (12 * h)
    for table in TABLES:
        found = column(recording, "tau.crank_joint", table)
        assert_near(found, (power - force * xd) / TURN, EXACT[method])
        pin = column(recording, "loop.rod_on_slider.fx", table)
        assert_near(pin, mass * xdd - force, EXACT[method])
        along = column(recording, "reaction.slider_joint.fx", table)
        assert_near(along, force, EXACT[method])
    assert failed(recording) == []


# --- a hinge that the loop positions ------------------------------------------------------------


def about_the_foot(recording, table, length, mass, name="rocker_joint"):
    """I qdd less the moments of weight and pin about the rocker's foot: what its joint gives."""
    c, cdd = (column(recording, f"{group}.{name}", table) for group in ("q", "qdd"))
    fx, _, fz = (column(recording, f"loop.coupler_on_rocker.f{k}", table) for k in "xyz")
    pin = length * (np.cos(c) * fx - np.sin(c) * fz)
    return mass * length**2 / 3 * cdd - mass * G * length / 2 * np.sin(c) - pin


@pytest.mark.parametrize("method", EXACT)
def test_a_spring_at_the_foot_of_a_rocker_turns_it_against_its_pin(method):
    spring = JointSpring(20.0, damping=1.0, free_position=0.3, preload=5.0)
    robot = BARS.robot().with_springs({"rocker_joint": spring})
    motion = JointMotion.displacement({"crank_joint": "2*time+0.3*SIN(3*time)"}, q0=BARS_START)
    measure = Measure("foot", "rocker_joint", axes="rocker")
    recording = run(Scenario(robot, motion, 1.0, measures=(measure,)), method=method)
    for table in TABLES:
        q, qd = (column(recording, f"{group}.rocker_joint", table) for group in ("q", "qd"))
        wanted = 5.0 - 20.0 * (q - 0.3) - qd
        given = about_the_foot(recording, table, BARS.rocker, BARS.masses[2])
        assert_near(given, wanted, EXACT[method])
        for channel in ("reaction.rocker_joint.my", "measure.foot.my"):
            assert_near(column(recording, channel, table), wanted, EXACT[method])
    assert failed(recording) == []


@pytest.mark.parametrize("method", EXACT)
def test_friction_follows_the_load_that_a_spring_brings_through_the_loop(method):
    """Mu R |F| with the force that the same spring makes in a smooth bearing of the crank."""
    law = JointFriction(
        0.3, 0.2, 1e-3, pin_radius=0.02, friction_arm=0.0, inputs=("reaction_force",)
    )
    motion = JointMotion.displacement({"crank_joint": "2*time"}, q0=BARS_START)
    spring = JointSpring(0.0, preload=40.0)
    smooth = BARS.robot().with_springs({"rocker_joint": spring})
    rough = smooth.with_friction({"crank_joint": law})
    alone, rubbing = (run(Scenario(r, motion, 0.5), method=method) for r in (smooth, rough))
    for table in TABLES:
        fx, fz = (column(alone, f"reaction.crank_joint.f{c}", table) for c in "xz")
        wanted = 0.2 * 0.02 * np.hypot(fx, fz)
        assert_near(column(rubbing, "friction.crank_joint", table), wanted, EXACT[method])
        # 40 N·m on a rocker of 0.4 m push with 100 N at its pin; the bars weigh 36 N
        assert np.hypot(fx, fz).min() > 60.0  # N
    assert failed(rubbing) == []


def test_a_joint_of_which_no_loop_takes_the_torque_is_refused_by_name():
    """Two hinges on one line, and a pin between them that nothing holds: each keeps half of it."""
    robot = load_robot("irb460").with_springs({"parallel_rod_joint": JointSpring(0.0, preload=5.0)})
    motion = JointMotion.displacement({}, q0=robot.pose("paper"))
    said = r"'parallel_rod_joint' .* needs 2\.5 N·m that no loop gives it.*spring"
    with pytest.raises(ModelError, match=said):
        run(Scenario(robot, motion, 0.01), method="ideal")


# --- joints that follow by <mimic>, on a loop ---------------------------------------------------


@pytest.mark.parametrize("method", ["ideal", "stepped", "adaptive"])
@pytest.mark.parametrize("element", ["spring", "damping"])
def test_what_acts_in_a_joint_that_the_loop_makes_follow_goes_through_its_pin(method, element):
    robot, mass = parallelogram(), 1.2
    if element == "spring":
        robot = robot.with_springs({"rocker_joint": JointSpring(30.0, preload=4.0)})
    else:
        robot = with_dynamics(robot, "rocker_joint", damping=6.0)
    motion = JointMotion.displacement({"crank_joint": "0.7*SIN(3*time)"})
    recording = run(Scenario(robot, motion, 0.5), method=method)
    for table in TABLES:
        q, qd = (column(recording, f"{group}.crank_joint", table) for group in ("q", "qd"))
        wanted = 4.0 - 30.0 * q if element == "spring" else -6.0 * qd
        given = about_the_foot(recording, table, 0.4, mass)
        assert_near(given, wanted, EXACT.get(method, 1e-9))
    assert failed(recording) == []


def test_damping_of_a_parallelogram_that_swings_freely_goes_through_its_pin():
    robot = with_dynamics(parallelogram(), "rocker_joint", damping=0.6)
    motion = JointMotion.displacement({}, q0=[2.5], free=["crank_joint"])
    recording = run(Scenario(robot, motion, 0.5), method="adaptive")
    for table in TABLES:
        given = about_the_foot(recording, table, 0.4, 1.2)
        assert_near(given, -0.6 * column(recording, "qd.crank_joint", table), 1e-8)
    assert failed(recording) == []


def test_dry_friction_of_a_free_parallelogram_is_known_in_its_own_drive_only():
    """At rest no law says how much of what holds it is in which joint, and so in the pins."""
    motion = JointMotion.displacement({}, q0=[0.3], free=["crank_joint"])
    rough = with_dynamics(parallelogram(), "rocker_joint", friction=3.0)
    said = r"'rocker_joint' .* has dry friction and is as free as 'crank_joint'.*damping only"
    with pytest.raises(ScenarioError, match=said):
        run(Scenario(rough, motion, 0.1), method="adaptive")
    moved = JointMotion.displacement({"crank_joint": "0.7*SIN(3*time)"})
    recording = run(Scenario(rough, moved, 0.5), method="adaptive")
    dry = -3.0 * np.sign(column(recording, "qd.crank_joint"))
    assert_near(about_the_foot(recording, "recorded", 0.4, 1.2), dry, 1e-9)
    own = with_dynamics(parallelogram(), "crank_joint", friction=20.0)
    assert failed(run(Scenario(own, motion, 0.1), method="adaptive")) == []


LAW = JointFriction(0.3, 0.2, 1e-3, pin_radius=0.05, friction_arm=0.05)


@pytest.mark.parametrize("name", ["crank_joint", "rocker_joint"])
def test_a_solver_refuses_friction_that_follows_the_forces_of_a_loop(name):
    motion = JointMotion.displacement({"crank_joint": "0.7*SIN(3*time)"})
    rough = parallelogram().with_friction({name: LAW})
    said = rf"'{name}' .* closed loop.*friction follows them; drive all joints, with method 'step"
    with pytest.raises(ScenarioError, match=said):
        run(Scenario(rough, motion, 0.1), method="adaptive")
    assert failed(run(Scenario(rough, motion, 0.1), method="ideal")) == []
    by_preload = rough.with_friction({name: replace(LAW, preload=2.0, inputs=("preload",))})
    assert failed(run(Scenario(by_preload, motion, 0.1), method="adaptive")) == []


def test_a_solver_knows_the_load_of_a_joint_that_carries_whole_loops():
    bars = parallelogram()
    table = link("table", 5.0, moments="0.2 0.2 0.2")
    turn = joint("turn", "revolute", "ground", "table", "0 0 1")
    text = bars.text.replace('parent link="ground"', 'parent link="table"')
    carried = read_urdf(text.replace("</robot>", f"{table}{turn}</robot>"))
    robot = replace(carried, loops=bars.loops).with_friction({"turn": LAW})
    motion = JointMotion.displacement({"turn": "SIN(3*time)", "crank_joint": "0.7*SIN(3*time)"})
    solved, exact = (run(Scenario(robot, motion, 0.05), method=m) for m in ("adaptive", "ideal"))
    wanted = column(exact, "friction.turn")
    assert_near(column(solved, "friction.turn"), wanted, 1e-9)
    assert np.abs(wanted).max() > 0.2  # N·m
