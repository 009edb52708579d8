import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.maths.pieces import PIECE
from sim.maths.quadrature import cumulative, cumulative_with, nodes_near

STEPS = st.lists(st.floats(0.01, 1.0), min_size=3, max_size=12)
NUMBERS = st.floats(-10, 10)


def times(steps):
    return np.concatenate([[0.0], np.cumsum(steps)])


# Smooth power


def test_each_piece_of_a_long_run_takes_only_its_own_samples(monkeypatch):
    sizes, diff = [], np.diff
    t = np.arange(20 * PIECE) * 1e-3
    monkeypatch.setattr(np, "diff", lambda x: (sizes.append(x.size), diff(x))[1])
    cumulative(np.sin(t), t)
    assert sum(sizes) < 5 * t.size  # a cubic's three differences and the steps


def test_a_constant_power_does_work_in_proportion_to_the_time():
    t = np.array([0.0, 0.1, 0.4, 1.0])
    np.testing.assert_allclose(cumulative(np.full(4, 3.0), t), 3.0 * t, rtol=0, atol=1e-15)


@given(STEPS, st.lists(NUMBERS, min_size=4, max_size=4))
def test_a_cubic_is_integrated_exactly_whatever_the_steps(steps, c):
    t = times(steps)
    power = c[0] + c[1] * t + c[2] * t**2 + c[3] * t**3
    work = c[0] * t + c[1] * t**2 / 2 + c[2] * t**3 / 3 + c[3] * t**4 / 4
    # steps of a hundredth beside a whole one magnify the rounding of differences
    rounding = 1e-12 * (1 + np.max(np.abs(power))) * (1 + t[-1])
    np.testing.assert_allclose(cumulative(power, t), work, rtol=0, atol=rounding)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_few_samples_are_integrated_as_exactly_as_they_can_be(degree):
    t = np.array([0.0, 0.3, 1.0])[: degree + 1]
    wanted = t ** (degree + 1) / (degree + 1)
    np.testing.assert_allclose(cumulative(t**degree, t), wanted, rtol=0, atol=1e-15)


def largest_error(count, grid):
    t = grid(np.linspace(0.0, 1.0, count + 1))
    return np.max(np.abs(cumulative(np.exp(2 * t) * np.cos(5 * t), t) - closed_form(t)))


def closed_form(t):
    """∫ exp(2 t) cos(5 t) dt from 0, by parts."""
    return (np.exp(2 * t) * (2 * np.cos(5 * t) + 5 * np.sin(5 * t)) - 2) / 29


@pytest.mark.parametrize("grid", [lambda s: s, lambda s: s + 0.3 * s * (1 - s)], ids=["even", "un"])
def test_the_error_is_of_fourth_order_in_the_step(grid):
    errors = [largest_error(count, grid) for count in (50, 100, 200, 400)]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.all((orders > 3.8) & (orders < 4.3))


def test_at_a_millisecond_it_beats_the_trapezoid_by_far():
    t = np.linspace(0.0, 1.0, 1001)
    power = np.exp(2 * t) * np.cos(5 * t)
    trapezoid = abs(np.trapezoid(power, t) - closed_form(1.0))
    assert largest_error(1000, lambda s: s) < 1e-5 * trapezoid


# Jumps and bends


def test_a_jump_on_a_sample_is_a_jump_and_no_ramp():
    """-1 W for half a second and then 5 W: the work goes down to -0.5 J and up to 2 J."""
    t = np.linspace(0.0, 1.0, 11)
    power = np.where(t < 0.45, -1.0, 5.0)
    work = cumulative(power, t, [5], [-1.0])
    np.testing.assert_allclose(work[[0, 5, 10]], [0.0, -0.5, 2.0], rtol=0, atol=1e-15)
    assert abs(cumulative(power, t)[10] - 2.0) > 0.2  # a ramp over one step


def pieces(t):
    """Power and work of a cosine that becomes an exponential at 0.5 s and a line at 0.75 s."""
    first, second = np.sin(0.5), np.sin(0.5) + np.exp(0.75) - np.exp(0.5)
    power = np.where(t < 0.5, np.cos(t), np.where(t < 0.75, np.exp(t), t))
    late = second + (t**2 - 0.75**2) / 2
    work = np.where(t < 0.5, np.sin(t), np.where(t < 0.75, first + np.exp(t) - np.exp(0.5), late))
    return power, work


def test_the_order_stays_four_with_jumps():
    errors = []
    for count in (40, 80, 160, 320):
        t = np.arange(count + 1) / count
        power, work = pieces(t)
        jumps = [count // 2, 3 * count // 4]
        found = cumulative(power, t, jumps, [math.cos(0.5), math.exp(0.75)])
        errors.append(np.max(np.abs(found - work)))
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.all(orders > 3.7)


def test_a_bend_needs_no_power_before_it():
    t = np.linspace(0.0, 2.0, 21)
    power = np.maximum(t - 1.0, 0.0) ** 3 + np.minimum(t - 1.0, 0.0)
    work = np.where(t < 1, ((t - 1) ** 2 - 1) / 2, -0.5 + (t - 1) ** 4 / 4)
    np.testing.assert_allclose(cumulative(power, t, [10]), work, rtol=0, atol=1e-15)
    assert np.max(np.abs(cumulative(power, t) - work)) > 1e-6


def test_a_jump_on_the_first_sample_changes_nothing_and_on_the_last_only_the_end():
    t = np.linspace(0.0, 1.0, 6)
    power = t.copy()
    power[-1] = 99.0
    work = cumulative(power, t, [0, 5], [7.0, 1.0])
    np.testing.assert_allclose(work, t**2 / 2, rtol=0, atol=1e-15)


def test_jumps_one_step_apart_leave_that_step_a_trapezoid():
    t = np.linspace(0.0, 0.5, 6)
    power = np.array([0.0, 0.0, 2.0, 9.0, 9.0, 9.0])
    work = cumulative(power, t, [2, 3], [0.0, 4.0])
    np.testing.assert_allclose(work, [0, 0, 0, 0.3, 1.2, 2.1], rtol=0, atol=1e-15)


# Laws


@given(STEPS, st.data())
def test_it_is_linear_in_the_power_and_takes_many_at_once(steps, data):
    t = times(steps)
    rows = np.array(
        data.draw(
            st.lists(st.lists(NUMBERS, min_size=t.size, max_size=t.size), min_size=2, max_size=2)
        )
    )
    jump, before = [t.size // 2], np.array([[1.0], [-2.0]])
    both = cumulative(rows, t, jump, before)
    for row, left, work in zip(rows, before, both, strict=True):
        np.testing.assert_array_equal(cumulative(row, t, jump, left), work)
    summed = cumulative(rows[0] + 3 * rows[1], t, jump, before[0] + 3 * before[1])
    size = 1e-9 * (1 + np.max(np.abs(both)))  # cubics through noise on uneven steps are wild
    np.testing.assert_allclose(summed, both[0] + 3 * both[1], rtol=0, atol=size)


@given(STEPS, st.data())
def test_time_run_backwards_does_the_work_backwards(steps, data):
    t = times(steps)
    power = np.array(data.draw(st.lists(NUMBERS, min_size=t.size, max_size=t.size)))
    there, back = cumulative(power, t), cumulative(power[::-1], t[-1] - t[::-1])
    size = 1e-9 * (1 + np.max(np.abs(there)))
    np.testing.assert_allclose(back, there[-1] - there[::-1], rtol=0, atol=size)


@pytest.mark.parametrize(
    ("shape", "jumps", "before"), [((5,), [], None), ((4,), [1], [1.0, 2.0]), ((2, 4), [1], [1.0])]
)
def test_shapes_that_do_not_fit_are_refused(shape, jumps, before):
    with pytest.raises(ValueError, match="expected N powers for N times"):
        cumulative(np.ones(shape), np.arange(4.0), jumps, before)


# Nodes beside breaks


def integrated(power, t, breaks):
    """Running integral of a function with breaks, by nodes and samples."""
    nodes = nodes_near(np.asarray(breaks, dtype=float), t)
    return cumulative_with(nodes, power(nodes.t), power(t), t)


def sawtooth(t, period, phase=0.0):
    """A power that rises from 1 W to 3 W and falls back at once, and its work."""
    turns = (t - phase) / period
    whole = np.floor(turns + 1e-9)
    part = turns - whole
    return 1 + 2 * part, lambda: period * (2 * whole + part + part**2)


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 7, 0.5, 0.3, 1.7])
@pytest.mark.parametrize("phase", [0.0, 0.4])
def test_a_power_that_falls_every_few_steps_is_integrated_exactly(steps, phase):
    h = 0.01
    t = h * np.arange(61)
    period = steps * h
    breaks = phase * h + period * np.arange(-5, 250)
    found = integrated(lambda t: sawtooth(t, period, phase * h)[0], t, breaks)
    work = sawtooth(t, period, phase * h)[1]()
    np.testing.assert_allclose(found, work - work[0], rtol=0, atol=1e-13)


def test_a_jump_on_the_last_sample_changes_nothing():
    """The power there is what comes after it: 5 W, where it was 2 t."""
    t = np.linspace(0.0, 1.0, 11)
    found = integrated(lambda t: np.where(t < 1.0, 2 * t, 5.0), t, [1.0])
    np.testing.assert_allclose(found, t**2, rtol=0, atol=1e-15)


@pytest.mark.parametrize("off", [0.0, 3e-10, -3e-10])
def test_a_break_is_on_the_sample_whose_time_is_the_same_but_for_rounding(off):
    t = np.linspace(0.0, 4.0, 41)
    nodes = nodes_near(np.array([2.0 + off]), t)
    assert nodes.step.tolist() == [19, 19, 19, 20, 20, 20]
    np.testing.assert_allclose(nodes.weight, 0.1 * np.tile([5, 8, 5], 2) / 18, rtol=1e-12)


def test_a_break_between_two_samples_parts_their_step():
    nodes = nodes_near(np.array([2.03, 2.08]), np.linspace(0.0, 4.0, 41))
    assert nodes.step.tolist() == [20] * 9
    lengths = nodes.weight.reshape(3, 3).sum(axis=1)
    np.testing.assert_allclose(lengths, [0.03, 0.05, 0.02], rtol=1e-12)
    assert np.all(np.diff(nodes.t) > 0)


@given(st.lists(st.floats(-0.2, 1.2), max_size=12))
def test_nodes_lie_inside_their_steps_and_weigh_as_much_as_those(breaks):
    t = np.linspace(0.0, 1.0, 17)
    nodes = nodes_near(np.array(breaks), t)
    assert np.all((nodes.t >= t[nodes.step]) & (nodes.t <= t[nodes.step + 1]))
    assert np.all(np.diff(nodes.t) >= 0)
    total = np.bincount(nodes.step, nodes.weight, t.size - 1)
    np.testing.assert_allclose(total[np.unique(nodes.step)], 1 / 16, rtol=1e-12)


@pytest.mark.parametrize("breaks", [[], [0.0], [-0.5, 1.5]])
def test_without_breaks_inside_it_is_the_rule_of_the_samples(breaks):
    t = np.linspace(0.0, 1.0, 33)
    np.testing.assert_array_equal(integrated(np.exp, t, breaks), cumulative(np.exp(t), t))


def test_few_samples_in_a_row_leave_all_their_steps_to_nodes():
    t = np.linspace(0.0, 10.0, 101)
    nodes = nodes_near(np.array([0.5, 1.0, 5.0]), t)
    # 4 steps before 0.5 s and 8 between 0.5 and 1 s, so that all to 1.1 s have nodes
    assert sorted(set(nodes.step.tolist())) == [*range(11), 49, 50]


def test_the_order_stays_four_with_breaks_of_every_kind():
    def smooth_between(t):
        return np.where(t < 1 / 3, np.cos(9 * t), np.where(t < 0.75, np.exp(t), 1 + t**3))

    def work(t):
        second = np.sin(3) / 9 + np.exp(t) - np.exp(1 / 3)
        third = np.sin(3) / 9 + np.exp(0.75) - np.exp(1 / 3) + t - 0.75 + (t**4 - 0.75**4) / 4
        return np.where(t < 1 / 3, np.sin(9 * t) / 9, np.where(t < 0.75, second, third))

    errors = []
    for count in (80, 160, 320, 640):  # 1/3 is between two samples, 3/4 on one
        t = np.linspace(0.0, 1.0, count + 1)
        found = integrated(smooth_between, t, [1 / 3, 0.75])
        errors.append(np.max(np.abs(found - work(t))))
    assert np.all(np.log2(np.divide(errors[:-1], errors[1:])) > 3.5)


def test_many_powers_are_integrated_at_once():
    t = np.linspace(0.0, 1.0, 11)
    nodes = nodes_near(np.array([0.3, 0.52]), t)
    both = cumulative_with(nodes, np.stack([nodes.t, nodes.t**2]), np.stack([t, t**2]), t)
    np.testing.assert_allclose(both, [t**2 / 2, t**3 / 3], rtol=0, atol=1e-15)
