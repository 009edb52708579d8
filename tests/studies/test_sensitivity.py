import numpy as np
import pytest
from msgspec.structs import replace

from sim.errors import ScenarioError
from sim.studies.case_rows import CaseRow, missing_values, row_of_checks
from sim.studies.design import StudyCase
from sim.studies.sensitivity import effects, sensitivity_design
from sim.studies.variation import Variation, parse_variation
from tests.helpers.studies import rows_here, swing_script, swing_study

PI = np.pi
ANGLES = [Variation(f"x{k}", (), (-PI, PI)) for k in (1, 2, 3)]


def rows_of(design, function):
    points = (tuple(design.case(k).parameters.values()) for k in range(design.count))
    return [
        CaseRow(key=str(k), parameters={}, status="pass", responses={"y": (function(*x), "1")})
        for k, x in enumerate(points)
    ]


def ishigami(x1, x2, x3):
    return float(np.sin(x1) + 7 * np.sin(x2) ** 2 + 0.1 * x3**4 * np.sin(x1))


def test_sobol_indices_of_ishigami_are_those_of_the_closed_form():
    pytest.importorskip("SALib")
    # Ishigami and Homma 1990, a = 7, b = 0.1
    a, b = 7.0, 0.1
    one = 0.5 * (1 + b * PI**4 / 5) ** 2
    two = a**2 / 8
    both = b**2 * PI**8 * (1 / 18 - 1 / 50)
    total = one + two + both
    design = sensitivity_design("sobol-indices", None, ANGLES, {}, 1024, seed=1)
    assert design.count == 1024 * (3 + 2)
    found = {e.parameter: e.numbers for e in effects(design, rows_of(design, ishigami), seed=1)}
    first = [found[f"x{k}"]["S1"] for k in (1, 2, 3)]
    in_all = [found[f"x{k}"]["ST"] for k in (1, 2, 3)]
    # of 1024 points of a Sobol sequence the estimates are good to 0.02 to 0.04
    assert first == pytest.approx([one / total, two / total, 0.0], abs=0.04)
    assert in_all == pytest.approx([(one + both) / total, two / total, both / total], abs=0.04)


def test_morris_of_a_plane_gives_its_slopes_over_the_ranges_and_no_scatter():
    pytest.importorskip("SALib")
    varied = [Variation("a", (), (0.0, 2.0)), Variation("b", (), (1.0, 5.0))]
    design = sensitivity_design("morris", None, varied, {}, 6, seed=2)
    assert design.count == 6 * 3
    found = effects(design, rows_of(design, lambda a, b: 3 * a - 2 * b), seed=2)
    assert [effect.parameter for effect in found] == ["b", "a"]
    assert [effect.size for effect in found] == pytest.approx([8.0, 6.0])
    assert [effect.numbers["sigma"] for effect in found] == pytest.approx([0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("ends", [(0, 2), (1, 4), (0, 1), (5, 0), (-3, 7)])
def test_morris_of_a_whole_number_has_the_effect_of_the_steps_that_were_taken(ends):
    """y = 2 k + 3 x: over the range 2 (last - first) and 3, each step alike."""
    pytest.importorskip("SALib")
    k = Variation("k", (), tuple(map(float, ends)), is_whole=True)
    x = Variation("x", (), (0.0, 1.0))
    design = sensitivity_design("morris", None, [k, x], {}, 8, seed=2)
    found = effects(design, rows_of(design, lambda k, x: 2.0 * k + 3.0 * x), seed=2)
    said = {effect.parameter: effect.numbers for effect in found}
    assert said["k"]["mu"] == pytest.approx(2.0 * (ends[1] - ends[0]), rel=1e-12)
    assert said["x"]["mu"] == pytest.approx(3.0, rel=1e-9)
    for numbers in said.values():
        assert numbers["sigma"] == pytest.approx(0.0, abs=1e-9)
        assert numbers["mu_star_conf"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", ["morris", "sobol-indices"])
def test_a_seed_says_which_points_and_which_confidence(name):
    pytest.importorskip("SALib")
    designs = [sensitivity_design(name, None, ANGLES, {}, 8, seed=seed) for seed in (0, 0, 2)]
    assert designs[0].points == designs[1].points != designs[2].points
    rows = rows_of(designs[0], ishigami)
    said = [[e.numbers for e in effects(designs[0], rows, seed=seed)] for seed in (0, 0, 2)]
    assert said[0] == said[1] != said[2]  # intervals are drawn anew


def test_a_response_that_does_not_move_has_no_sobol_indices():
    pytest.importorskip("SALib")
    design = sensitivity_design("sobol-indices", None, ANGLES, {}, 8, seed=1)
    found = effects(design, rows_of(design, lambda *x: 3.0), seed=1)
    assert [effect.size for effect in found] == [None] * 3


@pytest.mark.parametrize("name", ["morris", "sobol-indices"])
def test_a_response_that_a_case_does_not_give_has_no_indices(name):
    pytest.importorskip("SALib")
    design = sensitivity_design(name, None, ANGLES, {}, 4, seed=1)
    rows = rows_of(design, ishigami)
    rows[3] = replace(rows[3], responses={"y": (None, "1")})
    found = effects(design, rows, seed=1)
    assert [effect.parameter for effect in found] == ["x1", "x2", "x3"]
    assert all(effect.size is None for effect in found)
    assert all(x is None for effect in found for x in effect.numbers.values())
    assert missing_values(rows) == {"y": f"1 of {len(rows)} cases has no value"}


def test_a_row_has_no_value_of_what_is_no_finite_number():
    given = {"a": (1.5, "N"), "b": (float("nan"), "1"), "c": (float("-inf"), "1"), "d": (None, "1")}
    found = row_of_checks("", StudyCase({}), (), given).responses
    assert {name: value for name, (value, _) in found.items()} == {
        "a": 1.5, "b": None, "c": None, "d": None
    }  # fmt: skip


def test_a_tornado_loses_only_the_bars_that_end_where_a_response_is_missing(tmp_path):
    script = swing_script(tmp_path)
    load = parse_variation(script, "load=0:2")
    design = sensitivity_design("tornado", script, [load], {"load": "1"}, None, seed=0)
    rows = rows_of(design, lambda load: 3.0 * load if load < 2 else float("nan"))
    (found,) = effects(design, rows, seed=0)
    assert (found.size, found.numbers) == (None, {"nominal": 3.0, "low": 0.0, "high": None})


def test_a_tornado_goes_from_the_nominal_value_to_both_ends_of_each(tmp_path):
    script = swing_script(tmp_path)
    varied = [Variation("load", (), (0.0, 2.0)), Variation("duration", (), (0.1, 0.2))]
    design = sensitivity_design("tornado", script, varied, {"load": "1"}, None, 0)
    points = [tuple(design.case(k).parameters.values()) for k in range(design.count)]
    assert points == [(1.0, 0.1), (0.0, 0.1), (2.0, 0.1), (1.0, 0.1), (1.0, 0.2)]
    study = swing_study(tmp_path, design=design, responses=["peak tau.elbow"])
    rows = rows_here(study)
    assert rows[0] is rows[3]  # computed once
    strongest, other = effects(design, rows, 0)
    assert (strongest.parameter, other.parameter) == ("load", "duration")
    assert strongest.size == abs(strongest.numbers["high"] - strongest.numbers["low"]) > 0
    assert strongest.numbers["low"] < strongest.numbers["nominal"] < strongest.numbers["high"]


def test_what_a_method_cannot_do_is_refused():
    varied = [Variation("a", (), (0.0, 2.0))]
    with pytest.raises(ScenarioError, match=r"a power of two as --samples, such as 128; got 100"):
        sensitivity_design("sobol-indices", None, varied, {}, 100, 0)
    with pytest.raises(ScenarioError, match=r"needs parameters"):
        sensitivity_design("morris", None, [], {}, None, 0)
    with pytest.raises(ScenarioError, match=r"samples between two numbers"):
        sensitivity_design("morris", None, [Variation("b", ("x", "y"))], {}, None, 0)


def test_sensitivities_of_a_study_with_a_hole_are_refused(tmp_path):
    varied = [Variation("load", (), (0.0, 2.0))]
    design = sensitivity_design("tornado", swing_script(tmp_path), varied, {}, None, 0)
    lost = CaseRow(key="", parameters={}, status="error", reason="no disk")
    with pytest.raises(ScenarioError, match=r"1 of 3 could not be computed: no disk"):
        effects(design, [*rows_of(design, lambda load: load)[:2], lost], 0)
