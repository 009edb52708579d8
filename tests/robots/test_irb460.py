import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel

IRB = load_robot("irb460")
ORACLE = PinocchioModel(IRB, (0, 0, -9.81))
CLOSE = 1e-12  # [m], and entries of rotations

# Lengths [m] as the paper prints them: axis 2, elbow, wrist axis and tool point at zero.
AXIS_2, ELBOW, WRIST, TOOL = (
    np.array(p) for p in ((0.260, 0.7425), (0.260, 1.6875), (1.285, 1.6875), (1.505, 1.470))
)
CRANK = 0.45
PIN_1, PIN_2 = np.array([-0.18, 0.08]), np.array([0.15, 0.12])  # of the link plate, from the elbow
RANGES = {  # degrees, in the sense of ABB: axis 2 = -theta2, axis 3 = -theta3
    "swing_joint": (-165, 165, 1),
    "lower_arm_joint": (-40, 85, -1),
    "crank_joint": (-20, 120, -1),
    "flange_joint": (-300, 300, 1),
}
angles = st.tuples(
    *(
        st.floats(*sorted(np.radians(sign * np.array([lower, upper]))))
        for lower, upper, sign in RANGES.values()
    )
)


def on_tree(t1, t2, t3, t4):
    """Positions of all joints from the absolute angles of the links, shape (11, 1)."""
    relative = {
        "swing_joint": t1,
        "lower_arm_joint": t2,
        "crank_joint": t3,
        "levelling_rod_1_joint": t2,
        "link_plate_joint": -t2,
        "crank_pin_joint": -t3,
        "upper_arm_joint": t3,
        "levelling_rod_2_joint": t3,
        "parallel_rod_joint": t2,
        "wrist_joint": -t3,
        "flange_joint": t4,
    }
    return np.array([[relative[joint.name]] for joint in IRB.tree_joints])


def frame(link, q):
    """Rotation and origin of a link in the world by Pinocchio."""
    rows = ORACLE.frame_motion(link, on_tree(*q), np.zeros((11, 1)))[:, 0]
    return rows[:9].reshape(3, 3), rows[9:12]


def point(link, q, yz):
    R, p = frame(link, q)
    return p + R @ [0.0, *yz]


def turned(angle, yz):
    """A vector in the plane of the arm turned about X."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * yz[0] - s * yz[1], s * yz[0] + c * yz[1]])


def in_world(t1, yz):
    """A point of the plane of the arm, which swings about Z."""
    return np.array([-np.sin(t1) * yz[0], np.cos(t1) * yz[0], yz[1]])


def test_the_motors_are_in_the_order_of_the_axes():
    assert IRB.joint_names == tuple(RANGES)
    assert IRB.card.joints == tuple(RANGES)


def test_every_joint_without_a_motor_follows_one_motor_by_a_whole_angle():
    S, q_0 = IRB.coupling
    q = np.array([0.3, -0.7, -0.2, 1.1])
    np.testing.assert_array_equal(S @ q + q_0, on_tree(*q)[:, 0])


@given(angles)
def test_both_ends_of_every_rod_are_on_their_pins_over_the_whole_range(q):
    t1, t2, t3, _ = q
    elbow = AXIS_2 + turned(t2, ELBOW - AXIS_2)
    wrist = elbow + turned(t3, WRIST - ELBOW)
    lower, upper = ELBOW - AXIS_2, WRIST - ELBOW  # along each arm at zero
    pins = [  # rod, its far end, the link there, the pin on that link, where the pin must be
        ("parallel_rod", lower, "upper_arm", (-CRANK, 0), elbow + turned(t3, [-CRANK, 0])),
        ("parallel_rod", (0, 0), "crank", (-CRANK, 0), AXIS_2 + turned(t3, [-CRANK, 0])),
        ("levelling_rod_1", lower, "link_plate", PIN_1, elbow + PIN_1),
        ("levelling_rod_1", (0, 0), "swing_base", AXIS_2 + PIN_1, AXIS_2 + PIN_1),
        ("levelling_rod_2", upper, "wrist", PIN_2, wrist + PIN_2),
        ("levelling_rod_2", (0, 0), "link_plate", PIN_2, elbow + PIN_2),
    ]
    for rod, end, link, pin, place in pins:
        one, other = point(rod, q, end), point(link, q, pin)
        np.testing.assert_allclose(one, other, rtol=0, atol=CLOSE)
        np.testing.assert_allclose(one, in_world(t1, place), rtol=0, atol=CLOSE)


@given(angles)
def test_arms_and_rods_turn_with_the_absolute_angles_and_plate_and_wrist_do_not(q):
    _, t2, t3, _ = q
    turns = dict.fromkeys(("lower_arm", "parallel_rod", "levelling_rod_1"), t2)
    turns |= dict.fromkeys(("crank", "upper_arm", "levelling_rod_2"), t3)
    turns |= dict.fromkeys(("link_plate", "wrist", "crank_pin", "swing_base"), 0.0)
    swing = frame("swing_base", q)[0]
    for link, angle in turns.items():
        c, s = np.cos(angle), np.sin(angle)
        wanted = swing @ [[1, 0, 0], [0, c, -s], [0, s, c]]
        np.testing.assert_allclose(frame(link, q)[0], wanted, rtol=0, atol=CLOSE)


def test_the_loops_file_names_the_far_ends_of_the_three_rods():
    ends = {loop.link_a: (loop.point_a[1:], loop.link_b, loop.point_b[1:]) for loop in IRB.loops}
    assert set(ends) == {"parallel_rod", "levelling_rod_1", "levelling_rod_2"}
    wanted = {
        "parallel_rod": (ELBOW - AXIS_2, "upper_arm", (-CRANK, 0)),
        "levelling_rod_1": (ELBOW - AXIS_2, "link_plate", PIN_1),
        "levelling_rod_2": (WRIST - ELBOW, "wrist", PIN_2),
    }
    for rod, (end, link, pin) in wanted.items():
        np.testing.assert_allclose(ends[rod][0], end, rtol=0, atol=1e-15)
        assert ends[rod][1] == link
        np.testing.assert_allclose(ends[rod][2], pin, rtol=0, atol=1e-15)
    assert all(np.array_equal(loop.normal, [1, 0, 0]) for loop in IRB.loops)


def test_the_levelling_parallelograms_are_open_over_the_whole_range():
    """The sine between a bar and the line of its two pins; flat would be zero."""
    for name, pins, along in (("lower_arm_joint", PIN_1, (0, 1)), ("crank_joint", PIN_2, (1, 0))):
        lower, upper, sign = RANGES[name]
        for angle in np.radians(sign * np.linspace(lower, upper, 200)):
            bar = turned(angle, along)
            sine = abs(bar[0] * pins[1] - bar[1] * pins[0]) / np.hypot(*pins)
            assert sine > 0.3


def test_card_and_urdf_have_the_ranges_of_the_catalogue():
    card = IRB.card
    for index, (name, (lower, upper, sign)) in enumerate(RANGES.items()):
        limits = IRB.joint(name).limits
        wanted = sorted(np.radians(sign * np.array([lower, upper])))
        np.testing.assert_allclose([limits.lower, limits.upper], wanted, rtol=1e-15)
        np.testing.assert_allclose([card.range.lower[index], card.range.upper[index]], wanted)
        assert limits.velocity == card.speed.values[index]
        assert limits.effort == np.inf  # published nowhere
    np.testing.assert_allclose(np.degrees(card.speed.values), [145, 110, 120, 400], rtol=1e-15)
    assert card.torque is None
    assert (card.payload.value, card.reach.value, card.ik) == (110, 2.4, "palletizer")


def test_a_joint_that_follows_has_the_limits_of_its_motor():
    for joint in IRB.tree_joints:
        if joint.mimic is None:
            continue
        motor = IRB.joint(joint.mimic.joint).limits
        ends = sorted([joint.mimic.multiplier * motor.lower, joint.mimic.multiplier * motor.upper])
        assert [joint.limits.lower, joint.limits.upper] == ends
        assert joint.limits.velocity == motor.velocity


def test_the_assumed_masses_add_up_to_925_kg():
    masses = {link.name: link.inertia.mass for link in IRB.links if link.inertia}
    assert sum(masses.values()) == 925
    crank = masses.pop("crank") + masses.pop("crank_pin")
    wrist = masses.pop("wrist") + masses.pop("flange")
    assert (crank, wrist) == (45, 55)
    assert masses == {
        "base_link": 250,
        "swing_base": 300,
        "lower_arm": 120,
        "upper_arm": 95,
        "parallel_rod": 25,
        "levelling_rod_1": 10,
        "levelling_rod_2": 10,
        "link_plate": 15,
    }


def test_what_is_not_published_is_said_with_its_reason():
    said = " ".join(IRB.card.assumptions())
    for entry in ("'masses' is assumed", "'inertias' is assumed", "'linkage' is assumed"):
        assert entry in said
    assert "rated speed is unverified" in said
    assert IRB.card.groups()["urdf.geometry"].status == "published"


def cylinder(mass, radius, length, axis):
    across, along = mass * (3 * radius**2 + length**2) / 12, mass * radius**2 / 2
    moments = [across] * 3
    moments["xyz".index(axis)] = along
    return np.diag(moments)


def box(mass, *edges):
    squares = np.square(edges)
    return mass * np.diag(squares.sum() - squares) / 12


@pytest.mark.parametrize(
    ("link", "com", "tensor"),
    [
        ("base_link", (0, 0, 0.15), cylinder(250, 0.35, 0.30, "z")),
        ("swing_base", (0, 0.05, 0.55), box(300, 0.6, 0.7, 0.6)),
        ("lower_arm", (0, 0, 0.945 / 2), cylinder(120, 0.12, 0.945, "z")),
        ("crank", (0, -0.225, 0), cylinder(43, 0.08, 0.45, "y")),
        ("crank_pin", (0, 0, 0), cylinder(2, 0.04, 0.12, "x")),
        ("parallel_rod", (0, 0, 0.945 / 2), cylinder(25, 0.035, 0.945, "z")),
        ("upper_arm", (0, (1.025 - 0.45) / 2, 0), cylinder(95, 0.1, 1.025 + 0.45, "y")),
        ("levelling_rod_1", (0, 0, 0.945 / 2), cylinder(10, 0.02, 0.945, "z")),
        ("levelling_rod_2", (0, 1.025 / 2, 0), cylinder(10, 0.02, 1.025, "y")),
        ("wrist", (0, 0.15, -0.05), box(50, 0.2, 0.3, 0.3)),
        ("flange", (0, 0, 0.02), cylinder(5, 0.1, 0.04, "z")),
    ],
)
def test_the_bodies_are_uniform_solids(link, com, tensor):
    body = IRB.link(link).inertia
    np.testing.assert_allclose(body.com, com, rtol=0, atol=1e-15)
    np.testing.assert_allclose(body.tensor, tensor, rtol=1e-13, atol=1e-16)


def test_the_link_plate_is_a_uniform_triangle():
    """The mean over a triangle of a square is its mean over the three middles of the sides."""
    corners = np.array([[0, 0], PIN_1, PIN_2])
    midpoints = (corners + np.roll(corners, 1, axis=0)) / 2
    body = IRB.link("link_plate").inertia
    centre = corners.mean(axis=0)
    np.testing.assert_allclose(body.com, [0, *centre], rtol=0, atol=1e-15)
    second = np.zeros((3, 3))
    second[1:, 1:] = 15 * np.mean([np.outer(m, m) for m in midpoints - centre], axis=0)
    second[0, 0] = 15 * 0.04**2 / 12
    wanted = np.trace(second) * np.eye(3) - second
    np.testing.assert_allclose(body.tensor, wanted, rtol=1e-12, atol=1e-16)
