import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from sim.engines.mujoco.urdf_reader import principal, read_for_mujoco
from sim.robots import Robot, read_urdf
from tests.helpers.small_robots import joint, link, robot


def test_a_joint_is_read_with_the_texts_own_numbers():
    turned = '<origin xyz="1 2 3" rpy="0.1 -0.2 0.3"/>'
    arm = robot(link("arm", 2.0), joint("hinge", "revolute", "ground", "arm", "0 3 4", turned))
    (hinge,) = read_for_mujoco(arm).joints
    assert (hinge.parent, hinge.child, hinge.kind) == ("ground", "arm", "revolute")
    assert (hinge.range, hinge.ratings) == ((-100.0, 100.0), (100.0, 1000.0))
    np.testing.assert_array_equal(hinge.axis, [0, 3, 4])  # MuJoCo makes a unit vector of it
    np.testing.assert_array_equal(hinge.frame.xyz, [1, 2, 3])
    fixed_axes = Rotation.from_euler("xyz", [0.1, -0.2, 0.3]).as_matrix()
    np.testing.assert_allclose(hinge.frame.rotation, fixed_axes, rtol=0, atol=1e-15)


def test_a_body_is_read_along_its_principal_axes_wherever_its_frame_stands():
    text = (
        '<link name="arm"><inertial><origin xyz="1 2 3" rpy="0.4 0.5 -0.6"/><mass value="2"/>'
        '<inertia ixx="3" iyy="2.5" izz="2" ixy="0.1" ixz="-0.2" iyz="0.3"/></inertial></link>'
    )
    arm = robot(text, joint("hinge", "revolute", "ground", "arm", "0 1 0"))
    body = read_for_mujoco(arm).bodies["arm"]
    R = Rotation.from_euler("xyz", [0.4, 0.5, -0.6]).as_matrix()
    tensor = R @ np.array([[3, 0.1, -0.2], [0.1, 2.5, 0.3], [-0.2, 0.3, 2]]) @ R.T
    read = body.frame.rotation @ np.diag(body.moments) @ body.frame.rotation.T
    assert body.mass == 2.0
    np.testing.assert_array_equal(body.frame.xyz, [1, 2, 3])
    np.testing.assert_allclose(read, tensor, rtol=0, atol=1e-14)


@given(st.integers(0, 10**6), st.sampled_from([1e-9, 1e-4, 1.0, 1e3]))
def test_principal_axes_keep_small_tensors_as_well_as_large_ones(seed, size):
    A = np.random.default_rng(seed).normal(size=(3, 3))
    tensor = size * (A @ A.T)
    moments, (w, x, y, z) = principal(tensor)
    R = Rotation.from_quat([x, y, z, w]).as_matrix()
    off = np.abs(R @ np.diag(moments) @ R.T - tensor).max()
    assert off <= 1e-14 * np.trace(tensor) + 1e-14 * np.abs(tensor).max()


def test_a_tensor_that_is_diagonal_is_not_touched():
    moments, quat = principal(np.diag([3.0, 1.0, 2.0]))
    np.testing.assert_array_equal(moments, [3, 1, 2])
    np.testing.assert_array_equal(quat, [1, 0, 0, 0])


ENDLESS = {
    "continuous": ('lower="-1" upper="1" effort="3" velocity="0"', (3.0, np.inf)),
    "revolute": ('effort="0" velocity="2" lower="-1" upper="1"', (np.inf, 2.0)),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_a_rating_of_zero_is_none_and_a_continuous_joint_has_no_ends(kind):
    limit, (effort, velocity) = ENDLESS[kind]
    text = joint("hinge", kind, "ground", "arm", "0 1 0")
    start, rest = text.split("<limit ")
    arm = robot(link("arm", 1.0), f"{start}<limit {limit}/>{rest.split('/>', 1)[1]}")
    (hinge,) = read_for_mujoco(arm).joints
    assert hinge.ratings == (velocity, effort)
    assert hinge.range == ((-np.inf, np.inf) if kind == "continuous" else (-1.0, 1.0))


def test_only_what_a_repair_tells_is_taken_from_the_model():
    text = (
        '<robot name="r"><link name="base"/>'
        + link("arm", 2.0, "0 0 1", "1 1 1")
        + joint("hinge", "revolute", "base", "arm", "0 1 0").replace('lower="-100"', 'lower="200"')
        + "</robot>"
    )
    found = read_urdf(text)
    assert [repair.kind for repair in found.repairs] == ["no range"]
    read = read_for_mujoco(found)
    assert read.joints[0].range == (-np.inf, np.inf)
    assert isinstance(found, Robot)
    assert read.bodies["arm"].mass == 2.0
