"""The step across a singular pose; where it leads is in `test_constrained_dynamics`."""

import numpy as np

from sim.dynamics import LagrangianDynamics
from sim.dynamics.constrained_dynamics import constrained
from sim.dynamics.equations_of_motion import Mechanism, Modes
from sim.dynamics.single_state.rate import rate_of
from sim.dynamics.singular_poses import SingularPoses
from tests.dynamics.test_constrained_dynamics import BARS, GRAVITY, AllFree


def test_a_step_whose_points_do_not_settle_is_none():
    """Of a crank at 30 rad/s in a tenth of a second, half a turn; a hundredth of it is one."""
    q, qd, _ = BARS.motion(np.array([0.4]), np.array([30.0]), np.array([0.0]))
    loose = np.zeros(3, dtype=bool)
    stages = [(0.0, LagrangianDynamics(BARS.robot(), GRAVITY))]
    ((_, dynamics),) = constrained(stages, q[:, 0], loose)
    mechanism, modes = Mechanism(dynamics, AllFree(q[:, 0], qd[:, 0])), Modes(loose, np.zeros(3))
    start = mechanism.start()
    poses = SingularPoses(mechanism, modes, rate_of(mechanism, modes), 0.0, start)
    assert poses._step(0.0, start, 0.1) is None
    made = poses._step(0.0, start, 0.001)
    q, qd = made.y[mechanism.layout.q, None], made.y[mechanism.layout.qd, None]
    wanted, along, _ = BARS.motion(q[0], qd[0], np.zeros(1))
    np.testing.assert_allclose(q, wanted, rtol=0, atol=1e-12)  # rad
    np.testing.assert_allclose(qd, along, rtol=0, atol=1e-10)  # rad/s
    before, after = (sum(BARS.energies(*x, 9.81)) for x in (([0.4], [30.0]), (q[0], qd[0])))
    assert abs(after - before) < 1e-10  # J of 100
