"""PyBullet ends at 127 joints, fixed ones among them; neither the reader nor a run does."""

import numpy as np
import pytest

from sim.dynamics import GRAVITY
from sim.engines.bullet.bullet import Bullet
from sim.engines.bullet.joint_count import MOST_JOINTS
from sim.errors import ModelError
from tests.helpers.small_robots import joint, link, robot


def chain(joints):
    """One joint that turns, the others fixed."""
    parts = [link("l0", 1.0, moments="1 1 1"), joint("j0", "revolute", "ground", "l0", "0 1 0")]
    for k in range(1, joints):
        parts += [link(f"l{k}", 0.1), joint(f"j{k}", "fixed", f"l{k - 1}", f"l{k}", "1 0 0")]
    return robot(*parts)


def test_pybullet_takes_as_many_joints_as_is_said():
    with Bullet(chain(MOST_JOINTS), GRAVITY) as engine:
        assert len(engine.loaded_robot.joints) == len(engine.readback().origins) == MOST_JOINTS
        assert not engine.readback().welded


@pytest.mark.parametrize("joints", [MOST_JOINTS + 1, 300])
def test_more_joints_are_welded_until_it_takes_them(joints):
    with Bullet(chain(joints), GRAVITY) as engine:
        assert len(engine.loaded_robot.joints) == 2  # the hinge, and the tool frame
        found = engine.readback()
    assert len(found.origins) == len(found.inertias) == joints
    # all but the tool and, among the places that joints start from, the root
    assert found.welded == {f"l{k}" for k in range(joints - 1)}


def rake(count):
    """One joint that turns, and point masses fixed in a row, each to the one before."""
    step = '<origin xyz="0.01 0 0"/>'
    parts = [link("l0", 0.0), joint("j0", "revolute", "ground", "l0", "0 1 0")]
    for k in range(1, count + 1):
        parts += [
            link(f"l{k}", 0.002),
            joint(f"j{k}", "fixed", f"l{k - 1}", f"l{k}", "1 0 0", step),
        ]
    return robot(*parts)


@pytest.mark.rotates(3)
def test_two_thousand_links_turn_as_the_textbook_says():
    """Masses m, d apart: I = m d² n(n+1)(2n+1)/6 about the hinge, weight m g at d n(n+1)/2."""
    n, m, d = 1999, 0.002, 0.01
    plant = rake(n)
    one = np.ones((1, 1))
    with Bullet(plant, (0.0, 0.0, -9.81)) as engine:
        effort = engine.hybrid_dynamics(0 * one, 0 * one, 2 * one, np.array([True]), 0 * one)[1]
        survey = engine.energies(0 * one, 3 * one, ("l7", "l1998"))
    moment, lever = m * d**2 * n * (n + 1) * (2 * n + 1) / 6, m * d * n * (n + 1) / 2
    np.testing.assert_allclose(effort, 2 * moment - 9.81 * lever, rtol=1e-10)
    speed = 3 * d * np.array([7, 1998])
    np.testing.assert_allclose(survey.ke[:, 0], 0.5 * m * speed**2, rtol=1e-10)


def test_joints_that_move_are_not_welded_and_too_many_are_refused():
    parts = []
    for k in range(130):
        above = f"l{k - 1}" if k else "ground"
        parts += [
            link(f"l{k}", 1.0, moments="1 1 1"),
            joint(f"j{k}", "revolute", above, f"l{k}", "0 1 0"),
        ]
    with pytest.raises(ModelError, match="130 movable joints"):
        robot(*parts)
