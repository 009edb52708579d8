from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.polynomial import Polynomial
from scipy.spatial.transform import Rotation

from sim.dynamics.friction import (
    dry_limit,
    friction_torque,
    needs_reaction,
    regime,
    viscous_torque,
)
from sim.dynamics.newton_euler import wrenches
from sim.errors import ModelError
from sim.robots import JointFriction, load_robot
from tests.helpers.small_robots import geared, joint, lift, link, pendulum, pendulum_on_cart, robot


def two_joints():
    rough = '<dynamics damping="0.5" friction="2.0"/>'
    slick = '<dynamics damping="3.0" friction="0"/>'
    return robot(
        link("arm", 1.0),
        joint("hinge", "revolute", "ground", "arm", "0 0 1", rough),
        link("load", 1.0),
        joint("slide", "prismatic", "arm", "load", "1 0 0", slick),
    )


def test_friction_is_viscous_plus_coulomb_along_the_motion_and_zero_at_rest():
    qd = np.array([[4.0, -4.0, 0.0], [4.0, -4.0, 0.0]])
    wanted = [[0.5 * 4 + 2, -(0.5 * 4 + 2), 0.0], [12.0, -12.0, 0.0]]
    np.testing.assert_array_equal(friction_torque(two_joints(), qd), wanted)


def test_a_robot_without_friction_in_its_urdf_has_none():
    assert not friction_torque(load_robot("ur10"), np.ones((6, 3))).any()


def test_followers_rub_too():
    pair = geared(0.1, 0.1, 2.0, '<dynamics damping="0.5"/>')
    torque = friction_torque(pair, np.array([[1.0], [2.0]]))
    np.testing.assert_array_equal(torque, [[0.5], [0.0]])


@given(arrays(float, (2, 5), elements=st.floats(-100, 100)))
def test_friction_takes_energy_and_never_gives_any(qd):
    torque = friction_torque(two_joints(), qd)
    assert torque.shape == qd.shape
    assert (torque * qd >= 0).all()
    np.testing.assert_array_equal(friction_torque(two_joints(), -qd), -torque)


# --- the law that follows the load --------------------------------------------------------------

V_S = 0.1
LAW = JointFriction(
    0.3, 0.2, V_S, pin_radius=0.05, friction_arm=0.04, bending_arm=0.25, preload=0.7
)
# A reaction of 5 N across z and 12 N along it, 0.5 N·m across and 2 N·m along.
REACTION = np.array([3.0, -4.0, 12.0, -0.3, 0.4, 2.0])


def hinge(law, axis="0 0 1"):
    return robot(link("arm", 1.0), joint("hinge", "revolute", "ground", "arm", axis)).with_friction(
        {"hinge": law}
    )


def slide(law, axis="0 0 1"):
    return lift(1.0, axis).with_friction({"slide": law})


def repeated(reaction, n):
    return np.repeat(np.asarray(reaction)[None, :, None], n, axis=2)


def rubbed(plant, v, reaction=REACTION):
    """Friction at the surface speeds `v` under one reaction, both functions, each (N,)."""
    (bearing,) = plant.tree_joints
    arm = 1.0 if bearing.is_prismatic else bearing.friction_law.pin_radius
    qd = np.array([v], dtype=float) / arm
    reactions = repeated(reaction, qd.size)
    return friction_torque(plant, qd, reactions)[0], dry_limit(plant, qd, reactions)[0]


def test_a_revolute_joint_in_all_regimes_by_hand():
    # L = 0.05 · 5 + 0.04 · 12 + 0.05/0.25 · 0.5 = 0.83 N·m
    # v/v_s:     0    1/2 up the ramp            1 (stiction)   1.25 (middle)  1.5 and on
    v = V_S * np.array([0.0, 0.5, 1.0, 1.25, 1.5, 8.0])
    full = np.array([0.3, 0.3, 0.3, 0.25, 0.2, 0.2]) * 0.83 + 0.7
    # halfway from -v_s to v_s STEP is 1/2; at v_s/2, z = 3/4: -1 + 2 · (9/16)(3 - 3/2) = 11/16
    driven, free = rubbed(hinge(LAW), v)
    np.testing.assert_allclose(free, full, rtol=1e-13)
    np.testing.assert_allclose(driven, full * [0, 11 / 16, 1, 1, 1, 1], rtol=1e-13)


def test_a_prismatic_joint_in_all_regimes_by_hand():
    # L = 5 + 0.5/0.25 + 2/0.04 = 57 N; what the drive carries along the axis, 12 N, is no load
    v = V_S * np.array([0.0, -0.5, 1.0, -1.25, 8.0])
    full = np.array([0.3, 0.3, 0.3, 0.25, 0.2]) * 57 + 0.7
    driven, free = rubbed(slide(LAW), v)
    np.testing.assert_allclose(free, full, rtol=1e-13)
    np.testing.assert_allclose(driven, full * [0, -11 / 16, 1, -1, 1], rtol=1e-13)


def test_the_coefficient_follows_the_cubic_of_adams_over_the_transition():
    share = np.linspace(0.0, 1.0, 11)
    law = JointFriction(0.5, 0.1, V_S, pin_radius=0.05, inputs=("reaction_force",))
    driven, _ = rubbed(hinge(law), V_S * (1 + share / 2), [0.0, 20.0, 0, 0, 0, 0])
    smooth = Polynomial([0.0, 0.0, 3.0, -2.0])(share)  # the load is 0.05 m · 20 N = 1 N·m
    # one ulp of v/v_s is worth 1.5 · 0.4 · 4 times as much
    np.testing.assert_allclose(driven, 0.5 - 0.4 * smooth, rtol=1e-13)


def test_driven_friction_goes_through_zero_by_the_cubic_of_adams():
    share = np.linspace(-1.0, 1.0, 21)
    law = JointFriction(0.5, 0.1, V_S, pin_radius=0.05, inputs=("reaction_force",))
    driven, _ = rubbed(hinge(law), V_S * share, [0.0, 20.0, 0, 0, 0, 0])  # a load of 1 N·m
    smooth = Polynomial([0.0, 0.0, 3.0, -2.0])((share + 1) / 2)
    np.testing.assert_allclose(driven, 0.5 * (2 * smooth - 1), rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("inputs", "of_revolute", "of_prismatic"),
    [
        (("preload",), 0.7, 0.7),
        (("reaction_force",), 0.2 * (0.25 + 0.48), 0.2 * 5),
        (("bending_moment",), 0.2 * 0.1, 0.2 * 2),
        (("torsional_moment",), 0.0, 0.2 * 50),
        (("bending_moment", "preload"), 0.2 * 0.1 + 0.7, 0.2 * 2 + 0.7),
        ((), 0.0, 0.0),
    ],
)
def test_inputs_select_what_counts(inputs, of_revolute, of_prismatic):
    law = replace(LAW, inputs=inputs)
    assert rubbed(hinge(law), [1.0])[0] == pytest.approx([of_revolute], rel=1e-13)
    assert rubbed(slide(law), [1.0])[0] == pytest.approx([of_prismatic], rel=1e-13)


def test_the_largest_torque_caps_the_law_but_not_the_friction_of_the_urdf():
    rough = lift(1.0, "0 0 1", '<dynamics damping="0.5" friction="2.0"/>')
    capped = rough.with_friction({"slide": replace(LAW, max_torque=1.5)})
    driven, free = rubbed(capped, [-3.0])
    assert driven.tolist() == [-(0.5 * 3 + 2 + 1.5)]
    assert free.tolist() == [2 + 1.5]


def test_axes_of_any_direction_split_the_same_load():
    # The axis (2, 3, 6)/7; the reaction of the z axis turned with it by Rodrigues' formula.
    a = np.array([2.0, 3.0, 6.0]) / 7
    turn, _ = Rotation.align_vectors([a], [[0.0, 0.0, 1.0]])
    turned = np.concatenate([turn.apply(REACTION[:3]), turn.apply(REACTION[3:])])
    axis = " ".join(map(repr, a.tolist()))
    for make in (hinge, slide):
        found, wanted = rubbed(make(LAW, axis), [1.0], turned), rubbed(make(LAW), [1.0])
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_a_pendulum_that_creeps_past_the_bottom_rubs_with_its_weight():
    # At the bottom at a steady rate the pin carries m (g + l qd²) and nothing else.
    mass, length, rate = 2.0, 0.5, 0.8
    bearing = JointFriction(0.3, 0.2, 0.01, pin_radius=0.03)
    rough = pendulum(mass, length).with_friction({"hinge": bearing})
    q, qd, qdd = np.zeros((1, 1)), np.array([[rate]]), np.zeros((1, 1))
    reaction = wrenches(rough, q, qd, qdd, (0.0, 0.0, -9.81)).reaction
    wanted = 0.2 * 0.03 * mass * (9.81 + length * rate**2)
    np.testing.assert_allclose(friction_torque(rough, qd, reaction), [[wanted]], rtol=1e-13)
    held = dry_limit(rough, np.zeros((1, 1)), reaction)
    np.testing.assert_allclose(held, [[wanted * 0.3 / 0.2]], rtol=1e-13)


def test_a_static_pin_that_holds_a_pendulum_aside_carries_its_weight():
    # Held at any angle the pin carries m g across the axis; the drive's own moment does not rub.
    mass = 2.0
    bearing = JointFriction(0.3, 0.2, pin_radius=0.03)
    rough = pendulum(mass, 0.5).with_friction({"hinge": bearing})
    q = np.linspace(-3.0, 3.0, 7)[None]
    rest = np.zeros_like(q)
    reaction = wrenches(rough, q, rest, rest, (0.0, 0.0, -9.81)).reaction
    found = dry_limit(rough, rest, reaction)
    np.testing.assert_allclose(found, np.full((1, 7), 0.3 * 0.03 * mass * 9.81), rtol=1e-12)
    assert not friction_torque(rough, rest, reaction).any()


def test_a_carriage_on_a_level_rail_rubs_with_the_weight_and_the_tilt_of_its_load():
    # The load's centre is 0.4 m ahead, across the rail: a moment m g 0.4 about the rail's axis.
    mass, weight = 3.0, 3.0 * 9.81
    carriage = robot(
        link("load", mass, "0 0.4 0"), joint("slide", "prismatic", "ground", "load", "1 0 0")
    ).with_friction({"slide": JointFriction(0.3, 0.2, friction_arm=0.1, bending_arm=0.2)})
    q, qd, qdd = np.zeros((1, 1)), np.array([[2.0]]), np.zeros((1, 1))
    reaction = wrenches(carriage, q, qd, qdd, (0.0, 0.0, -9.81)).reaction
    found = friction_torque(carriage, qd, reaction)
    np.testing.assert_allclose(found, [[0.2 * (weight + 0.4 * weight / 0.1)]], rtol=1e-13)


def test_regimes_change_at_the_stiction_velocity_and_at_one_and_a_half_of_it():
    law = JointFriction(0.3, 0.2, 1.0, pin_radius=0.5)  # the surface runs at half the joint's rate
    both = pendulum_on_cart(1.0, 1.0, 1.0).with_friction({"slide": law, "hinge": law})
    qd = np.array([0.0, 0.99, -1.0, 1.49, -1.5, 9.0])
    assert regime(both, np.array([qd, 2 * qd])).tolist() == [[0.0, 0.0, 1.0, 1.0, 2.0, 2.0]] * 2


def test_without_a_law_only_rest_is_stiction():
    assert regime(two_joints(), np.array([[0.0, 1e-9], [-1.0, 0.0]])).tolist() == [[0, 2], [2, 0]]


def test_a_reaction_is_needed_where_a_law_follows_one():
    qd = np.ones((1, 1))
    for plant in (hinge(LAW), slide(replace(LAW, inputs=("torsional_moment",)))):
        assert needs_reaction(plant)
        for function in (friction_torque, dry_limit):
            with pytest.raises(ModelError, match=r"Friction of joint '(hinge|slide)' .* reaction"):
                function(plant, qd)
    with pytest.raises(ValueError, match=r"reaction must have shape \(1, 6, 1\); got \(6, 1\)"):
        friction_torque(hinge(LAW), qd, REACTION[:, None])


@pytest.mark.parametrize(
    "plant",
    [
        two_joints(),
        hinge(replace(LAW, inputs=("preload",))),
        hinge(replace(LAW, inputs=("preload", "torsional_moment"))),
        hinge(replace(LAW, mu_static=0.0, mu_dynamic=0.0)),
    ],
)
def test_no_reaction_is_needed_where_none_counts(plant):
    assert not needs_reaction(plant)
    qd = np.full((len(plant.tree_joints), 2), 9.0)
    some = np.ones((len(qd), 6, 2))
    for function in (friction_torque, dry_limit):
        np.testing.assert_array_equal(function(plant, qd), function(plant, qd, some))


def test_the_dry_part_of_the_urdf_is_available_at_rest_and_has_no_viscous_part():
    qd = np.array([[0.0, 4.0], [0.0, -4.0]])
    assert dry_limit(two_joints(), qd).tolist() == [[2.0, 2.0], [0.0, 0.0]]
    assert viscous_torque(two_joints(), qd).tolist() == [[0.0, 2.0], [0.0, -12.0]]


coefficients = st.floats(0, 2)
lengths = st.floats(0.01, 1)
laws = st.builds(
    lambda mu, share, *rest: JointFriction(mu, share * mu, *rest),
    coefficients,
    st.floats(0, 1),
    st.floats(1e-3, 1),
    lengths,
    lengths,
    lengths,
    st.floats(0, 10),
    st.floats(0, 1000),
)
plants = st.builds(lambda make, law: make(law), st.sampled_from([hinge, slide]), laws)
loads = arrays(float, 6, elements=st.floats(-100, 100))
speeds = arrays(float, 4, elements=st.floats(-3, 3))


@given(plants, loads, speeds)
def test_the_law_is_odd_in_speed_even_in_the_reaction_and_takes_energy(plant, load, v):
    driven, free = rubbed(plant, v, load)
    opposite, same = rubbed(plant, -v, load)
    np.testing.assert_array_equal(driven, -opposite)
    np.testing.assert_array_equal(free, same)
    np.testing.assert_array_equal(rubbed(plant, v, -load), (driven, free))
    assert (driven * v >= 0).all()


@given(plants, loads, speeds, st.floats(1, 10))
def test_more_load_never_rubs_less_and_never_beyond_the_cap(plant, load, v, more):
    driven, free = rubbed(plant, v, load)
    driven_more, free_more = rubbed(plant, v, more * load)
    slack = 1e-12 * (1 + free)
    assert (np.abs(driven_more) >= np.abs(driven) - slack).all()
    assert (free_more >= free - slack).all()
    (bearing,) = plant.tree_joints
    assert (free_more <= bearing.friction_law.max_torque).all()


@given(plants, loads, speeds)
def test_a_driven_joint_meets_what_a_free_one_can_offer_once_it_slips(plant, load, v):
    driven, free = rubbed(plant, v, load)
    assert (np.abs(driven) <= free).all()
    (bearing,) = plant.tree_joints
    arm = 1.0 if bearing.is_prismatic else bearing.friction_law.pin_radius
    slips = regime(plant, v[None] / arm)[0] > 0
    np.testing.assert_array_equal(np.abs(driven[slips]), free[slips])
