import numpy as np
import pytest

from sim.kinematics.forward import frame_pose
from sim.robots import load_robot

WELD5 = load_robot("weld5")


def test_the_table_is_the_papers():
    dh = WELD5.card.dh
    assert dh.a == (0.085, 0.56, 0.63, 0, 0)
    assert dh.d == (0, 0, 0, 0, 0.24)
    np.testing.assert_array_equal(np.degrees(dh.alpha), [-90, 0, 0, 90, 0])
    assert not any(dh.theta)


def test_the_home_pose_is_the_papers_column_of_angles():
    home = WELD5.pose("home")
    np.testing.assert_allclose(np.degrees(home), [90, -90, 0, 0, 0], rtol=0, atol=1e-13)
    tool = frame_pose(WELD5, home[:, None])[:3, 3, 0]
    np.testing.assert_allclose(tool, [0, -0.155, 1.19], rtol=0, atol=1e-12)  # [m]


def test_the_stretched_arm_reaches_1_515_m():
    stretched = np.radians([[0], [0], [0], [90], [0]])
    tool = frame_pose(WELD5, stretched)[:3, 3, 0]
    np.testing.assert_allclose(tool, [1.515, 0, 0], rtol=0, atol=1e-12)  # [m]
    assert WELD5.card.reach.value == 1.515


def cylinder(mass, radius, length):
    """Moments of a solid cylinder across and along its axis [kg·m²]."""
    return mass * (3 * radius**2 + length**2) / 12, mass * radius**2 / 2


@pytest.mark.parametrize(
    ("name", "mass", "size", "axis", "com"),
    [
        ("base_link", 45, (0.15, 0.30), 2, (0, 0, -0.15)),
        ("link_1", 40, (0.12, 0.25), 2, (0.0425, 0, 0)),
        ("link_2", 25, (0.07, 0.56), 0, (0.28, 0, 0)),
        ("link_3", 18, (0.06, 0.63), 0, (0.315, 0, 0)),
        ("link_5", 4, (0.03, 0.24), 2, (0, 0, -0.12)),
    ],
)
def test_the_bodies_are_uniform_cylinders(name, mass, size, axis, com):
    body = WELD5.link(name).inertia
    across, along = cylinder(mass, *size)
    moments = [across] * 3
    moments[axis] = along
    assert body.mass == mass
    np.testing.assert_allclose(body.com, com, rtol=0, atol=1e-15)
    np.testing.assert_allclose(body.tensor, np.diag(moments), rtol=0, atol=1e-7)  # 8 digits


def test_the_wrist_is_a_sphere_and_all_weigh_137_kg():
    wrist = WELD5.link("link_4").inertia
    np.testing.assert_allclose(wrist.tensor, np.eye(3) * 0.4 * 5 * 0.06**2, rtol=1e-12)
    assert sum(link.inertia.mass for link in WELD5.links if link.inertia) == 137


def test_the_card_says_what_is_assumed():
    assumed = " ".join(WELD5.card.assumptions())
    for word in ("'masses'", "'inertias'", "range", "speed", "payload"):
        assert word in assumed
    assert "D-H" not in assumed
