"""What pushes a link while PyBullet steps by itself, whose poses are one step old then."""

import numpy as np
import pytest

from sim.dynamics import AppliedWrench, joint_torque
from sim.engines.bullet.bullet import Bullet
from sim.engines.contract import March
from sim.robots import load_robot

G, H, N = (0.0, 0.0, -9.81), 1e-2, 30
POINT = np.array([0.1, -0.2, 0.3])


@pytest.mark.parametrize("weld", [False, True])
@pytest.mark.parametrize("link", ["tool0", "forearm_link"])
def test_a_lever_is_that_of_the_step_and_not_of_the_one_before(weld, link):
    """Motors of driven joints lose Jᵀ F at the beginning of each step; a step old 0.1 is wrong."""
    robot = load_robot("ur10").with_payload(mass=5.0, com=(0.02, 0.1, 0.1))
    t, n = H * np.arange(-1, N + 1), len(robot.tree_joints)
    q = 0.8 * np.sin(np.outer(np.arange(1, n + 1), t)) - 0.3
    force = np.vstack([40 * np.cos(t), -30 + 0 * t, 20 * np.sin(9 * t)])[:, 1:-1]
    wrench = AppliedWrench(link, POINT, force, np.array([[3.0], [-2.0], [1.0]]))

    def march(part, *wrenches):
        """A piece that begins anew, or goes on from where the one before ended."""
        places = q[:, 1:-1][:, part]
        then = q[:, 2:][:, part]
        start = np.stack([q[:, 1], (q[:, 1] - q[:, 0]) / H], axis=1) if part.start == 0 else None
        return March(
            h=H, t=t[2:][part], start=start, driven=np.ones(n, dtype=bool),
            commands=(then - places) / H, places=then, places_of_wrenches=places,
            wrenches=[one.during(part) for one in wrenches],
        )  # fmt: skip

    parts = slice(0, N // 2), slice(N // 2, N)
    with Bullet(robot, G, weld=weld) as engine:
        alone, loaded = (
            np.hstack([engine.march(march(part, *wrenches))[:, 2] for part in parts])
            for wrenches in ((), (wrench,))
        )
    wanted = joint_torque(robot, q[:, 1:-1], [wrench])
    np.testing.assert_allclose(alone - loaded, wanted, rtol=0, atol=1e-10 * np.abs(alone).max())
    assert np.abs(np.diff(wanted)).max() > 0.1
