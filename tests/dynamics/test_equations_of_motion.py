import numpy as np
import pytest

from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.wrench import AppliedWrench
from sim.robots import JointFriction
from tests.helpers.free_paths import beside, loose
from tests.helpers.small_robots import geared, lift, pendulum_on_cart
from tests.helpers.stateless_loads import loads_by

G = (0.0, 0.0, -9.81)
T = np.array([0.0, 1.0, 2.0])


def sliding(*slide, stuck=None):
    sense = np.array(slide, dtype=float)
    return FrictionModes(
        np.zeros(sense.size, dtype=bool) if stuck is None else np.array(stuck), sense
    )


def balance(plant, path, q, qd, modes, loads=None, until=np.inf):
    response, loads = LagrangianDynamics(plant, G), loads and loads_by(plant, loads)
    mechanism = Mechanism(response, path, loads, until)
    y = np.zeros((mechanism.layout.size, T.size))
    y[mechanism.layout.q], y[mechanism.layout.qd] = q, qd
    return mechanism.at(T, y, modes)


def test_a_sliding_block_balances_motor_loads_friction_and_inertia():
    block = lift(2.0, "1 0 0", '<dynamics friction="3" damping="0.5"/>')
    path = loose([0.0], torque=lambda t: (10 + t)[None])
    found = balance(block, path, [[0, 0, 0]], [[1, 2, 4]], sliding(1), lambda t, q, qd: (q - 4, ()))
    qd = np.array([1.0, 2.0, 4.0])
    np.testing.assert_allclose(found.friction[0], 3 + 0.5 * qd)
    np.testing.assert_allclose(found.qdd[0], (10 + T - 4 - found.friction[0]) / 2)
    np.testing.assert_allclose(found.tau[0], 10 + T)
    np.testing.assert_allclose(found.limit[0], 3.0)
    np.testing.assert_allclose(found.external, -4 * qd)
    wanted = [(10 + T) * qd, found.friction[0] * qd, -4 * qd]
    np.testing.assert_allclose(found.powers, wanted)


def test_a_stuck_block_tells_what_holds_it():
    block = lift(2.0, "1 0 0", '<dynamics friction="30"/>')
    path = loose([0.0], torque=lambda t: (10 + t)[None])
    modes = sliding(0, stuck=[True])
    found = balance(block, path, [[0, 0, 0]], [[0, 0, 0]], modes, lambda t, q, qd: (q - 4, ()))
    np.testing.assert_allclose(found.friction[0], 10 + T - 4)
    assert not found.qdd.any()
    assert not found.powers.any()


def test_a_wrench_does_work_along_its_link():
    push = np.array([[5.0], [0.0], [100.0]])
    found = balance(
        pendulum_on_cart(1.0, 2.0, 0.7),
        loose([0.0, 0.0]),
        np.zeros((2, 3)),
        [[1, 2, 3], [0, 0, 0]],
        sliding(0, 0),
        lambda t, q, qd: (0 * q, [AppliedWrench("cart", np.zeros(3), push, 0 * push)]),
    )
    np.testing.assert_allclose(found.external, 5 * np.array([1, 2, 3]))
    np.testing.assert_allclose(found.qdd, [[5.0] * 3, [5 / 0.7] * 3])  # the bob stays behind


def test_what_depends_on_time_is_not_asked_after_its_end():
    asked = []

    def motion(t):
        asked.extend(t)
        return np.zeros((2, t.size)), np.zeros((2, t.size)), np.zeros((2, t.size))

    path = beside([False, True], motion, [0, 0], [0, 0])
    plant = pendulum_on_cart(1.0, 2.0, 0.7)
    balance(plant, path, [[0, 0, 0]], [[0, 0, 0]], sliding(0, 0), until=1.5)
    assert max(asked) == 1.5


@pytest.mark.parametrize(
    ("law", "is_rough"),
    [
        (JointFriction(0.1, 0.1), True),
        (JointFriction(0.1, 0.1, inputs=("torsional_moment",)), True),
        (JointFriction(0.0, 0.0, preload=2.0), True),
        (JointFriction(0.0, 0.0), False),
    ],
)
def test_a_joint_is_rough_where_any_load_gives_dry_friction(law, is_rough):
    block = lift(2.0, "1 0 0").with_friction({"slide": law})
    assert Mechanism(LagrangianDynamics(block, G), loose([0.0])).has_dry_friction.tolist() == [
        is_rough
    ]


def test_a_joint_is_rough_with_its_follower_and_never_if_driven():
    pair = geared(0.3, 0.2, -3.0, "", '<dynamics friction="0.2"/>')
    assert Mechanism(LagrangianDynamics(pair, G), loose([0.0])).has_dry_friction.all()
    held = beside([False], lambda t: tuple(np.zeros((3, 1, t.size))), [0], [0])
    assert not Mechanism(LagrangianDynamics(pair, G), held).has_dry_friction.any()
    damped = lift(2.0, "1 0 0", '<dynamics damping="3"/>')
    assert not Mechanism(LagrangianDynamics(damped, G), loose([0.0])).has_dry_friction.any()
