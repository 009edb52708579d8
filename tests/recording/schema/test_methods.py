import math
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.recording.schema.methods import ADAPTIVE, IDEAL, METHODS, STEPPED, MethodName, coarseness

SCALED = ("torque", "acceleration", "velocity", "energy", "work")
FIXED = ("position", "tool", "floor", "halving", "bend_torque", "bend_acceleration")


def limits(method=STEPPED, dt=1e-3, free=False):
    return method.limits_at(dt, has_free_joints=free)


def test_every_name_has_its_method():
    assert tuple(METHODS) == get_args(MethodName)
    assert all(method.name == name for name, method in METHODS.items())


def test_at_one_millisecond_the_limits_are_those_that_are_written_down():
    assert limits() == STEPPED.limits
    assert limits(IDEAL) == IDEAL.limits
    assert limits(ADAPTIVE) == ADAPTIVE.limits


@pytest.mark.parametrize("dt", [1e-6, 1e-4, 5e-4])
def test_a_finer_step_does_not_tighten_them(dt):
    assert limits(dt=dt) == STEPPED.limits
    assert limits(IDEAL, dt) == IDEAL.limits
    assert coarseness(dt) == 1.0


@given(st.floats(1e-3, 0.1))
def test_a_coarser_step_loosens_them_with_its_square(dt):
    found = limits(dt=dt)
    for name in SCALED:
        ratio = getattr(found, name) / getattr(STEPPED.limits, name)
        assert math.isclose(ratio, (dt / 1e-3) ** 2, rel_tol=1e-12)
    for name in FIXED:
        assert getattr(found, name) == getattr(STEPPED.limits, name)


@given(st.floats(1e-3, 0.1))
def test_of_the_ideal_method_only_the_work_depends_on_the_step(dt):
    found = limits(IDEAL, dt)
    assert math.isclose(found.work, 1e-6 * (dt / 1e-3) ** 2, rel_tol=1e-12)
    for name in (*SCALED[:-1], *FIXED):
        assert getattr(found, name) == getattr(IDEAL.limits, name)


@given(st.floats(1e-3, 0.1))
def test_those_of_the_adaptive_method_depend_on_no_step(dt):
    assert limits(ADAPTIVE, dt, free=True) == ADAPTIVE.limits


def test_a_free_joint_loosens_what_depends_on_where_it_goes():
    found = limits(dt=2e-3, free=True)
    for name in (*SCALED, "position", "tool"):
        assert math.isclose(getattr(found, name), 4e-3, rel_tol=1e-12)
    assert found.halving == STEPPED.limits.halving
    assert limits(IDEAL, 2e-3, free=True) == limits(IDEAL, 2e-3)


def test_only_what_is_a_difference_over_a_step_is_halved_and_bends():
    for method in METHODS.values():
        found = method.limits
        halved = (found.halving, found.bend_torque, found.bend_acceleration)
        assert all(x > 0 for x in halved) is method.is_discretised
        assert any(x > 0 for x in halved) is method.is_discretised
