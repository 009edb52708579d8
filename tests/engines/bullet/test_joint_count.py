"""PyBullet ends at 127 joints, fixed ones among them; the reader of the text does not."""

import time

import pytest

from sim.dynamics.gravity import GRAVITY
from sim.engines.bullet.bullet import Bullet
from sim.engines.bullet.joint_count import MOST_JOINTS
from sim.engines.bullet.view.scene import Scene
from sim.errors import ModelError
from sim.robots import read_urdf
from tests.helpers.small_robots import joint, link, robot


def chain(joints):
    """One joint that turns, and as many more that are fixed."""
    parts = [link("l0", 1.0, moments="1 1 1"), joint("j0", "revolute", "ground", "l0", "0 1 0")]
    for k in range(1, joints):
        parts += [link(f"l{k}", 0.1), joint(f"j{k}", "fixed", f"l{k - 1}", f"l{k}", "1 0 0")]
    return robot(*parts)


def test_pybullet_takes_as_many_joints_as_is_said():
    with Bullet(chain(MOST_JOINTS), GRAVITY) as engine:
        assert len(engine.held().origins) == MOST_JOINTS


@pytest.mark.parametrize("joints", [MOST_JOINTS + 1, 300])
def test_more_joints_are_refused_with_a_remedy(joints):
    words = rf"has {joints} joints, {joints - 1} of them fixed; PyBullet takes 127, .* one link"
    with pytest.raises(ModelError, match=words):
        Bullet(chain(joints), GRAVITY)
    with Scene() as scene, pytest.raises(ModelError, match=words):
        scene.add(chain(joints), [])


def test_five_thousand_links_are_refused_in_seconds():
    begun = time.process_time()
    with pytest.raises(ModelError, match="5000 joints"):
        Bullet(read_urdf(chain(5000).text), GRAVITY)
    assert time.process_time() - begun < 10  # s, read twice; it was 40
