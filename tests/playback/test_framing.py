import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sim.engines.bullet.view.camera import Camera
from sim.kinematics import frame_pose
from sim.playback.framing import framing, points_of, size_of
from sim.robots import load_robot
from tests.helpers.small_robots import double_pendulum, lift

ROUNDING = 1e-9  # of the half picture

points = arrays(np.float64, st.tuples(st.just(3), st.integers(1, 12)), elements=st.floats(-3, 3))
directions = st.builds(
    Camera,
    st.just(np.zeros(3)),
    st.just(1.0),
    yaw=st.floats(-180, 180),
    pitch=st.floats(-80, 80),
    field_of_view=st.floats(30, 90),
)
rooms = st.sampled_from([(-1.0, 1.0, -1.0, 1.0), (-0.6, 0.6, -0.7, 0.5), (-0.1, 0.9, -1.0, 0.8)])


def on_screen(camera, aspect, world):
    """From -1 to 1 across the picture, by its own matrices; shape (2, M)."""
    homogeneous = np.concatenate([world, np.ones((1, world.shape[1]))])
    clip = camera.projection(aspect) @ camera.view @ homogeneous
    assert (clip[3] > 0).all()  # in front of the eye
    return clip[:2] / clip[3]


@given(points, directions, rooms, st.floats(0.5, 2))
def test_all_points_are_in_the_free_part_of_the_picture(world, direction, free, aspect):
    camera = framing(world, 0.01, aspect, free, direction)
    x, y = on_screen(camera, aspect, world)
    left, right, lower, upper = free
    assert left - ROUNDING <= x.min() <= x.max() <= right + ROUNDING
    assert lower - ROUNDING <= y.min() <= y.max() <= upper + ROUNDING
    assert (camera.yaw, camera.pitch) == (direction.yaw, direction.pitch)


def test_a_cross_fills_the_picture_and_no_more():
    world = np.array([[1, -1, 0, 0], [0, 0, 0, 0], [0, 0, 1, -1]], dtype=float)
    camera = framing(world, 0.0, 1.0, camera=Camera(np.zeros(3), 1.0, yaw=0.0, pitch=0.0))
    np.testing.assert_allclose(camera.target, 0, atol=1e-12)
    half = np.tan(np.radians(camera.field_of_view) / 2)
    assert camera.distance == pytest.approx(1 / half, rel=1e-12)


def test_the_margin_is_kept_around_a_single_point():
    camera = framing(np.array([[0.5], [0.2], [1.0]]), 0.3, 1.5)
    np.testing.assert_allclose(camera.target, [0.5, 0.2, 1.0], atol=1e-12)
    half = np.tan(np.radians(camera.field_of_view) / 2)
    assert camera.distance == pytest.approx(0.3 / half, rel=1e-12)


def test_the_points_of_a_motion_are_base_joints_mass_centres_and_tool():
    arm = double_pendulum(1, 1, 0.5, 0.7).mounted((0, 0, 2))
    world = points_of(arm, np.array([[0.0, np.pi / 2], [0.0, 0.0]]))
    found = {tuple(np.round(p, 12) + 0.0) for p in world.T}
    assert found == {
        (0, 0, 2), (0, 0, 1.5), (0, 0, 0.8), (-0.5, 0, 2), (-1.2, 0, 2),
    }  # fmt: skip


def test_a_long_motion_is_sampled_and_the_tool_is_among_the_points():
    arm = load_robot("ur10")
    q = np.linspace(0, 1, 5000)[None] * np.ones((6, 1))
    world = points_of(arm, q)
    assert world.shape[1] < 5000
    tool = frame_pose(arm, q[:, :1])[:3, 3, 0]
    assert np.linalg.norm(world - tool[:, None], axis=0).min() < 1e-12


def test_a_robot_without_offsets_has_a_size():
    assert size_of(lift(1.0)) > 0
