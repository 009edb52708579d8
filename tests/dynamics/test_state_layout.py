import numpy as np
import pytest
from scipy.linalg import expm

from sim.dynamics import ElementSum, ForceElement
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.integration import integrate
from sim.dynamics.state_layout import StateLayout
from tests.helpers.free_paths import loose
from tests.helpers.small_robots import lift


@pytest.mark.parametrize("sizes", [(3, 3, 0, 0), (4, 2, 3, 1), (2, 0, 0, 5)])
def test_the_parts_follow_each_other_and_fill_the_state(sizes):
    layout, y = StateLayout(*sizes), np.arange(StateLayout(*sizes).size)
    names = ("q", "qd", "elements", "actuators", "motor_work", "friction_loss")
    parts = [y[getattr(layout, name)] for name in names]
    joints, free, elements, actuators = sizes
    assert [len(part) for part in parts] == [free, free, elements, actuators, joints, joints]
    np.testing.assert_array_equal(np.concatenate([*parts, [layout.external_work]]), y)
    np.testing.assert_array_equal(y[layout.works], y[layout.actuators.stop :])


class Maxwell(ForceElement):
    """A spring and a damper in series from the ground to a block; z is where they meet."""

    stiffness, damping = 50.0, 3.0

    def start(self, robot):
        return np.array([0.1])

    def joint_efforts(self, at):
        return -self.stiffness * (at.q - at.z)

    def rate(self, at):
        return self.stiffness / self.damping * (at.q - at.z)


def test_a_block_on_a_maxwell_element_moves_as_the_matrix_exponential_says():
    k, c, mass = Maxwell.stiffness, Maxwell.damping, 2.0
    t, start = np.linspace(0.0, 1.0, 21), np.array([0.3, -0.2, 0.1])
    robot = lift(mass, "1 0 0")
    response, loads = LagrangianDynamics(robot, (0.0, 0.0, -9.81)), ElementSum(robot, (Maxwell(),))
    found = integrate([(0.0, response)], loose([0.3], [-0.2]), t, loads)
    A = np.array([[0, 1, 0], [-k / mass, 0, k / mass], [k / c, 0, -k / c]])
    wanted = np.array([expm(A * time) @ start for time in t]).T
    np.testing.assert_allclose(found.q[0], wanted[0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.qd[0], wanted[1], rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.element_states[0], wanted[2], rtol=0, atol=1e-10)
    kinetic = 0.5 * mass * (found.qd[0] ** 2 - 0.2**2)
    np.testing.assert_allclose(found.works.external, kinetic, rtol=0, atol=1e-10)
