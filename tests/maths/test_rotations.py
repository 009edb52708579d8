import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from sim.maths.arrays import frozen
from sim.maths.rotations import (
    body_fixed_angles,
    continuous_quaternions,
    cosine_and_sine,
    cross,
    inverse_pose,
    pose,
    quaternion_xyzw,
    rotation_aligning_z,
    rotation_from_rpy,
    rpy_from_rotation,
    signs_towards,
    skew,
)

ROUNDING = 4e-15  # entries of rotations are at most 1; a few roundings of 1e-16 add up

angles = st.floats(-math.pi, math.pi)
rpys = st.tuples(angles, angles, angles)
lengths = st.floats(-10, 10)  # [m]
vectors = st.tuples(lengths, lengths, lengths)
# distances from the pitch of 90°, where roll and yaw turn about one axis
nearly_locked = st.tuples(
    angles, st.sampled_from([-1.0, 1.0]), st.floats(-15, -1).map(lambda x: 10**x), angles
)


@st.composite
def rotations(draw):
    """From quaternions of which any parts may be zero or tiny."""
    part = st.floats(-1, 1) | st.sampled_from([0.0, 1e-9, -1e-9])
    q = np.array(draw(st.tuples(part, part, part, part)))
    assume(np.linalg.norm(q) > 1e-3)
    return Rotation.from_quat(q).as_matrix()


@st.composite
def axes(draw):
    v = np.array(draw(st.tuples(*[st.floats(-1, 1)] * 3)))
    assume(np.linalg.norm(v) > 1e-3)
    return v / np.linalg.norm(v)


def close(got, wanted, atol=ROUNDING):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=atol)


def test_frozen_arrays_are_copies_that_cannot_be_written():
    source = np.array([1, 2, 3])
    array = frozen(source, (3,))
    source[0] = 9
    assert array.dtype == np.float64
    assert array.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 9


def test_frozen_refuses_another_shape_and_says_both():
    with pytest.raises(ValueError, match=r"expected shape \(3,\), got \(2, 2\)"):
        frozen(np.eye(2), (3,))


def test_a_frozen_view_of_a_frozen_array_is_no_copy_and_one_of_an_open_array_is():
    closed, open_ = np.arange(6.0), np.arange(6.0)
    closed.setflags(write=False)
    half = closed[:3]
    assert frozen(half) is half
    half = open_[:3]
    half.setflags(write=False)
    kept = frozen(half)
    open_[0] = 9.0
    assert kept[0] == 0.0


@given(vectors, vectors)
def test_skew_times_a_vector_is_the_cross_product(v, w):
    close(skew(np.array(v)) @ w, np.cross(v, w), atol=1e-13)


@given(rpys)
def test_roll_pitch_yaw_turn_about_the_fixed_axes_x_y_z_in_this_order(rpy):
    close(rotation_from_rpy(rpy), Rotation.from_euler("xyz", rpy).as_matrix())


@given(rotations())
def test_any_rotation_comes_back_from_its_roll_pitch_yaw(R):
    close(rotation_from_rpy(rpy_from_rotation(R)), R)


@given(nearly_locked, rotations())
@example((1.0, 1.0, 1e-12, 2.0), np.eye(3))
def test_rotations_near_gimbal_lock_come_back_too(near, other):
    roll, sign, distance, yaw = near
    R = rotation_from_rpy((roll, sign * (math.pi / 2 - distance), yaw))
    R = other.T @ (other @ R)  # with the roundings of a calculation
    close(rotation_from_rpy(rpy_from_rotation(R)), R)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_at_gimbal_lock_yaw_is_zero(sign):
    R = np.array([[0.0, sign * np.sin(0.7), sign * np.cos(0.7)], [0, np.cos(0.7), -np.sin(0.7)]])
    R = np.vstack([R, [-sign, 0.0, 0.0]])
    close(rpy_from_rotation(R), [0.7, sign * math.pi / 2, 0.0])


@given(angles, st.floats(-1.5, 1.5), angles)
def test_roll_pitch_yaw_come_back_from_their_rotation(roll, pitch, yaw):
    found = rpy_from_rotation(rotation_from_rpy((roll, pitch, yaw)))
    difference = (found - (roll, pitch, yaw) + math.pi) % (2 * math.pi) - math.pi
    close(difference, 0.0, atol=1e-14)  # cos(1.5) = 0.07 divides the roundings


SEQUENCES = ["XYX", "XYZ", "XZX", "XZY", "YXY", "YXZ", "YZX", "YZY", "ZXY", "ZXZ", "ZYX", "ZYZ"]


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_body_fixed_angles_are_those_of_scipy_also_where_two_axes_coincide(sequence):
    random = np.random.default_rng(1)
    typed = random.uniform(-math.pi, math.pi, (900, 3))
    low, high = (0, math.pi) if sequence[0] == sequence[2] else (-math.pi / 2, math.pi / 2)
    typed[:, 1] = random.uniform(low, high, 900)
    typed[:200, 1] = np.repeat([low, high], 100)
    typed[200:400, 1] = low + 10.0 ** random.uniform(-6.9, -1, 200)
    R = Rotation.from_euler(sequence, typed).as_matrix()
    ours = body_fixed_angles(np.moveaxis(R, 0, -1), sequence).T
    close(Rotation.from_euler(sequence, ours[200:]).as_matrix(), R[200:])
    with pytest.warns(UserWarning, match="Gimbal lock"):
        theirs = Rotation.from_matrix(R).as_euler(sequence)
    difference = (ours - theirs + math.pi) % (2 * math.pi) - math.pi
    near = np.sin(np.minimum(typed[:, 1] - low, high - typed[:, 1])) + (np.arange(900) < 200)
    close(difference * near[:, None], 0.0)  # roundings of an angle grow as the axes coincide


@given(axes())
@example(np.array([0.0, 0.0, 1.0]))
@example(np.array([0.0, 0.0, -1.0]))
@example(np.array([1.0, 0.0, 0.0]))
def test_a_rotation_aligning_z_is_a_rotation_whose_z_is_the_axis(axis):
    R = rotation_aligning_z(axis)
    close(R[:, 2], axis)
    close(R @ R.T, np.eye(3))
    assert np.linalg.det(R) == pytest.approx(1.0)


@pytest.mark.parametrize("axis", [*np.eye(3), *-np.eye(3)])
def test_plain_axes_give_plain_numbers(axis):
    R = rotation_aligning_z(axis)
    assert set(np.abs(R).ravel().tolist()) == {0.0, 1.0}
    np.testing.assert_array_equal(R[:, 2], axis)


def test_the_z_axis_itself_needs_no_turning():
    np.testing.assert_array_equal(rotation_aligning_z(np.array([0.0, 0.0, 1.0])), np.eye(3))


@given(rotations(), vectors, vectors)
def test_a_pose_turns_then_shifts_and_its_inverse_takes_that_back(R, p, point):
    T = pose(R, p)
    close(T @ [*point, 1.0], [*(R @ point + p), 1.0], atol=1e-13)
    close(inverse_pose(T) @ T, np.eye(4), atol=1e-13)
    close(T @ inverse_pose(T), np.eye(4), atol=1e-13)


def test_a_pose_of_nothing_is_the_identity():
    np.testing.assert_array_equal(pose(), np.eye(4))
    np.testing.assert_array_equal(pose(position=(1, 2, 3))[:3, 3], [1, 2, 3])


@given(st.lists(rotations(), min_size=1, max_size=5))
def test_quaternions_are_those_of_scipy_up_to_their_sign(matrices):
    q = quaternion_xyzw(np.stack(matrices, axis=-1))
    reference = Rotation.from_matrix(np.stack(matrices)).as_quat().T
    sign = np.where(np.sum(q * reference, axis=0) < 0, -1.0, 1.0)
    close(q * sign, reference)
    close(np.sum(q * q, axis=0), 1.0)


@given(axes(), st.floats(-16, -1))
def test_quaternions_near_half_a_turn_lose_nothing(axis, exponent):
    angle = math.pi - 10**exponent
    R = Rotation.from_rotvec(axis * angle).as_matrix()
    q = quaternion_xyzw(R[:, :, None])[:, 0]
    wanted = np.array([*(axis * np.sin(angle / 2)), np.cos(angle / 2)])
    close(q * np.sign(q @ wanted), wanted)


def leading(q):
    """The first of w, x, y, z above 1/4 at the first sample."""
    return next(part for part in q[[3, 0, 1, 2], 0] if abs(part) > 0.25)


@given(axes(), st.floats(-math.pi, math.pi), st.floats(0.5, 20))
def test_quaternions_of_a_turning_body_never_jump(axis, start, turns):
    angle = start + np.linspace(0.0, 2 * math.pi * turns, 1000)
    R = np.moveaxis(Rotation.from_rotvec(angle[:, None] * axis).as_matrix(), 0, -1)
    q = quaternion_xyzw(R)
    assert leading(q) > 0
    chord = 2 * np.sin((angle[1] - angle[0]) / 4)  # between neighbours on the unit sphere
    np.testing.assert_allclose(np.linalg.norm(np.diff(q), axis=0), chord, rtol=1e-6)


@given(st.integers(0, 1000), st.integers(1, 30))
def test_making_quaternions_continuous_changes_signs_only(seed, count):
    q = np.random.default_rng(seed).normal(size=(4, count))
    q /= np.linalg.norm(q, axis=0)
    found = continuous_quaternions(q)
    np.testing.assert_array_equal(np.abs(found), np.abs(q))
    assert leading(found) > 0
    assert (np.sum(found[:, 1:] * found[:, :-1], axis=0) >= 0).all()
    np.testing.assert_array_equal(continuous_quaternions(-q), found)


@pytest.mark.parametrize("noise", [-1e-16, 0.0, 1e-16])
def test_rounding_of_a_zero_w_does_not_choose_the_sign(noise):
    half_turn = np.array([[-0.6], [0.8], [0.0], [noise]])
    np.testing.assert_allclose(continuous_quaternions(half_turn)[:3, 0], [0.6, -0.8, 0.0])


def test_no_rotations_have_no_quaternions():
    assert quaternion_xyzw(np.empty((3, 3, 0))).shape == (4, 0)


def test_cosine_and_sine_are_those_of_more_digits():
    angle = np.concatenate(
        [np.random.default_rng(1).uniform(-r, r, 2000) for r in (1e-9, 0.1, 1.6, 3.2, 7.0, 1e4)]
    )
    cosine, sine = cosine_and_sine(angle)
    wide = angle.astype(np.longdouble)
    assert np.abs(cosine - np.cos(wide)).max() < 3e-16
    assert np.abs(sine - np.sin(wide)).max() < 3e-16


def test_cosine_and_sine_of_quarter_turns_are_plain():
    quarters = np.pi / 2 * np.arange(-8, 9)
    cosine, sine = cosine_and_sine(quarters, np.empty((3, 17)))
    close(cosine, np.cos(quarters), atol=2e-15)  # the quarters are rounded, up to 12.6
    close(sine, np.sin(quarters), atol=2e-15)
    assert cosine[8] == 1.0 and sine[8] == 0.0


@pytest.mark.parametrize("axis", [0, 1])
def test_cross_products_along_an_axis_broadcast_the_others(axis):
    a, b = np.random.default_rng(7).normal(size=(2, 3, 3, 5))
    a = np.take(a, [1], axis=1 - axis)
    wanted = np.cross(a, b, axisa=axis, axisb=axis, axisc=axis)
    np.testing.assert_array_equal(cross(a, b, axis=axis), wanted)


def test_the_nearer_sign_of_a_quaternion_is_chosen_sample_by_sample():
    q = np.random.default_rng(3).normal(size=(4, 6))
    signs = np.array([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
    np.testing.assert_array_equal(signs_towards(q, signs * q), signs)
