"""How many steps a motion takes, by its eigenvalues, and which solver takes fewer."""

import numpy as np
import pytest

from sim.dynamics.stiff_motion import (
    ALIVE,
    CALM,
    RESOLVED,
    STABLE,
    explicit_steps,
    implicit_steps,
    is_stiff,
    steps_needed,
)


def pair(rate, ratio):
    """λ of a motion that oscillates with a damping ratio."""
    value = rate * (-ratio + 1j * np.sqrt(1 - ratio**2))
    return np.array([value, value.conjugate()])


def test_what_decays_is_followed_until_it_is_gone():
    values = np.array([-1e6, -1e6 + 0j])
    assert explicit_steps(values, 5.0) == pytest.approx(5e6 / CALM)
    assert implicit_steps(values, 5.0) == pytest.approx(2 * ALIVE / RESOLVED)
    assert is_stiff(values, 5.0)
    assert steps_needed(values, 5.0) == implicit_steps(values, 5.0)


def test_what_swings_undamped_costs_its_periods_whoever_solves():
    values = pair(1e4, 0.0)
    assert implicit_steps(values, 5.0) == pytest.approx(5e4 / RESOLVED)  # each pair counts once
    assert explicit_steps(values, 5.0) == pytest.approx(5e4 / STABLE)
    assert not is_stiff(values, 5.0)
    assert steps_needed(values, 5.0) == explicit_steps(values, 5.0)
    assert is_stiff(pair(1e4, 0.2), 5.0)


def test_few_steps_are_not_worth_another_solver_nor_is_a_motion_that_grows():
    assert not is_stiff(np.array([-1e4 + 0j]), 0.1)
    assert not is_stiff(np.array([-1e3, 5e3 + 0j]), 5.0)
    assert implicit_steps(np.array([0j]), 5.0) == 0


def test_a_motion_that_goes_on_from_implicit_steps_takes_them_at_their_length():
    values = pair(1e4, 0.2)
    assert not is_stiff(values, 1.0)  # 460 implicit steps if all is alive, 1667 explicit ones
    assert is_stiff(values, 1.0, step=0.01)
    assert not is_stiff(values, 1.0, step=1.0 / 500)
    assert not is_stiff(pair(1e4, 0.0), 1.0, step=0.01)  # a jump would make it swing for ever
