import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import ModelError
from sim.kinematics.dh import DHTable, forward, table_of, transforms
from sim.robots import load_robot
from tests.helpers.examples import examples
from tests.helpers.small_robots import pendulum

ROUNDING = 1e-14
laws = examples(100)
lengths = st.floats(-2, 2, allow_subnormal=False)
angles = st.floats(-np.pi, np.pi, allow_subnormal=False)


def turn(axis, angle):
    i, j = {"x": (1, 2), "z": (0, 1)}[axis]
    T = np.eye(4)
    T[i, i] = T[j, j] = np.cos(angle)
    T[j, i], T[i, j] = np.sin(angle), -np.sin(angle)
    return T


def shift(x=0.0, z=0.0):
    T = np.eye(4)
    T[0, 3], T[2, 3] = x, z
    return T


@st.composite
def rows(draw, n=3):
    """Lists a, d, alpha, theta, which joints slide, and a position q."""
    table = [[draw(kind) for _ in range(n)] for kind in (lengths, lengths, angles, angles)]
    slides = tuple(draw(st.booleans()) for _ in range(n))
    return table, slides, np.array([[draw(angles)] for _ in range(n)])


@given(rows())
@laws
def test_a_standard_table_is_turn_z_slide_z_slide_x_turn_x(case):
    (a, d, alpha, theta), slides, q = case
    T = np.eye(4)
    for i, slide in enumerate(slides):
        turned, slid = (0.0, q[i, 0]) if slide else (q[i, 0], 0.0)
        T = T @ turn("z", theta[i] + turned) @ shift(z=d[i] + slid)
        T = T @ shift(x=a[i]) @ turn("x", alpha[i])
    table = DHTable(a, d, alpha, theta, prismatic=slides)
    np.testing.assert_allclose(forward(table, q)[..., 0], T, rtol=0, atol=ROUNDING)


@given(rows())
@laws
def test_a_modified_table_is_turn_x_slide_x_turn_z_slide_z(case):
    (a, d, alpha, theta), slides, q = case
    T = np.eye(4)
    for i, slide in enumerate(slides):
        turned, slid = (0.0, q[i, 0]) if slide else (q[i, 0], 0.0)
        T = T @ turn("x", alpha[i]) @ shift(x=a[i])
        T = T @ turn("z", theta[i] + turned) @ shift(z=d[i] + slid)
    table = DHTable(a, d, alpha, theta, "modified", slides)
    np.testing.assert_allclose(forward(table, q)[..., 0], T, rtol=0, atol=ROUNDING)


@given(rows())
@laws
def test_a_modified_table_is_a_standard_one_with_a_and_alpha_one_row_on(case):
    (a, d, alpha, theta), slides, q = case
    standard = forward(DHTable(a, d, alpha, theta, prismatic=slides), q)[..., 0]
    moved = DHTable([0, *a[:-1]], d, [0, *alpha[:-1]], theta, "modified", slides)
    last = shift(x=a[-1]) @ turn("x", alpha[-1])
    np.testing.assert_allclose(forward(moved, q)[..., 0] @ last, standard, rtol=0, atol=ROUNDING)


def test_the_transforms_are_one_a_joint_and_a_sample():
    table = table_of(load_robot("ur10"))
    q = np.random.default_rng(0).normal(size=(6, 5))
    A = transforms(table, q)
    assert A.shape == (6, 4, 4, 5)
    for k in range(5):
        alone = transforms(table, q[:, k : k + 1])[..., 0]
        np.testing.assert_array_equal(A[..., k], alone)
        np.testing.assert_allclose(
            np.linalg.multi_dot(list(alone)), forward(table, q)[..., k], rtol=0, atol=ROUNDING
        )


def test_a_table_with_lists_of_different_lengths_is_refused():
    with pytest.raises(ModelError, match=r"one length.*'d': 3"):
        DHTable([0, 0], [0, 0, 0], [0, 0], [0, 0])
    with pytest.raises(ModelError, match="prismatic needs 2 entries"):
        DHTable([0, 0], [0, 0], [0, 0], [0, 0], prismatic=(True,))


def test_a_robot_without_a_card_has_no_table():
    with pytest.raises(ModelError, match="'small' has no card with a D-H table"):
        table_of(pendulum(1.0, 1.0))


def test_positions_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"q must have shape \(6, N\)"):
        forward(table_of(load_robot("ur10")), np.zeros((5, 3)))
