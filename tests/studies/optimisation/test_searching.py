"""Searches of formulas, whose optima are closed forms."""

import math

import numpy as np
import pytest

from sim.studies.optimisation.at_optimum import limiting_of, slopes_at
from tests.studies.optimisation.formula_cases import formula_search

PLANE = {"x": (0.0, 4.0), "y": (-1.0, 3.0)}


def valley(x, y):
    """A convex valley, least 2 at (1, 0.5), of which no term is a product."""
    return {"energy": 2.0 + (x - 1.0) ** 2 + 10.0 * (y - 0.5 * x) ** 2}


def test_a_smooth_optimum_of_two_parameters_needs_at_most_sixty_cases(tmp_path):
    with formula_search(tmp_path, valley, PLANE, minimise=("energy",)) as search:
        search.run()
        best = search.winner()
    # 1e-4 of each range of 4: there the valley is 1e-6 of its height, at which SLSQP stops
    assert best.row.parameters == pytest.approx({"x": 1.0, "y": 0.5}, abs=4e-4)
    assert best.cost[0] == pytest.approx(2.0, abs=1e-7)
    assert len(search.evaluator.points) <= 60
    assert len(search.evaluator.run.workers.computed) == len(search.evaluator.points)


@pytest.mark.parametrize("algorithm", ["gradient", "cobyqa", "differential-evolution", "direct"])
def test_every_algorithm_comes_to_the_same_optimum(tmp_path, algorithm):
    asked = {"minimise": ("energy",), "algorithm": algorithm}
    with formula_search(tmp_path, valley, PLANE, **asked) as search:
        search.run()
    assert search.winner().cost[0] == pytest.approx(2.0, abs=1e-4)


def test_ten_starts_end_at_the_same_optimum(tmp_path):
    asked = {"minimise": ("energy",), "starts": 10}
    with formula_search(tmp_path, valley, PLANE, **asked) as search:
        search.run()
    assert len(search.ends) == 10
    for end in search.ends:
        assert end.row.parameters == pytest.approx({"x": 1.0, "y": 0.5}, abs=1e-3)


def test_a_limit_binds_with_its_multiplier_and_another_does_not(tmp_path):
    # least (x - 3)^2 + (y - 3)^2 with x + y <= 2: x = y = 1, and the slope of 8 over the bound is
    # -4: relaxing by 1 gains 4 (Lagrange)
    def circle(x, y):
        return {"energy": (x - 3.0) ** 2 + (y - 3.0) ** 2, "margin": x + y}

    limits = ("energy >= 1", "x + y <= 2")
    plane = {"x": (0.0, 4.0), "y": (0.0, 4.0)}
    with formula_search(tmp_path, circle, plane, minimise=("energy",), subject_to=limits) as search:
        search.run()
        best = search.winner()
        search.evaluator.most += 4
        costs, slacks = slopes_at(search.evaluator, best)
        multipliers, ends = limiting_of(best, costs[0], slacks)
    assert best.row.parameters == pytest.approx({"x": 1.0, "y": 1.0}, abs=2e-4)
    assert best.violation({}) == 0.0
    assert multipliers == {(1, "x + y"): pytest.approx(4.0, rel=1e-3)}
    assert ends == {}


def test_an_end_of_a_range_limits_where_the_slope_points_outward(tmp_path):
    with formula_search(tmp_path, valley, {"x": (2.0, 4.0), "y": (-1.0, 3.0)},
                        minimise=("energy",)) as search:  # fmt: skip
        search.run()
        best = search.winner()
        search.evaluator.most += 4
        costs, slacks = slopes_at(search.evaluator, best)
    assert best.row.parameters == pytest.approx({"x": 2.0, "y": 1.0}, abs=1e-3)
    assert limiting_of(best, costs[0], slacks)[1] == {0: "lower"}


def test_the_largest_of_a_pattern_is_made_least_at_its_kink(tmp_path):
    # |x - 1| and |x - 2| + y^2 are least together at x = 1.5, y = 0
    def peaks(x, y):
        return {"peak tau.a": abs(x - 1.0), "peak tau.b": abs(x - 2.0) + y * y}

    with formula_search(tmp_path, peaks, PLANE, minimise=("peak tau.*",)) as search:
        search.run()
        best = search.winner()
    assert best.cost[0] == pytest.approx(0.5, abs=1e-5)


def test_cases_without_a_value_are_left_and_the_search_goes_on(tmp_path):
    def half(x, y):
        if x > 3.5:
            raise ValueError("no such arm")
        return {"energy": math.nan if y > 2.5 else valley(x, y)["energy"]}

    told = []
    with formula_search(tmp_path, half, PLANE, minimise=("energy",)) as search:
        object.__setattr__(search.evaluator.run.callbacks, "message", told.append)
        search.run()
    assert search.winner().row.parameters == pytest.approx({"x": 1.0, "y": 0.5}, abs=1e-3)
    lost = [text for text in told if "goes on" in text]
    assert any("no such arm" in text for text in lost)
    assert any("energy is not a number" in text for text in lost)
    assert all(text.startswith("case ") for text in lost)


def test_where_nothing_is_feasible_the_nearest_case_is_the_best(tmp_path):
    # x <= 1 and x >= 3 relative to their bounds are missed alike where (x-1)/1 = (3-x)/3
    with formula_search(tmp_path, valley, PLANE, minimise=("energy",),
                        subject_to=("x <= 1", "x >= 3")) as search:  # fmt: skip
        search.run()
        best = search.winner()
    assert search.feasible() == []
    assert best.row.parameters["x"] == pytest.approx(1.5, abs=1e-3)
    assert best.violation({}) == pytest.approx(0.5, abs=1e-3)


def test_a_feasible_corner_that_no_design_point_hits_is_reached(tmp_path):
    limits = ("x >= 2.9", "y >= 1.2", "x <= 3.1", "y <= 1.4")
    with formula_search(tmp_path, valley, PLANE, minimise=("energy",), subject_to=limits) as search:
        search.run()
    # at x = 2.9, y = 1.4 inside both: the valley's line y = x/2 passes at y = 1.45
    assert search.winner().row.parameters == pytest.approx({"x": 2.9, "y": 1.4}, abs=1e-3)
    assert search.winner().violation({}) == 0.0


def test_the_front_of_two_parabolas_is_the_line_between_their_least(tmp_path):
    def two(x, y):
        near, far = (x - 1.0) ** 2 + y * y, (x - 3.0) ** 2 + y * y
        return {"peak tau.a": near, "peak tau.b": far}

    goals = ("peak tau.a", "peak tau.b")
    with formula_search(tmp_path, two, PLANE, minimise=goals) as search:
        search.run()
        front, best = search.front(), search.winner()
    a, b = np.array([point.cost for point in front]).T
    # on the segment: sqrt(a) + sqrt(b) = 2
    assert np.sqrt(a) + np.sqrt(b) == pytest.approx(2.0, abs=2e-3)
    assert a.min() == pytest.approx(0.0, abs=1e-4)
    assert a.max() == pytest.approx(4.0, abs=1e-3)
    assert len(front) >= 7
    assert best.row.parameters["x"] == pytest.approx(2.0, abs=0.02)


def test_named_values_are_each_searched_and_many_by_evolution(tmp_path):
    offsets = {"steel": 0.5, "brass": 0.2, "lead": 0.9}

    def named(x, kind):
        return {"energy": (x - 1.0) ** 2 + offsets[kind]}

    vary = {"x": (0.0, 4.0), "kind": list(offsets)}
    with formula_search(tmp_path, named, vary, minimise=("energy",)) as search:
        search.run()
        best = search.winner()
    assert best.row.parameters == {"x": pytest.approx(1.0, abs=1e-3), "kind": "brass"}

    def gears(a, b, c):
        return {"energy": abs(a * b / c - math.pi)}

    teeth = range(10, 60)
    with formula_search(tmp_path, gears, {n: list(teeth) for n in "abc"},
                        minimise=("energy",), evaluations=2000) as search:  # fmt: skip
        search.run()
    least = min(abs(a * b / c - math.pi) for a in teeth for b in teeth for c in teeth)
    # among 125 000 combinations one of the best twenty
    assert least <= search.winner().cost[0] <= 0.002


def test_a_search_that_is_repeated_computes_nothing_again(tmp_path):
    keys = []
    for fresh in (True, False):
        with formula_search(tmp_path, valley, PLANE, minimise=("energy",)) as search:
            search.run()
            assert bool(search.evaluator.run.workers.computed) == fresh
            keys.append(list(search.evaluator.points))
    assert keys[0] == keys[1]


def test_evaluations_are_never_more_than_allowed(tmp_path):
    with formula_search(tmp_path, valley, PLANE, minimise=("energy",), evaluations=5) as search:
        search.run()
    assert len(search.evaluator.points) == 5
    assert search.is_spent
    assert search.winner() is not None


def test_a_single_feasible_point_of_cost_zero_is_left_for_a_better_one(tmp_path):
    limits = ("peak tau.a <= 1.7",)
    with formula_search(tmp_path, lambda x: {"peak tau.a": x * x}, {"x": (0.0, 40.0)},
                        maximise=("x",), subject_to=limits) as search:  # fmt: skip
        search.run()
    # inside by a ten-millionth of the bound
    assert search.winner().row.parameters["x"] == pytest.approx(math.sqrt(1.7), rel=1e-6)
    assert search.winner().violation({}) == 0.0


def test_a_middle_without_a_value_does_not_end_a_search_of_names_and_whole_numbers(tmp_path):
    def half(x, n):
        return {"energy": math.nan if n > 15 else (x - 1.0) ** 2 + abs(n - 7)}

    vary = {"x": (0.0, 4.0), "n": list(range(40))}
    with formula_search(tmp_path, half, vary, minimise=("energy",), evaluations=150) as search:
        search.run()
    assert search.winner().row.parameters == {"x": pytest.approx(1.0, abs=1e-3), "n": 7}
    assert len(search.evaluator.points) <= 150


def test_more_names_than_evaluations_are_searched_in_all_their_range(tmp_path):
    vary = {"n": list(range(110))}
    with formula_search(tmp_path, lambda n: {"energy": (n - 90) ** 2}, vary,
                        minimise=("energy",), evaluations=30) as search:  # fmt: skip
        search.run()
    assert len(search.evaluator.points) <= 30
    assert abs(search.winner().row.parameters["n"] - 90) <= 5
