"""The step across a singular pose; where it leads is in `test_constrained_dynamics`."""

import numpy as np
from scipy.optimize import brentq

from sim.dynamics import LagrangianDynamics
from sim.dynamics.constrained_dynamics import with_closed_loops
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.explicit_steps import ExplicitSteps
from sim.dynamics.implicit_steps import rates_of_motion
from sim.dynamics.single_state.rate import rate_of
from sim.dynamics.singular_poses import SingularPoses
from sim.dynamics.step_choice import rate_on_loops
from tests.dynamics.test_constrained_dynamics import BARS, GRAVITY
from tests.helpers.free_paths import loose
from tests.helpers.loop_robots import FourBar, reduced


def falling(bars, a, ad):
    """A four-bar in free fall, its modes of friction, and its state at an angle of the crank."""
    q, qd, _ = bars.motion(np.array([a]), np.array([ad]), np.array([0.0]))
    held = np.zeros(3, dtype=bool)
    stages = [(0.0, LagrangianDynamics(bars.robot(), GRAVITY))]
    ((_, dynamics),) = with_closed_loops(stages, q[:, 0], held)
    mechanism = Mechanism(dynamics, loose(q[:, 0], qd[:, 0]))
    return mechanism, FrictionModes(held, np.zeros(3)), mechanism.start()


def test_a_step_whose_points_do_not_settle_is_none():
    """Of a crank at 30 rad/s in a tenth of a second, half a turn; a hundredth of it is one."""
    mechanism, modes, start = falling(BARS, 0.4, 30.0)
    rate = rate_of(mechanism, modes)
    steps = ExplicitSteps(rate, 0.0, start, 1.0)
    poses = SingularPoses(steps, mechanism, modes, rate, 1.0)
    assert poses._step(0.0, start, 0.1) is None
    end = poses._step(0.0, start, 0.001)[0].states[-1]
    q, qd = end[mechanism.layout.q, None], end[mechanism.layout.qd, None]
    wanted, along, _ = BARS.motion(q[0], qd[0], np.zeros(1))
    np.testing.assert_allclose(q, wanted, rtol=0, atol=1e-12)  # rad
    np.testing.assert_allclose(qd, along, rtol=0, atol=1e-10)  # rad/s
    before, after = (sum(BARS.energies(*x, 9.81)) for x in (([0.4], [30.0]), (q[0], qd[0])))
    assert abs(after - before) < 1e-10  # J of 100


def test_closed_loops_move_in_their_one_freedom_and_no_other_way():
    """Hanging ω² = V''/m; as its state stands, a mechanism has motions beside its loops."""
    rest = brentq(lambda a: reduced(BARS, a, 9.81)[2], 2.5, 3.9, xtol=1e-15)
    mechanism, modes, start = falling(BARS, rest, 0.0)
    found = rates_of_motion(rate_on_loops(mechanism, modes), 0.0, start, 6)
    found = np.sort(np.abs(found))
    below, above = (reduced(BARS, rest + h, 9.81)[2] for h in (-1e-3, 1e-3))
    wanted = np.sqrt((above - below) / 2e-3 / reduced(BARS, rest, 9.81)[0])
    np.testing.assert_allclose(found[4:], wanted, rtol=1e-5)  # 1/s
    np.testing.assert_allclose(found[:4], 0, atol=1e-3)  # differences over 1e-7 rad

    bars = FourBar(ground=0.5, crank=0.3, coupler=0.5, rocker=0.3, crossed=True)
    mechanism, modes, start = falling(bars, 1.55, -6.0)  # leaves its change point, at a = π/2
    slow, fast = (rates_of_motion(of(mechanism, modes), 0.0, start, 6)
                  for of in (rate_on_loops, rate_of))  # fmt: skip
    assert np.abs(slow).max() < 20
    assert fast.real.min() < -500  # which would look like decay
