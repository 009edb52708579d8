import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from sim.maths.rotations import inverse_pose, skew
from sim.maths.screws import (
    adjoint,
    bracket,
    compose,
    exp_pose,
    exp_rotation,
    log_pose,
    log_rotation,
    rotary_screw,
    sliding_screw,
)

ROUNDING = 4e-15  # a few roundings of numbers of order one

# Angles in every regime: none, below the square root of the smallest number, where a closed form
# would cancel, where the series hands over to it, ordinary, and close to half a turn.
SIZES = [0.0, 1e-300, 1e-160, 1e-12, 1e-8, 1e-5, 1e-3, 0.05, 0.0999999, 0.1000001, 0.5, 2.0]
SIZES += [3.0, np.pi - 1e-3, np.pi - 1e-6, np.pi - 1e-9]
coordinates = st.floats(-1, 1, allow_subnormal=False)
vectors = st.tuples(coordinates, coordinates, coordinates).map(np.array)
directions = vectors.filter(lambda v: np.linalg.norm(v) > 0.1).map(lambda v: v / np.linalg.norm(v))


@st.composite
def twists(draw, most=np.pi - 1e-9):
    sizes = st.sampled_from([size for size in SIZES if size <= most]) | st.floats(0, most)
    return np.concatenate([draw(vectors), draw(sizes) * draw(directions)])


@st.composite
def poses(draw):
    return exp_pose(draw(twists()))


def four_by_four(V):
    X = np.zeros((4, 4))
    X[:3, :3], X[:3, 3] = skew(V[3:]), V[:3]
    return X


@given(twists())
def test_the_exponential_of_a_twist_is_that_of_its_matrix(V):
    np.testing.assert_allclose(exp_pose(V), expm(four_by_four(V)), rtol=0, atol=1e-14)


@given(twists())
def test_the_logarithm_undoes_the_exponential(V):
    np.testing.assert_allclose(log_pose(exp_pose(V)), V, rtol=0, atol=1e-14)


@pytest.mark.parametrize("size", SIZES[1:12])
def test_a_small_rotation_keeps_its_relative_digits(size):
    w = size * np.array([2.0, -3.0, 6.0]) / 7
    np.testing.assert_allclose(log_rotation(exp_rotation(w)), w, rtol=1e-13)


@given(poses())
def test_the_exponential_undoes_the_logarithm(T):
    np.testing.assert_allclose(exp_pose(log_pose(T)), T, rtol=0, atol=ROUNDING)


@given(directions)
def test_half_a_turn_has_a_logarithm_of_length_pi(axis):
    R = 2 * np.outer(axis, axis) - np.eye(3)
    w = log_rotation(R)
    assert np.linalg.norm(w) == pytest.approx(np.pi, abs=1e-14)
    np.testing.assert_allclose(np.outer(w, w) / np.pi**2, np.outer(axis, axis), atol=1e-14)


@given(twists())
def test_rotations_agree_with_scipy(V):
    w = V[3:]
    np.testing.assert_allclose(
        exp_rotation(w), Rotation.from_rotvec(w).as_matrix(), rtol=0, atol=ROUNDING
    )


@given(poses(), poses())
def test_the_adjoint_of_a_product_is_the_product_of_adjoints(A, B):
    np.testing.assert_allclose(
        adjoint(compose(A, B)), adjoint(A) @ adjoint(B), rtol=0, atol=ROUNDING
    )


@given(poses(), twists())
def test_the_adjoint_carries_a_twist_through_a_conjugation(T, V):
    carried = T @ four_by_four(V) @ inverse_pose(T)
    np.testing.assert_allclose(four_by_four(adjoint(T) @ V), carried, rtol=0, atol=2e-14)


@given(twists(), twists())
def test_the_bracket_is_the_commutator(V, X):
    A, B = four_by_four(V), four_by_four(X)
    np.testing.assert_allclose(
        four_by_four(bracket(V, X)), A @ B - B @ A, rtol=0, atol=ROUNDING * 4
    )


@given(poses())
def test_a_pose_times_its_inverse_is_nothing(T):
    np.testing.assert_allclose(compose(T, inverse_pose(T)), np.eye(4), rtol=0, atol=ROUNDING)


def test_a_screw_turns_about_its_line_and_a_slide_goes_along_its_own():
    turn = exp_pose(rotary_screw((0, 0, 1), (1, 0, 5)) * np.pi / 2)
    np.testing.assert_allclose(turn @ [1, 0, 7, 1], [1, 0, 7, 1], atol=1e-15)
    np.testing.assert_allclose(turn @ [2, 0, 0, 1], [1, 1, 0, 1], atol=1e-15)
    slide = exp_pose(sliding_screw((0, 0.6, 0.8)) * 2)
    np.testing.assert_allclose(slide @ [0, 0, 0, 1], [0, 1.2, 1.6, 1], atol=1e-15)


def test_over_time_each_sample_is_as_it_would_be_alone():
    V = np.random.default_rng(0).normal(size=(6, 7))
    T = exp_pose(V)
    for k in range(7):
        np.testing.assert_allclose(T[..., k], exp_pose(V[:, k]), rtol=0, atol=1e-15)
        np.testing.assert_allclose(log_pose(T)[:, k], log_pose(T[..., k]), rtol=0, atol=1e-15)
        np.testing.assert_allclose(adjoint(T)[..., k], adjoint(T[..., k]), rtol=0, atol=1e-15)
        np.testing.assert_allclose(
            inverse_pose(T)[..., k], inverse_pose(T[..., k]), rtol=0, atol=1e-15
        )
        np.testing.assert_allclose(
            bracket(V, V[::-1])[:, k], bracket(V[:, k], V[::-1, k]), rtol=0, atol=1e-15
        )
