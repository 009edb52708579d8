"""Motors that follow the state: both engines and the model against closed forms and each other."""

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
import pytest
from msgspec import structs
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from sim.dynamics import LagrangianDynamics, integrate
from sim.engines import March
from sim.engines.adaptive import solve_adaptive
from sim.engines.bullet.bullet import Bullet
from sim.engines.mujoco.mujoco import Mujoco
from tests.helpers.free_paths import loose
from tests.helpers.small_robots import double_pendulum, lift

G = (0.0, 0.0, -9.81)
CLOSE = 1e-10
ENGINES = [Bullet, Mujoco]


@dataclass(frozen=True)
class Proportional:
    """tau = kp (wanted - q) - kd qd, at each time or held between samples."""

    kp: float
    kd: float
    wanted: np.ndarray
    hold: float | None = None

    @property
    def states(self):
        return 0 if self.hold is None else self.wanted.size

    @property
    def start(self):
        return np.zeros(self.states)

    def law(self, q, qd):
        return self.kp * (self.wanted.reshape(-1, *[1] * (q.ndim - 1)) - q) - self.kd * qd

    def __call__(self, t, q, qd, z):
        return self.law(q, qd) if self.hold is None else z

    def rate(self, t, q, qd, z):
        return np.zeros_like(z)

    def sample(self, t, q, qd, z):
        return self.law(q, qd)


class Integral:
    """tau = kp e + z with dz/dt = ki e: a state variable of the motor's own."""

    states, start, hold = 1, np.array([2.0]), None

    def __call__(self, t, q, qd, z):
        return 30 * (0.4 - q) - 4 * qd + z

    def rate(self, t, q, qd, z):
        return 20 * (0.4 - q)


def answers(plant, actuation, q0, qd0, t):
    """Of the model, of PyBullet and of MuJoCo."""
    path = structs.replace(loose(q0, qd0), actuation=actuation)
    yield integrate([(0.0, LagrangianDynamics(plant, G))], path, t)
    for kind in ENGINES:
        with kind(plant, G) as engine:
            yield solve_adaptive(engine, t, path).solved


def test_a_double_pendulum_under_a_law_of_its_state_moves_as_pinocchio_says():
    plant = double_pendulum(1.5, 0.8, 0.6, 0.9)
    law = Proportional(20.0, 3.0, np.array([0.5, -0.2]))
    t, q0, qd0 = np.linspace(0.0, 1.0, 21), [1.2, -0.5], [0.3, -1.0]
    model = pin.buildModelFromXML(plant.text)
    data = model.createData()

    def rate(time, y):
        return np.concatenate([y[2:], pin.aba(model, data, y[:2], y[2:], law.law(y[:2], y[2:]))])

    tight = {"method": "DOP853", "t_eval": t, "rtol": 1e-13, "atol": 1e-14}
    wanted = solve_ivp(rate, (0.0, 1.0), [*q0, *qd0], **tight).y
    for found in answers(plant, law, q0, qd0, t):
        np.testing.assert_allclose(found.q, wanted[:2], rtol=0, atol=CLOSE)
        np.testing.assert_allclose(found.qd, wanted[2:], rtol=0, atol=CLOSE)
        np.testing.assert_allclose(found.tau, law.law(found.q, found.qd), rtol=0, atol=1e-13)


def test_the_work_of_a_law_is_the_motors():
    law = Proportional(20.0, 3.0, np.array([0.5]))
    for found in answers(lift(2.0, "1 0 0"), law, [0.0], [0.0], np.linspace(0.0, 1.0, 11)):
        np.testing.assert_allclose(found.works.work[0], found.qd[0] ** 2, rtol=0, atol=CLOSE)
        assert not found.works.external.any()


def test_a_motor_with_a_state_of_its_own_moves_a_block_as_the_matrix_exponential_says():
    t = np.linspace(0.0, 1.0, 11)
    A = np.array([[0, 1, 0, 0], [-15, -2, 0.5, 6], [-20, 0, 0, 8], [0, 0, 0, 0]])
    wanted = np.array([expm(A * time) @ [0.1, -0.2, 2.0, 1.0] for time in t]).T
    for found in answers(lift(2.0, "1 0 0"), Integral(), [0.1], [-0.2], t):
        np.testing.assert_allclose(found.q[0], wanted[0], rtol=0, atol=CLOSE)
        np.testing.assert_allclose(found.qd[0], wanted[1], rtol=0, atol=CLOSE)
        np.testing.assert_allclose(found.actuator_states[0], wanted[2], rtol=0, atol=CLOSE)


@pytest.mark.parametrize("hold", [0.05, 0.07])  # at samples, and between them
def test_a_held_command_moves_a_block_as_the_recurrence_says(hold):
    mass, t = 2.0, np.linspace(0.0, 1.0, 21)
    law = Proportional(30.0, 4.0, np.array([0.4]), hold)
    place, speed, wanted = 0.1, -0.2, []
    for k in range(int(1.0 / hold + 1.5)):
        pull = law.law(np.array(place), np.array(speed)).item() / mass
        own = t[(t > k * hold - 1e-9) & (t < (k + 1) * hold - 1e-9)] - k * hold
        wanted += [[place + speed * x + pull * x * x / 2, speed + pull * x, pull] for x in own]
        place, speed = place + speed * hold + pull * hold**2 / 2, speed + pull * hold
    q, qd, qdd = np.transpose(wanted)
    for found in answers(lift(mass, "1 0 0"), law, [0.1], [-0.2], t):
        np.testing.assert_allclose(found.q[0], q, rtol=0, atol=CLOSE)
        np.testing.assert_allclose(found.qd[0], qd, rtol=0, atol=CLOSE)
        last = slice(None, -1)  # the last sample ends its step and begins none
        np.testing.assert_allclose(found.qdd[0, last], qdd[last], rtol=0, atol=CLOSE)


@pytest.mark.parametrize("kind", ENGINES)
def test_a_march_gives_its_torques_the_positions_before_each_step(kind):
    """v' = v + h (kp (wanted - q) - kd v) / m and q' = q + h v', step by step."""
    mass, h, steps = 2.0, 0.01, 50
    law = Proportional(30.0, 4.0, np.array([0.4]))
    q, v, wanted = 0.1, -0.2, []
    for _ in range(steps):
        v = v + h * law.law(np.array(q), np.array(v)).item() / mass
        q = q + h * v
        wanted.append([q, v])

    def torques(k, q, qd):
        return law.law(np.array(q), np.array(qd)).tolist()

    none = np.zeros((1, steps))
    with kind(lift(mass, "1 0 0"), G) as engine:
        start, driven = np.array([[0.1, -0.2]]), np.array([False])
        t = h * np.arange(1, steps + 1)
        read = engine.march(March(h, t, start, driven, none, none, torques))
    np.testing.assert_allclose(read[0, :2], np.transpose(wanted), rtol=0, atol=CLOSE)
