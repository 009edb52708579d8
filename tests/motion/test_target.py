import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.transform import Rotation

from sim.functions import expression
from sim.motion.target import angles_123, rate_matrix, rate_matrix_rate, rotation_123, target
from tests.helpers.differences import central_difference

angles = hnp.arrays(np.float64, (3, 5), elements=st.floats(-10, 10, allow_subnormal=False))
# The differences' error is about h⁸ / 630 times a ninth derivative below 1e8 (terms like sin 6t),
# that is 6e-14 at h = 5e-3 s, beside rounding of 1e-16 / h = 2e-14.
STEP = 5e-3  # [s]
CLOSE = 1e-12  # [1/s] and [1/s²]


def derivative(function, t):
    return central_difference(function, t, STEP)


def turning(t):
    """Angles that pass ±90° and more than a turn, and their first two derivatives."""
    b = np.array([2 * t, 1.8 * np.sin(t), np.cos(2 * t) - t])
    bd = np.array([2 + 0 * t, 1.8 * np.cos(t), -2 * np.sin(2 * t) - 1])
    bdd = np.array([0 * t, -1.8 * np.sin(t), -4 * np.cos(2 * t)])
    return b, bd, bdd


T = np.linspace(0, 6, 61)


@given(angles)
def test_body_123_turns_about_x_then_the_new_y_then_the_new_z(b):
    expected = np.moveaxis(Rotation.from_euler("XYZ", b.T).as_matrix(), 0, -1)
    np.testing.assert_allclose(rotation_123(b), expected, rtol=0, atol=1e-14)


@given(angles)
def test_the_angles_of_a_rotation_make_it_again_and_b2_is_within_a_right_angle(b):
    R = rotation_123(b)
    found = angles_123(R)
    np.testing.assert_allclose(rotation_123(found), R, rtol=0, atol=1e-14)
    assert np.abs(found[1]).max() <= np.pi / 2


@given(angles)
def test_angles_within_their_ranges_are_found_again(b):
    ranges = np.array([[3.1], [1.5], [3.1]])
    b = b / 10 * ranges
    # b1 and b3 lose digits towards b2 = 90°, where cos 1.5 = 0.07
    np.testing.assert_allclose(angles_123(rotation_123(b)), b, rtol=0, atol=1e-13)


@pytest.mark.parametrize("b2", [np.pi / 2, -np.pi / 2])
def test_at_a_right_angle_the_angles_still_make_the_rotation(b2):
    R = Rotation.from_euler("XYZ", [0.4, b2, 0.3]).as_matrix()[..., None]
    # cos b2 is 6e-17 there, so b1 and b3 are known only together
    np.testing.assert_allclose(np.sin(angles_123(R)[1]), np.sign(b2), rtol=0, atol=1e-15)
    np.testing.assert_allclose(rotation_123(angles_123(R)), R, rtol=0, atol=1e-14)


def test_the_rate_matrix_gives_the_angular_velocity_along_the_reference_axes():
    b, bd, _ = turning(T)
    spin = np.einsum(
        "abN,cbN->acN", derivative(lambda t: rotation_123(turning(t)[0]), T), rotation_123(b)
    )  # Ṙ Rᵀ
    omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    found = np.einsum("abN,bN->aN", rate_matrix(b), bd)
    np.testing.assert_allclose(found, omega, rtol=0, atol=CLOSE)
    assert np.abs(omega).max() > 1


def test_the_rate_matrix_is_the_one_of_rotations_of_scipy():
    """A second oracle: a small turn by ω dt from scipy's own composition."""
    rng = np.random.default_rng(1)
    b, bd = rng.uniform(-1.4, 1.4, (2, 3, 7))
    h = 1e-5  # error of the central difference about h² = 1e-10
    ahead, behind = (Rotation.from_euler("XYZ", (b + x * bd).T) for x in (h, -h))
    omega = (ahead * behind.inv()).as_rotvec().T / (2 * h)
    found = np.einsum("abN,bN->aN", rate_matrix(b), bd)
    np.testing.assert_allclose(found, omega, rtol=0, atol=2e-9)


def test_the_rate_of_the_rate_matrix_is_its_derivative():
    b, bd, _ = turning(T)
    expected = derivative(lambda t: rate_matrix(turning(t)[0]), T)
    np.testing.assert_allclose(rate_matrix_rate(b, bd), expected, rtol=0, atol=CLOSE)


def test_both_together_give_the_angular_acceleration():
    b, bd, bdd = turning(T)

    def omega(t):
        b, bd, _ = turning(t)
        return np.einsum("abN,bN->aN", rate_matrix(b), bd)

    found = np.einsum("abN,bN->aN", rate_matrix(b), bdd)
    found += np.einsum("abN,bN->aN", rate_matrix_rate(b, bd), bd)
    np.testing.assert_allclose(found, derivative(omega, T), rtol=0, atol=10 * CLOSE)


def test_the_rate_matrix_is_singular_at_a_right_angle():
    b = np.array([[0.3], [np.pi / 2], [0.2]])
    assert abs(np.linalg.det(rate_matrix(b)[..., 0])) < 1e-15


def test_a_target_holds_values_and_exact_derivatives_and_zero_where_free():
    t = np.array([0.0, 0.5, 2.0])
    found = target({"b3": expression("2*time**2"), "y": expression("SIN(3*time)")}, t)
    zero = 0 * t
    wave = [np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)]
    turn = [2 * t**2, 4 * t, 4 + zero]
    for k, part in enumerate((found.value, found.rate, found.acceleration)):
        expected = [zero, wave[k], zero, zero, zero, turn[k]]
        np.testing.assert_allclose(part, expected, rtol=0, atol=1e-14)
