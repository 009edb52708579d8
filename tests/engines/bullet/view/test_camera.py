import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.engines.bullet.view.camera import FAR, LIGHT, NEAR, Camera, shadow_on

SINGLE = 1e-5  # PyBullet computes its matrices in single precision, of numbers up to 10

cameras = st.builds(
    Camera,
    st.tuples(*[st.floats(-2, 2)] * 3),
    st.floats(0.5, 5),
    yaw=st.floats(-180, 180),
    pitch=st.floats(-85, 85),
    field_of_view=st.floats(20, 100),
)


def bullet():
    with suppress_c_output():
        import pybullet
    return pybullet


@given(cameras)
def test_the_view_is_that_of_pybullet(camera):
    theirs = bullet().computeViewMatrixFromYawPitchRoll(
        camera.target.tolist(), camera.distance, camera.yaw, camera.pitch, 0, 2
    )
    np.testing.assert_allclose(camera.view, np.reshape(theirs, (4, 4)).T, atol=SINGLE)


@given(cameras, st.floats(0.5, 2))
def test_the_projection_is_that_of_pybullet(camera, aspect):
    theirs = bullet().computeProjectionMatrixFOV(
        camera.field_of_view, aspect, NEAR * camera.distance, FAR * camera.distance
    )
    ours = camera.projection(aspect)
    np.testing.assert_allclose(ours, np.reshape(theirs, (4, 4)).T, rtol=SINGLE, atol=SINGLE)


@given(cameras)
def test_the_target_is_straight_ahead_at_the_distance(camera):
    seen = camera.view @ np.array([*camera.target, 1.0])
    np.testing.assert_allclose(seen, [0, 0, -camera.distance, 1], atol=1e-14)


@given(st.tuples(*[st.floats(-3, 3)] * 3), st.floats(-1, 1))
def test_a_shadow_lies_on_the_floor_on_the_way_of_the_light(point, height):
    shadow = shadow_on(height) @ np.array([*point, 1.0])
    assert shadow[2] == pytest.approx(height, abs=1e-15)
    np.testing.assert_allclose(np.cross(shadow[:3] - point, LIGHT), 0, atol=1e-13)


def test_the_target_cannot_be_changed_from_outside():
    target = np.zeros(3)
    camera = Camera(target, 1.0)
    target[0] = 5.0
    assert camera.target[0] == 0.0
    assert not camera.target.flags.writeable
