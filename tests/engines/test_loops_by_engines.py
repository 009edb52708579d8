"""Closed loops by engines that know of none: their answers to unit efforts are enough."""

import numpy as np
import pytest

from sim.dynamics import ConstrainedDynamics, LagrangianDynamics
from sim.engines.coupled import EngineDynamics
from sim.engines.opening import open_engine
from tests.helpers.loop_robots import FourBar

GRAVITY = (0.0, 0.0, -9.81)
BARS = FourBar()


@pytest.mark.parametrize("name", ["bullet", "mujoco"])
@pytest.mark.parametrize("is_driven", [False, True])
def test_an_engine_accelerates_a_closed_loop_as_the_model_does(name, is_driven):
    robot, held = BARS.robot(), np.array([is_driven, False, False])
    q, qd, qdd = BARS.motion(*np.array([[0.4, 2.0, 4.0], [1.0, -3.0, 5.0], [2.0, -1.0, 0.5]]))
    effort = np.array([[0.3], [0.0], [0.0]]) * np.ones(3)
    model = ConstrainedDynamics(LagrangianDynamics(robot, GRAVITY), 2)
    wanted = model.hybrid_dynamics(q, qd, qdd, held, effort)
    with open_engine(name, robot, GRAVITY, None) as engine:
        found = ConstrainedDynamics(EngineDynamics(engine), 2).hybrid_dynamics(
            q, qd, qdd, held, effort
        )
    for own, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(own, other, rtol=0, atol=1e-10)  # [rad/s², N·m] of some 50
