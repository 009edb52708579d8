import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sim.errors import ScenarioError
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse.pose_error import check_poses, error_between, pose_error
from sim.maths.rotations import pose
from sim.robots import load_robot


def test_the_error_is_the_shift_and_the_rotation_vector_in_the_world():
    R = Rotation.from_rotvec([0.3, -0.1, 0.2]).as_matrix()
    turned = Rotation.from_rotvec([0, 0, 0.7]).as_matrix() @ R
    error = error_between(pose(R, (1, 2, 3))[..., None], pose(turned, (1, 2.5, 3))[..., None])
    np.testing.assert_allclose(error.p[:, 0], [0, 0.5, 0], atol=1e-15)
    np.testing.assert_allclose(error.w[:, 0], [0, 0, 0.7], atol=1e-15)
    assert error.distance[0] == pytest.approx(0.5, abs=1e-15)
    assert error.angle[0] == pytest.approx(0.7, abs=1e-15)
    assert error.residual[0] == pytest.approx(0.7, abs=1e-15)


def test_one_wanted_pose_serves_many_positions():
    ur10 = load_robot("ur10")
    q = np.random.default_rng(0).uniform(-1, 1, (6, 4))
    T = frame_pose(ur10, q)
    error = pose_error(ur10, None, q, T[:, :, 2:3])
    assert error.residual.argmin() == 2
    assert error.residual[2] < 1e-15


def test_a_rotation_with_printed_digits_is_made_orthogonal():
    R = Rotation.from_rotvec([0.3, -1.1, 0.2]).as_matrix()
    T = pose(np.round(R, 7), (1, 2, 3))
    mended = check_poses(T, 2)[:3, :3]
    np.testing.assert_allclose(mended @ mended.T, np.eye(3), rtol=0, atol=1e-15)
    np.testing.assert_allclose(mended, R, rtol=0, atol=1e-7)


def test_an_exact_rotation_is_left_as_it_is():
    T = pose(Rotation.from_rotvec([0.3, -1.1, 0.2]).as_matrix(), (1, 2, 3))
    np.testing.assert_array_equal(check_poses(T, 2), T)


MIRROR = pose(np.diag([1.0, 1.0, -1.0]))
STRETCHED = pose(1.001 * np.eye(3))
SHEARED = pose([[1, 1e-4, 0], [0, 1, 0], [0, 0, 1]])
PERSPECTIVE = np.eye(4)
PERSPECTIVE[3, 0] = 0.1


@pytest.mark.parametrize("bad", [MIRROR, STRETCHED, SHEARED, PERSPECTIVE, np.zeros((4, 4))])
def test_a_matrix_that_is_no_pose_is_refused(bad):
    with pytest.raises(ScenarioError, match="no rigid motion"):
        check_poses(bad, 2)
    path = np.stack([np.eye(4), np.eye(4), bad], axis=-1)
    with pytest.raises(ScenarioError, match="at sample 2 is no rigid motion"):
        check_poses(path, 3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_pose_with_a_number_that_is_not_finite_is_refused(bad):
    T = np.eye(4)
    T[1, 3] = bad
    with pytest.raises(ScenarioError, match="not finite"):
        check_poses(T, 2)


def test_another_shape_is_refused():
    with pytest.raises(ScenarioError, match=r"shape \(4, 4\); got \(3, 4\)"):
        check_poses(np.eye(4)[:3], 2)
    with pytest.raises(ScenarioError, match=r"shape \(4, 4, N\); got \(4, 4\)"):
        check_poses(np.eye(4), 3)
