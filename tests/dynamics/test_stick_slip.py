import numpy as np
import pytest

import sim
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.stick_slip import GRIP, consistent_modes, margins
from sim.errors import ScenarioError
from tests.helpers.free_paths import loose
from tests.helpers.small_robots import joint, lift, link, robot

G = (0.0, 0.0, -9.81)


def rough(friction):
    return f'<dynamics friction="{friction!r}"/>'


def stacked(lower, upper, friction_below, friction_between):
    """A block on a sled on the ground, both along x; the second position is relative."""
    return robot(
        link("sled", lower),
        link("block", upper),
        joint("below", "prismatic", "ground", "sled", "1 0 0", rough(friction_below)),
        joint("between", "prismatic", "sled", "block", "1 0 0", rough(friction_between)),
    )


def pulled(plant, force):
    """The robot with constant forces of its motors, where there are any."""
    torque = None if force is None else (lambda t: np.repeat(np.array([force]).T, t.size, axis=1))
    path = loose([0.0] * len(plant.joint_names), torque=torque)
    return Mechanism(LagrangianDynamics(plant, G), path)


def modes(plant, qd, force=None, breaking=None):
    mechanism = pulled(plant, force)
    y = mechanism.layout.state(np.zeros(len(qd)), qd)
    return consistent_modes(mechanism, 0.0, y, breaking or {})


@pytest.mark.parametrize(
    ("force", "sense"), [(0.0, 0), (2.9, 0), (-2.9, 0), (3.1, 1), (-3.1, -1), (3 + 1e-10, 0)]
)
def test_a_block_at_rest_holds_up_to_its_limit(force, sense):
    found = modes(lift(1.0, "1 0 0", rough(3.0)), [0.0], [force])
    assert found.slide[0] == sense
    assert found.stuck[0] == (sense == 0)


def test_a_moving_block_slides_the_way_it_moves_whatever_pulls():
    found = modes(lift(1.0, "1 0 0", rough(3.0)), [-0.1], [100.0])
    assert (found.slide[0], found.stuck[0]) == (-1, False)


def test_a_block_that_breaks_away_does_so_at_its_limit_too():
    assert modes(lift(1.0, "1 0 0", rough(3.0)), [0.0], [3.0], {0: 1.0}).slide[0] == 1


def test_a_joint_without_dry_friction_neither_sticks_nor_slides():
    found = modes(lift(1.0, "1 0 0"), [0.0], [3.0])
    assert (found.slide[0], found.stuck[0]) == (0, False)


@pytest.mark.parametrize(
    ("pull", "wanted"),
    [
        (1.9, (0, 0)),  # the ground holds both
        (2.1, (1, 0)),  # the block rides on the sled: 1 kg · 0.1/4 m/s² is less than 1 N
        (5.9, (1, 0)),  # 1 kg · 3.9/4 m/s²
        (6.1, (1, -1)),  # the sled leaves it behind
    ],
)
def test_a_sled_takes_its_block_along_or_leaves_it_behind(pull, wanted):
    """Ground 2 N, between 1 N, sled 3 kg, block 1 kg: (pull - 2)/4 against 1 m/s²."""
    found = modes(stacked(3.0, 1.0, 2.0, 1.0), [0.0, 0.0], [pull, 0.0])
    assert tuple(found.slide) == wanted
    assert found.stuck.tolist() == [sense == 0 for sense in wanted]


@pytest.mark.parametrize(("pull", "wanted"), [(0.9, (0, 0)), (1.5, (0, 1)), (-1.5, (0, -1))])
def test_a_motor_between_two_bodies_moves_the_one_that_is_held_less(pull, wanted):
    assert tuple(modes(stacked(3.0, 1.0, 2.0, 1.0), [0.0, 0.0], [0.0, pull]).slide) == wanted


def test_a_strong_motor_between_two_bodies_drives_them_apart():
    # 10 N between, of which friction takes 1: the block goes forwards, the sled by 9 > 2 N back
    assert tuple(modes(stacked(3.0, 1.0, 2.0, 1.0), [0.0, 0.0], [0.0, 10.0]).slide) == (-1, 1)


def test_the_modes_obey_coulombs_law_whatever_pulls():
    rng = np.random.default_rng(3)
    for _ in range(40):
        plant = stacked(*rng.uniform(0.1, 3, 4).tolist())
        force = rng.uniform(-4, 4, 2)
        found = modes(plant, [0.0, 0.0], force)
        mechanism = pulled(plant, force)
        after = mechanism.at(np.zeros(1), mechanism.start()[:, None], found)
        limit = after.limit[:, 0]
        held, slides = found.stuck, ~found.stuck
        assert (np.abs(after.friction[:, 0]) <= limit * (1 + 2 * GRIP))[held].all()
        assert (after.qdd[:, 0] * found.slide >= 0)[slides].all()
        np.testing.assert_allclose(after.friction[slides, 0], (limit * found.slide)[slides])


def test_margins_are_speeds_of_what_slides_and_what_friction_is_left_of_what_sticks():
    plant = stacked(3.0, 1.0, 2.0, 1.0)
    pull = np.array([[0.0, 0.0], [0.5, 1.5]])
    mechanism = Mechanism(LagrangianDynamics(plant, G), loose([0.0, 0.0], None, lambda t: pull))
    sliding = FrictionModes(np.array([False, False]), np.array([1.0, -1.0]))
    t, still = np.zeros(2), mechanism.layout.state([0.0, 0.0], [0.0, 0.0])
    moving = (mechanism.layout.state([0.0, 0.0], qd) for qd in ([3.0, 2.0], [-1.0, -4.0]))
    found = margins(mechanism, sliding, t, np.transpose([*moving]))
    np.testing.assert_array_equal(found, [[3.0, -1.0], [-2.0, 4.0]])
    held = FrictionModes(np.array([True, True]), np.zeros(2))
    found = margins(mechanism, held, t, np.transpose([still, still]))
    np.testing.assert_allclose(found, [[2.0, 2.0], [0.5, -0.5]], rtol=0, atol=1e-8)


def test_modes_that_fit_nowhere_name_joint_and_time():
    """A load that pushes hard what is held and back what slides."""

    class Fickle(LagrangianDynamics):
        def hybrid_dynamics(self, q, qd, qdd, held, effort, wrenches):
            if held[0]:
                return qdd, np.full_like(q, -10.0)
            return np.full_like(q, -5.0), effort

    mechanism = Mechanism(Fickle(lift(1.0, "1 0 0", rough(3.0)), G), loose([0.0]))
    with pytest.raises(ScenarioError, match=r"'slide' can neither stick nor slip at t = 2.5 s"):
        consistent_modes(mechanism, 2.5, mechanism.start(), {})


def test_a_gear_without_friction_or_gravity_starts_from_a_load_of_zero():
    """(m + eta A) a = eta sin(w t)."""
    body = robot(link("body", 1.0), joint("x", "prismatic", "ground", "body", "1 0 0"))
    geared = body.with_drives({"x": sim.DriveTrain(10.0, 1e-3, efficiency=0.7)})
    motion = sim.JointMotion.torque({"x": "SIN(5*time)"})
    scenario = sim.Scenario(geared, motion, 0.2, 0.01, method="adaptive", gravity=(0, 0, 0))
    t = (recording := sim.run(scenario, engine="mujoco")).t
    way = 0.7 / (1 + 0.7 * 0.1) / 5 * (t - np.sin(5 * t) / 5)
    np.testing.assert_allclose(recording.recorded["q.x"], way, rtol=0, atol=1e-11)  # m
