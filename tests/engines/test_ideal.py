import numpy as np
import pytest

from sim.engines.bullet.bullet import Bullet
from sim.engines.ideal import CHUNK, solve_ideal
from sim.engines.loads import NO_LOADS, PrescribedLoads
from sim.errors import EngineError
from tests.helpers.small_robots import double_pendulum, lift

G = (0.0, 0.0, -9.81)
ROUNDING = 1e-12  # of the largest torque
T = np.linspace(0.0, 1.0, 11)


def swing(n):
    """A smooth motion of n joints at `T`, each (n, N)."""
    phase = np.arange(n)[:, None]
    return np.sin(3 * T + phase), 3 * np.cos(3 * T + phase), -9 * np.sin(3 * T + phase)


def solve(robot, t, q, qd, qdd, friction=None, gravity=G):
    with Bullet(robot, gravity) as engine:
        acts = NO_LOADS if friction is None else PrescribedLoads(torques=lambda at: -friction)
        return solve_ideal(engine, t, q, qd, qdd, acts)


def test_states_are_the_prescribed_ones_and_the_torque_has_no_discretisation_error():
    q, qd, qdd = swing(2)
    found = solve(double_pendulum(1.0, 2.0, 0.5, 0.7), T, q, qd, qdd)
    np.testing.assert_array_equal(found.q, q)
    np.testing.assert_array_equal(found.qd, qd)
    np.testing.assert_allclose(found.qdd, qdd, rtol=0, atol=1e-11)  # [rad/s²], qd 1e-15 over 1 ms
    assert not found.tau_error.any()
    assert found.q is not q


def test_the_step_of_the_probe_does_not_matter(monkeypatch):
    motion = swing(2)
    found = solve(double_pendulum(1.0, 2.0, 0.5, 0.7), T, *motion)
    monkeypatch.setattr("sim.engines.bullet.bullet.HELD_STEP", 0.05)
    again = solve(double_pendulum(1.0, 2.0, 0.5, 0.7), T, *motion)
    size = np.abs(found.tau).max()
    np.testing.assert_allclose(again.tau, found.tau, rtol=0, atol=ROUNDING * size)


def test_samples_need_not_be_in_order_nor_uniform():
    motion = swing(2)
    arm = double_pendulum(1.0, 2.0, 0.5, 0.7)
    mixed = np.array([7, 0, 10, 3])
    whole = solve(arm, T, *motion)
    part = solve(arm, T[mixed], *(x[:, mixed] for x in motion))
    np.testing.assert_allclose(part.tau, whole.tau[:, mixed], rtol=0, atol=1e-12)


def test_friction_is_added_to_what_the_drive_must_give():
    motion = swing(2)
    friction = np.array([np.full(T.size, 5.0), np.linspace(-1.0, 1.0, T.size)])
    arm = double_pendulum(1.0, 2.0, 0.5, 0.7)
    with_friction, without = solve(arm, T, *motion, friction), solve(arm, T, *motion)
    np.testing.assert_allclose(with_friction.tau - without.tau, friction, rtol=0, atol=1e-10)


def test_large_torques_are_not_cut_off():
    q = np.zeros((1, 1))
    assert solve(lift(1e4), T[:1], q, q, q + 1e3).tau[0, 0] == pytest.approx(1e4 * 1009.81)


@pytest.mark.parametrize("broken", [0, 1, 2])
def test_a_number_that_is_none_names_joint_and_time(broken):
    motion = [x.copy() for x in swing(2)]
    motion[broken][1, 4:] = np.nan
    # nobody knows which joint spoils the world first, but when it does
    with pytest.raises(EngineError, match=r"joint '(shoulder|elbow)' is not .* at t = 0\.4 s"):
        solve(double_pendulum(1.0, 2.0, 0.5, 0.7), T, *motion)


def test_progress_is_told_with_every_chunk():
    told = []
    q = np.zeros((1, 2 * CHUNK + 5))
    with Bullet(lift(1.0), G, told.append) as engine:
        solve_ideal(engine, np.arange(q.shape[1]) * 1e-3, q, q, q)
    assert told[:2] == [CHUNK, 2 * CHUNK]
