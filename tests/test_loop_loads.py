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
from sim.robots import load_robot
from sim.scenario import JointFriction, JointSpring, Scenario, Stop
from sim.simulation import run
from tests.helpers.loop_robots import FourBar, parallelogram, slider_crank

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


@pytest.mark.rotates(3)
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


def weight_of_parallelogram(a):
    """Moment of all weights about the crank that its joint would have to hold [N·m]."""
    return -G * 0.4 * np.sin(a) * (1.0 / 2 + 1.5 + 1.2 / 2)


INERTIA = 0.4**2 * (1.0 / 3 + 1.5 + 1.2 / 3)  # of the parallelogram about its crank [kg m²]


def test_dry_friction_in_a_joint_that_follows_stops_a_parallelogram_through_its_pin():
    """I a'' = -V' - f while it slides; then f holds the weight, and all of it in its own joint."""
    rough = with_dynamics(parallelogram(), "rocker_joint", friction=9.0)
    motion = JointMotion.acceleration({}, q0=[0.3], qd0=[1.5], free=["crank_joint"])
    recording = run(Scenario(rough, motion, 0.15, dt=2.5e-3), method="adaptive")
    for table in TABLES:
        q, qd, qdd, friction = (
            column(recording, f"{of}.crank_joint", table) for of in ("q", "qd", "qdd", "friction")
        )
        moves = qd != 0
        assert 5 < np.count_nonzero(~moves) < 55 and not moves[-1]
        wanted = np.where(moves, 9.0, -weight_of_parallelogram(q))
        assert_near(friction, wanted, 1e-9)
        assert_near(INERTIA * qdd, -weight_of_parallelogram(q) - friction, 1e-9)
        assert_near(about_the_foot(recording, table, 0.4, 1.2), -friction, 1e-9)
    assert failed(recording) == []
    moved = JointMotion.displacement({"crank_joint": "0.7*SIN(3*time)"})
    driven = run(Scenario(rough, moved, 0.5), method="ideal")
    dry = -9.0 * np.sign(column(driven, "qd.crank_joint"))
    assert_near(about_the_foot(driven, "recorded", 0.4, 1.2), dry, 1e-9)


def test_what_holds_a_parallelogram_is_shared_by_the_limits_of_its_joints():
    rough = with_dynamics(parallelogram(), "crank_joint", friction=12.0)
    rough = with_dynamics(rough, "rocker_joint", friction=6.0)
    motion = JointMotion.displacement({}, q0=[0.3], free=["crank_joint"])
    recording = run(Scenario(rough, motion, 0.02, dt=0.01), method="adaptive")
    # 12² x + 6² x holds the weight: then the shares 12 x and 6 x are smallest
    moment = np.full(3, weight_of_parallelogram(0.3))
    assert_near(column(recording, "friction.crank_joint"), -moment, 1e-9)
    assert_near(about_the_foot(recording, "recorded", 0.4, 1.2), moment / 5, 1e-9)
    assert failed(recording) == []


HINGE = {"kind": "hinge", "axis_a": (0, 1, 0), "axis_b": (0, 1, 0)}
LAW = JointFriction(0.3, 0.3, 1e-4, pin_radius=0.05, friction_arm=0.0, inputs=("reaction_force",))


@pytest.mark.parametrize(("engine", "is_free"), [("bullet", True), ("mujoco", False)])
def test_a_solver_finds_the_friction_that_follows_the_forces_of_a_loop_of_mimics(engine, is_free):
    """Mu R |F| of the rocker's foot, with F by Newton's law of the rocker and its moment."""
    drives = {} if is_free else {"crank_joint": "0.4 + 2*time + SIN(9*time)/9"}
    free = ["crank_joint"] if is_free else ()
    start = {"q0": [0.4], "qd0": [3.0]} if is_free else {}
    level = JointMotion.acceleration if is_free else JointMotion.displacement
    motion = level(drives, free=free, **start)
    rough = parallelogram().with_friction({"rocker_joint": LAW})
    recording = run(Scenario(rough, motion, 0.05, dt=5e-3, engine=engine), method="adaptive")
    assert failed(recording) == []
    q, qd, qdd = (column(recording, f"{of}.crank_joint") for of in ("q", "qd", "qdd"))
    pin = np.stack([column(recording, f"loop.coupler_on_rocker.f{c}") for c in "xz"])
    middle = 0.2 * np.stack(
        [np.cos(q) * qdd - np.sin(q) * qd**2, -np.sin(q) * qdd - np.cos(q) * qd**2]
    )
    foot = 1.2 * (middle + np.array([[0.0], [G]])) - pin
    moment = 0.3 * 0.05 * np.hypot(*foot)
    assert_near(about_the_foot(recording, "recorded", 0.4, 1.2), -moment, 1e-8)
    assert_near(column(recording, "friction.crank_joint"), moment, 1e-8)
    given = column(recording, "tau.crank_joint") - weight_of_parallelogram(q) - moment
    np.testing.assert_allclose(INERTIA * qdd, given, rtol=0, atol=1e-8)  # [N·m] of some 5
    assert qd.min() > 0.5


def test_a_solver_knows_the_friction_in_a_guide_that_a_drive_moves_through_a_loop():
    """Five laws of Newton and Euler, of rod and slider, with the friction mu |N| of the guide."""
    law = JointFriction(0.3, 0.3, 1e-4, inputs=("reaction_force",))
    robot = slider_crank(CRANK, ROD).with_friction({"slider_joint": law})
    x, _, _, angle, _ = slider(np.zeros(1))
    motion = JointMotion.displacement(
        {"crank_joint": f"0.5+{TURN}*time"}, q0=[0.5, x[0], angle[0] - 0.5]
    )
    recording = run(Scenario(robot, motion, 0.1, dt=0.01, engine="mujoco"), method="adaptive")
    assert failed(recording) == []
    h, mass, rod, mu = 1e-4, 2.0, 0.8, 0.3
    for k, t in enumerate(recording.t):
        times = t + h * np.arange(-2, 3)
        _, xd, xdd, b, _ = slider(times)
        second = float(np.array([-1, 16, -30, 16, -1]) @ b / (12 * h**2))  # of the rod's angle
        a = 0.5 + TURN * times[2]
        ends = [CRANK * TURN**2 * np.array([-np.sin(a), -np.cos(a)]), np.array([xdd[2], 0.0])]
        middle, sense = sum(ends) / 2, np.sign(xd[2])
        along = ROD / 2 * np.array([np.sin(b[2]), np.cos(b[2])])
        weight, found = np.array([0.0, -G]), column(recording, "friction.slider_joint")[k]
        for up in (1.0, -1.0):  # the sign of N
            # unknown: A on the rod at the crank, B on the slider by the rod, N on the slider
            A, wanted = np.zeros((5, 5)), np.zeros(5)
            A[:2, :2], A[:2, 2:4] = np.eye(2), -np.eye(2)
            wanted[:2] = rod * (middle - weight)
            turn = np.array([along[1], -along[0]])  # about y: z F_x - x F_z
            A[2, :2], A[2, 2:4] = -turn, -turn
            wanted[2] = rod * ROD**2 / 12 * second
            A[3:, 2:4] = np.eye(2)
            A[3:, 4] = [-mu * sense * up, 1.0]
            wanted[3:] = mass * (ends[1] - weight)
            *_, N = np.linalg.solve(A, wanted)
            if N * up > 0:
                assert found == pytest.approx(mu * abs(N) * sense, abs=1e-6)  # [N] of 7
                break
        else:
            pytest.fail("no sign of N fits")


@pytest.mark.parametrize(
    ("kind", "repeated"), [({}, "1 .* repeats"), (HINGE, "3 .* repeat")], ids=["point", "hinge"]
)
def test_friction_that_follows_a_load_which_a_loop_leaves_open_is_refused_by_name(kind, repeated):
    """Without a normal a planar loop may press its pins apart across the plane, or not.

    A hinge may twist it about two directions too. What is advised is `BARS`, which runs.
    """
    open_bars = FourBar().robot(None)
    loop = replace(open_bars.loops[0], **kind)
    rough = replace(open_bars, loops=(loop,)).with_friction({"rocker_joint": LAW})
    motion = JointMotion.displacement({"crank_joint": "2*time"}, q0=BARS_START)
    said = (
        rf"Friction of joint 'rocker_joint' .* does not decide: {repeated} others, .* along "
        r'\(0, 1, 0\) of the world.* "point" with normal = \[0, 1, 0\]'
    )
    with pytest.raises(ScenarioError, match=said):
        run(Scenario(rough, motion, 0.1), method="adaptive")
    (advised,) = BARS.robot().loops
    assert (advised.kind, tuple(advised.normal)) == ("point", (0, 1, 0))
