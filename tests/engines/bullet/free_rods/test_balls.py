from dataclasses import replace

import numpy as np
import pytest

from sim.engines.bullet.free_rods.balls import ball_joints, rod_alone, without_links
from sim.errors import ModelError
from sim.robots import Loop, load_robot, read_urdf
from tests.helpers.loop_robots import FourBar

IRB = load_robot("irb460")
BARS = FourBar().robot()


def test_a_rod_has_a_ball_where_it_hangs_and_one_where_its_loop_closes():
    balls = ball_joints(IRB)
    ends = [(ball.rod, ball.link) for ball in balls]
    assert ends == [
        ("parallel_rod", "crank_pin"),
        ("parallel_rod", "upper_arm"),
        ("levelling_rod_1", "swing_base"),
        ("levelling_rod_1", "link_plate"),
        ("levelling_rod_2", "link_plate"),
        ("levelling_rod_2", "wrist"),
    ]
    np.testing.assert_array_equal(balls[2].point_rod, [0, 0, 0])
    np.testing.assert_array_equal(balls[2].point_link, [0, 0.08, 0.8225])
    np.testing.assert_array_equal(balls[3].point_rod, [0, 0, 0.945])
    np.testing.assert_array_equal(balls[3].point_link, [0, -0.18, 0.08])


def test_the_rod_may_be_either_link_of_a_loop():
    (loop,) = BARS.loops
    turned = replace(
        loop, link_a="ground", point_a=(0.45, 0, 0.4), link_b="coupler", point_b=(0, 0, 0.5)
    )
    balls = ball_joints(replace(BARS, loops=(turned,)))
    assert [(ball.rod, ball.link) for ball in balls] == [
        ("coupler", "crank"),
        ("coupler", "ground"),
    ]
    np.testing.assert_array_equal(balls[1].point_rod, [0, 0, 0.5])
    np.testing.assert_array_equal(balls[1].point_link, [0.45, 0, 0.4])


def test_a_loop_between_driven_links_has_no_rod():
    loop = Loop("grip", "coupler", (0, 0, 0.5), "rocker", (0, 0, 0.4))
    with pytest.raises(ModelError, match=r"'grip' .* neither 'coupler' nor 'rocker' .* drive"):
        ball_joints(replace(BARS, loops=(loop,)))


def test_a_link_that_carries_another_is_no_rod():
    (loop,) = BARS.loops
    hinge = '<parent link="{}"/><child link="rocker"/>'.format
    chain = read_urdf(BARS.text.replace(hinge("ground"), hinge("coupler")))
    loop = replace(loop, link_b="ground", point_b=(0, 0, 0))
    with pytest.raises(ModelError, match="has no rod that can be taken out"):
        ball_joints(replace(chain, loops=(loop,)))


@pytest.mark.parametrize(
    ("com", "point", "beside"),
    [("0.01 0 0.25", (0, 0, 0.5), "0.01"), ("0 0 0.25", (0, 0.3, 0.4), "0.15")],
)
def test_a_rod_with_its_mass_centre_beside_its_pins_is_refused(com, point, beside):
    (loop,) = BARS.loops
    robot = read_urdf(BARS.text.replace("0 0 0.25", com))
    robot = replace(robot, loops=(replace(loop, point_a=point),))
    with pytest.raises(ModelError, match=rf"Rod 'coupler' .* mass centre {beside} m off"):
        ball_joints(robot)


def test_two_pins_in_one_place_are_no_rod():
    (loop,) = BARS.loops
    with pytest.raises(ModelError, match="Rod 'coupler'"):
        ball_joints(replace(BARS, loops=(replace(loop, point_a=(0, 0, 0)),)))


def test_the_rest_of_a_robot_has_free_joints_and_the_same_bodies():
    rest = without_links(IRB.mounted((1, 2, 3)), ["parallel_rod", "levelling_rod_1"])
    assert {link.name for link in IRB.links} - {link.name for link in rest.links} == {
        "parallel_rod",
        "levelling_rod_1",
    }
    assert all(joint.mimic is None for joint in rest.joints)
    np.testing.assert_array_equal(rest.T_0b[:3, 3], [1, 2, 3])
    for link in rest.links:
        assert (link.inertia is None) == (IRB.link(link.name).inertia is None)
        if link.inertia:
            np.testing.assert_array_equal(link.inertia.tensor, IRB.link(link.name).inertia.tensor)


def test_a_rod_alone_is_that_body():
    alone = rod_alone(IRB, "levelling_rod_2")
    assert [link.name for link in alone.links] == ["levelling_rod_2"]
    assert not alone.joints
    body, rod = alone.links[0].inertia, IRB.link("levelling_rod_2").inertia
    assert body.mass == 10
    np.testing.assert_array_equal(body.com, [0, 0.5125, 0])
    np.testing.assert_allclose(body.tensor, rod.tensor, rtol=1e-15, atol=1e-16)


def test_a_thin_rod_alone_gets_a_millionth_of_its_moment_about_its_line():
    body, rod = rod_alone(BARS, "coupler").links[0].inertia, BARS.link("coupler").inertia
    moment = rod.tensor[0, 0]
    assert rod.tensor[2, 2] == 0
    np.testing.assert_allclose(np.diag(body.tensor), [moment, moment, 1e-6 * moment], rtol=1e-12)


@pytest.mark.parametrize("mass", ["1.5", "0"])
def test_a_rod_without_inertia_is_refused(mass):
    moment = repr(1.5 * 0.5**2 / 12)
    body = f'<mass value="1.5"/><inertia ixx="{moment}" iyy="{moment}"'
    assert body in BARS.text
    text = BARS.text.replace(body, f'<mass value="{mass}"/><inertia ixx="0" iyy="0"')
    alone = text.replace(
        'name="coupler_joint" type="revolute"', 'name="coupler_joint" type="fixed"'
    )
    with pytest.raises(ModelError, match="Rod 'coupler' of robot 'small' has no inertia"):
        rod_alone(read_urdf(alone), "coupler")
