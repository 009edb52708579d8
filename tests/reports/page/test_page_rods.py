import numpy as np

from sim.reports.page.rods import rods
from tests.short_runs import arm
from tests.small_robots import pendulum


def test_a_rod_reaches_from_each_joint_to_the_next():
    found = [one for one in rods(arm()) if one.shape == "cylinder"]
    for joint in arm().joints:
        length = np.linalg.norm(joint.T_pc[:3, 3])
        if length > 0:
            mine = [v for v in found if v.link == joint.parent and v.size[1] == length]
            assert mine
            ends = [(v.T_lv @ [0, 0, v.size[1] / 2, 1])[:3] for v in mine]
            assert any(np.allclose(end, joint.T_pc[:3, 3]) for end in ends)


def test_every_joint_that_moves_has_a_drum_about_its_axis():
    drums = {
        v.link: v for v in rods(arm()) if v.shape == "cylinder" and v.rgba[2] > v.rgba[0] + 0.3
    }
    for joint in arm().tree_joints:
        assert np.allclose(drums[joint.child].T_lv[:3, 2], joint.axis)


def test_a_last_link_is_drawn_to_its_mass_centre():
    balls = [v for v in rods(pendulum(1.0, 0.7)) if v.shape == "sphere" and v.link == "bob"]
    assert any(np.allclose(v.T_lv[:3, 3], [0, 0, -0.7]) for v in balls)
