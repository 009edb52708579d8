import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kinematics.inverse.arm import elbow, shoulder
from tests.helpers.examples import examples

laws = examples(200)
coordinates = st.floats(-3, 3, allow_subnormal=False)
lengths = st.floats(0.1, 2)
HINT = np.array([0.7])


def one(value):
    return np.array([value])


@given(coordinates, coordinates, st.just(0.0) | st.floats(-1, 1, allow_subnormal=False))
@laws
def test_the_plane_of_the_arm_goes_through_the_point(x, y, lateral):
    found = shoulder(one(x), one(y), lateral, HINT)
    reachable = np.hypot(x, y) >= abs(lateral)
    for k in range(2):
        c, s = np.cos(found.phi[k, 0]), np.sin(found.phi[k, 0])
        assert (c, s) == pytest.approx((found.c[k, 0], found.s[k, 0]), abs=1e-15)
        assert c * x + s * y == pytest.approx(found.r[k, 0], abs=1e-10)
        missed = 0 if reachable else abs(lateral) - np.hypot(x, y)
        assert found.gap[0] == pytest.approx(missed, abs=1e-15)
        assert abs(s * x - c * y - lateral) == pytest.approx(missed, abs=1e-10)
    assert found.r[0, 0] >= 0 >= found.r[1, 0]


def test_a_point_on_the_axis_leaves_the_plane_where_it_is():
    found = shoulder(one(0.0), one(0.0), 0.0, HINT)
    np.testing.assert_allclose(found.phi[:, 0], [0.7, 0.7 - np.pi], rtol=0, atol=1e-15)
    assert found.free[0]
    aside = shoulder(one(0.0), one(0.0), 0.2, HINT)
    assert not aside.free[0]
    assert aside.gap[0] == 0.2


def test_a_point_that_touches_the_cylinder_is_touched_by_both_planes_alike():
    found = shoulder(one(0.3 + 5e-16), one(0.0), 0.3, HINT)
    assert found.r[0, 0] == found.r[1, 0] == 0
    assert found.gap[0] == 0


def closed(arm, l2, l3, s=0, e=0):
    first, second = arm.first[s, e, 0, 0], arm.first[s, e, 0, 0] + arm.curvature[s, e, 0, 0]
    return l2 * np.exp(1j * first) + l3 * np.exp(1j * second)


@given(coordinates, coordinates, lengths, lengths)
@laws
def test_both_elbows_close_on_the_point_or_point_straight_at_it(radial, up, l2, l3):
    target = complex(radial, up)
    point = [np.full((2, 1, 1, 1), value) for value in (radial, up)]
    arm = elbow(*point, (l2, l3), HINT)
    nearest = np.clip(abs(target), abs(l2 - l3), l2 + l3)
    missed = abs(abs(target) - nearest)
    for s in range(2):
        assert arm.gap[s, 0, 0, 0] == pytest.approx(missed, abs=1e-10)
        for e in range(2):
            reached = closed(arm, l2, l3, s, e)
            assert abs(reached - target) == pytest.approx(missed, abs=1e-7)
            if missed == 0:
                assert abs(reached - target) < 1e-10
    up_first = np.sin(arm.first[0, 0, 0, 0] - np.angle(target))
    assert arm.curvature[0, 0, 0, 0] <= 0 <= arm.curvature[0, 1, 0, 0]
    assert up_first >= -1e-6 or abs(target) < 1e-6


def test_equal_links_on_the_shoulder_are_folded_and_free():
    nothing = np.zeros((2, 1, 1, 1))
    arm = elbow(nothing, nothing, (0.5, 0.5), HINT)
    assert arm.free.all()
    assert (arm.first == 0.7).all()
    assert closed(arm, 0.5, 0.5) == pytest.approx(0, abs=1e-15)
    assert not elbow(nothing, nothing, (0.5, 0.4), HINT).free.any()


@pytest.mark.parametrize("distance", [1e-11, 2e-11, 1e-10, 1e-9, 1e-8, 1e-6, 1e-4])
def test_almost_equal_links_close_on_a_point_beside_the_shoulder(distance):
    for l3 in (0.5, 0.5 + distance, 0.5 - 0.3 * distance, 0.5 + 1e-16):
        point = np.full((2, 1, 1, 1), 0.6 * distance), np.full((2, 1, 1, 1), 0.8 * distance)
        arm = elbow(*point, (0.5, l3), HINT)
        assert (arm.gap < 1e-15).all()
        for s, e in np.ndindex(2, 2):
            assert abs(closed(arm, 0.5, l3, s, e) - (0.6 + 0.8j) * distance) < 2e-11


@pytest.mark.parametrize("sign", [1, -1])
def test_a_straight_arm_is_not_bent_by_rounding(sign):
    reach = 0.5 + sign * 0.3
    for off in (0, 1e-16, -1e-16, 3e-16):
        point = np.full((2, 1, 1, 1), reach + off), np.zeros((2, 1, 1, 1))
        arm = elbow(*point, (0.5, 0.3), HINT)
        assert (np.abs(arm.curvature) == (0 if sign > 0 else np.pi)).all()
        assert (arm.gap < 1e-15).all()
