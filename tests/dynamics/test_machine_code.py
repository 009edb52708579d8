"""Machine code against the NumPy path, closed forms and energy.

Without numba the same kernels run as they are written, over a shorter time.
"""

from importlib.util import find_spec
from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import JointSpring
from sim.dynamics import lagrange
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.equations_of_motion import Mechanism
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.integration import integrate
from sim.dynamics.joint_forces import joint_elements
from sim.dynamics.single_state import machine_code, switch
from sim.robots import JointFriction, load_robot
from tests.helpers.examples import examples
from tests.helpers.free_paths import beside, imbalance, loose
from tests.helpers.random_worlds import worlds
from tests.helpers.small_robots import (
    double_pendulum,
    geared,
    joint,
    lift,
    link,
    pendulum,
    pendulum_on_cart,
    robot,
)
from tests.helpers.stateless_loads import loads_by

PART = 1.0 if find_spec("numba") else 0.04  # of the time that random and long runs take
pytestmark = pytest.mark.usefixtures("compiled")

G = (0.0, 0.0, -9.81)
CLOSE = 1e-9  # as in the tests of the solver itself


@pytest.fixture(autouse=True)
def fast(monkeypatch):
    monkeypatch.setenv(switch.SWITCH, "1")
    monkeypatch.setattr(switch, "is_installed", lambda: True)


def solved(plant, q0, t, qd0=None, *, gravity=G, progress=None):
    path = loose(q0, qd0)
    return integrate([(0.0, LagrangianDynamics(plant, gravity))], path, t, None, progress)


def both(plant, q0, t, qd0=None, gravity=G):
    """The machine code's answer and NumPy's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(switch.SWITCH, "0")
        numpy = solved(plant, q0, t, qd0, gravity=gravity)
    return solved(plant, q0, t, qd0, gravity=gravity), numpy


def hold_against_numpy(plant, q0, t, qd0=None, gravity=G, close=CLOSE):
    fast, numpy = both(plant, q0, t, qd0, gravity)
    for name in ("q", "qd", "friction", "works.loss", "works.work", "works.external"):
        found, wanted = map(attrgetter(name), (fast, numpy))
        size = np.abs(wanted).max(initial=1.0)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=close * size, err_msg=name)
    np.testing.assert_array_equal(fast.stuck, numpy.stuck)
    return fast


@pytest.fixture
def used(monkeypatch):
    """What each march by machine code answered."""
    answers, march = [], machine_code.march

    def noted(*given):
        answers.append(march(*given))
        return answers[-1]

    monkeypatch.setattr(machine_code, "march", noted)
    return answers


@given(worlds(fewest=2, most=6, states=1))
@examples(6)
def test_free_robots_move_as_with_numpy_and_keep_their_energy(world):
    t = np.linspace(0.0, 0.3 * PART, 16)
    start = world.q[:, 0], t, world.qd[:, 0]
    found = hold_against_numpy(world.robot, *start, gravity=world.gravity, close=1e-8)
    model = lagrange.terms(world.robot, found.q, found.qd, world.gravity)
    energy = model.ke.sum(axis=0) + model.pe.sum(axis=0)
    scale = model.ke.sum(axis=0).max() + np.abs(model.pe).sum(axis=0).max()
    assert np.abs(energy - energy[0]).max() <= 1e-9 * scale


def test_a_block_stops_where_dry_and_viscous_friction_stop_it(used):
    """m v' = -f - d v: at rest after (m/d) ln(1 + d v0/f), and friction took what there was."""
    m, f, d, v = 3.0, 4.0, 1.5, 2.0
    slide = lift(m, "1 0 0", f'<dynamics friction="{f}" damping="{d}"/>')
    stop = m / d * np.log(1 + d * v / f)
    way = m / d * v - f * m / d**2 * np.log(1 + d * v / f)
    t = np.linspace(0.0, 2.0, 41)
    found = hold_against_numpy(slide, [0.0], t, [v])
    assert found.q[0, -1] == pytest.approx(way, abs=CLOSE)
    np.testing.assert_array_equal(found.stuck[0], t > stop)
    assert found.works.loss[0, -1] == pytest.approx(m * v**2 / 2, abs=CLOSE)
    assert used[0].end == pytest.approx(stop, abs=1e-12)
    assert used[0].changed == 0


LAW = JointFriction(
    0.3, 0.2, 0.05, pin_radius=0.05, friction_arm=0.04, bending_arm=0.2, preload=0.1
)


@pytest.mark.parametrize(
    "law",
    [
        LAW,
        JointFriction(0.02, 0.01, 0.05, friction_arm=0.4, bending_arm=0.5, max_torque=0.3),
        JointFriction(0.1, 0.1, 0.05, inputs=("preload", "bending_moment"), preload=0.4),
    ],
)
def test_slides_and_hinges_with_other_laws(law):
    rods = [link(f"rod_{k}", 1.0 + k, "0.1 0.2 -0.3", "0.02 0.03 0.04") for k in range(3)]
    more = '<origin xyz="0.1 0.2 0.3"/><dynamics friction="0.1" damping="0.2"/>'
    plant = robot(
        *rods,
        joint("root", "revolute", "ground", "rod_0", "0.6 0 0.8", more),
        joint("slide", "prismatic", "rod_0", "rod_1", "0 0.6 0.8", more),
        joint("tip", "revolute", "rod_1", "rod_2", "0 1 0", more),
    ).with_friction({"slide": law, "tip": law})
    t = np.linspace(0.0, 0.2 * PART, 41)
    found = hold_against_numpy(plant, [0.3, 0.1, -0.5], t, [1.0, 0.8, -2.0])
    assert imbalance(plant, G, found) < 1e-9


def test_what_is_stuck_slides_in_the_march(used):
    """A bob swings until it drags its cart off."""
    plant = pendulum_on_cart(1.0, 2.0, 0.7, '<dynamics friction="12"/>')
    t = np.linspace(0.0, 2.0, 101)
    found = hold_against_numpy(plant, [0.0, 1.0], t)
    assert found.stuck[0].any()
    assert used
    assert not found.stuck[0].all()


def pushed_block(force, qd0, monkeypatch, switched):
    """A block of 2 kg on a floor with friction 3 N, pushed for 1 s; its samples."""
    monkeypatch.setenv(switch.SWITCH, switched)
    plant = lift(2.0, "1 0 0", '<dynamics friction="3"/>')
    path = loose([0.0], [qd0], torque=lambda t: force(t)[None])
    return integrate([(0.0, LagrangianDynamics(plant, G))], path, np.linspace(0.0, 1.0, 11))


@pytest.mark.parametrize("switched", ["0", "1"])
def test_a_block_that_rests_for_a_millisecond_between_checks_does_rest(switched, monkeypatch):
    """v = (t - t1)² - d, so that it rests from t1 - d^1/2 on, until the force is 3 N again."""
    t1, d = 0.5137, 1e-6
    found = pushed_block(lambda t: 3 + 4 * (t - t1), t1**2 - d, monkeypatch, switched)
    stop = t1 - d**0.5
    way = t1**3 / 3 - d * stop - d**1.5 / 3 + (1 - t1) ** 3 / 3
    assert found.qd[0, -1] == pytest.approx((1 - t1) ** 2, abs=1e-11)
    assert found.q[0, -1] == pytest.approx(way, abs=1e-11)


@pytest.mark.parametrize("switched", ["0", "1"])
def test_a_block_at_rest_that_slips_for_milliseconds_between_checks_does_slip(
    switched, monkeypatch
):
    """The force exceeds 3 N by c (s1² - s²), and the block slips for 3 s1, over 2.25 c s1⁴/m."""
    t1, s1, c = 0.5137, 3e-3, 20.0
    found = pushed_block(lambda t: 3 + c * (s1**2 - (t - t1) ** 2), 0.0, monkeypatch, switched)
    assert found.stuck[0].all()
    assert found.q[0, -1] == pytest.approx(2.25 * c * s1**4 / 2.0, rel=1e-3)


def test_parts_of_a_march_are_one_and_tell_their_progress(monkeypatch):
    plant, t, told = double_pendulum(1.5, 0.8, 0.6, 0.9), np.linspace(0.0, 0.2, 101), []
    whole = solved(plant, [1.0, -2.0], t)
    monkeypatch.setattr(machine_code, "STEPS", 3)
    parts = solved(plant, [1.0, -2.0], t, progress=told.append)
    np.testing.assert_array_equal(parts.q, whole.q)
    assert sum(told) == t.size
    assert len(told) > 1


def test_an_interrupt_between_two_parts_ends_it():
    def interrupted(count):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solved(load_robot("ur10"), [0.0] * 6, np.linspace(0, 0.1, 11), progress=interrupted)


@given(st.integers(0, 2**16))
@examples(3)
def test_samples_lie_where_they_are_asked_for(seed):
    t = np.unique([0.0, *np.random.default_rng(seed).uniform(0, 1.5, 7), 1.5])
    found = solved(lift(3.0), [2.0], t, [1.0])
    np.testing.assert_allclose(found.q[0], 2 + t - 9.81 * t**2 / 2, atol=CLOSE)


def known(plant, path=None, loads=None, response=LagrangianDynamics):
    n = len(plant.joint_names)
    path = loose([0.0] * n) if path is None else path
    elements = ElementSum(plant, joint_elements(plant)) or None
    acting = elements if loads is None else loads_by(plant, loads)
    return machine_code.can_march(Mechanism(response(plant, G), path, acting))


def springy(plant):
    """The plant on a spring at its first joint."""
    return plant.with_springs({plant.joint_names[0]: JointSpring(40.0, 0.5, 0.2, 3.0)})


def test_masses_on_a_spring_under_a_swelling_force_move_as_the_closed_form_says(used):
    """Block m on spring k, pushed by f t: x = (f/k)(t - sin(w t)/w); another body falls beside."""
    m, k, f = 2.0, 50.0, 3.0
    plant = robot(
        link("block", m),
        link("drop", 1.0),
        joint("slide", "prismatic", "ground", "block", "1 0 0"),
        joint("fall", "prismatic", "ground", "drop", "0 0 1"),
    ).with_springs({"slide": JointSpring(k)})
    t, w = np.linspace(0.0, 2.0, 41), np.sqrt(k / m)
    found = run_loaded(plant, [0.0, 0.0], t, lambda t: np.stack([f * t, 0.0 * t]))
    np.testing.assert_allclose(found.q[0], f / k * (t - np.sin(w * t) / w), rtol=0, atol=CLOSE)
    np.testing.assert_allclose(found.q[1], -9.81 * t**2 / 2, rtol=0, atol=CLOSE)
    v = f / k * (1 - np.cos(w * t))
    stored = 0.5 * k * found.q[0] ** 2
    np.testing.assert_allclose(found.works.external, -stored, rtol=0, atol=CLOSE)
    np.testing.assert_allclose(found.works.work[0], stored + 0.5 * m * v**2, rtol=0, atol=CLOSE)
    assert len(used) == 1
    assert used[0] is not None


def run_loaded(plant, q0, t, torque):
    """The motion by torques over time and the plant's own elements."""
    path = loose(q0, torque=torque)
    loads = ElementSum(plant, joint_elements(plant))
    return integrate([(0.0, LagrangianDynamics(plant, G))], path, t, loads)


def test_torques_and_springs_move_a_rubbing_arm_as_with_numpy(used, monkeypatch):
    arm = load_robot("ur10").with_springs({"shoulder_lift_joint": JointSpring(200.0, 3.0, -0.5)})
    arm = arm.with_friction({"elbow_joint": LAW, "wrist_1_joint": LAW})
    t = np.linspace(0.0, 0.1 * PART, 11)

    def torque(t):
        return np.stack([5.0 * np.sin(30.0 * t), *np.outer([40, 30, 3, 2, 1], np.exp(-t))])

    start = [0.3, -1.0, 0.8, 0.2, 0.5, -0.4]
    fast = run_loaded(arm, start, t, torque)
    monkeypatch.setenv(switch.SWITCH, "0")
    numpy = run_loaded(arm, start, t, torque)
    for name in ("q", "qd", "works.loss", "works.work", "works.external"):
        found, wanted = map(attrgetter(name), (fast, numpy))
        atol = CLOSE * np.abs(wanted).max(initial=1.0)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=atol, err_msg=name)
    assert used
    assert all(answer is not None for answer in used)


def test_a_torque_without_a_series_is_left_to_scipy(used):
    plant = double_pendulum(1.5, 0.8, 0.6, 0.9)
    t = np.linspace(0.0, 0.01, 3)
    rough = run_loaded(plant, [1.0, 0.0], t, lambda t: np.abs(np.sin(4e4 * t)) * [[0.1], [0.0]])
    assert used == [None]
    assert np.isfinite(rough.q).all()


def test_what_it_knows(monkeypatch):
    class Another(LagrangianDynamics):
        pass

    plant = pendulum_on_cart(1.0, 2.0, 0.7)
    assert known(plant)
    assert known(plant, loose([0.0, 0.0], torque=lambda t: np.zeros((2, t.size))))
    assert known(springy(plant))
    assert not known(springy(pendulum(1.0, 0.5, 0.1)))
    assert not known(plant, beside([False, True], lambda t: (t, t, t), [0, 0], [0, 0]))
    assert not known(plant, loads=lambda t, q, qd: (0 * q, ()))
    assert not known(geared(0.3, 0.2, -3.0))
    assert not known(plant, response=Another)
    monkeypatch.setenv(switch.SWITCH, "0")
    assert not known(plant)
