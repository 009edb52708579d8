import itertools
from collections import Counter

import numpy as np
import pytest

from sim.errors import ScenarioError
from sim.studies.design import grid, sample_design
from sim.studies.sensitivity import sensitivity_design
from sim.studies.variation import Variation

A = Variation("a", (1.0, 2.0, 3.0), (1.0, 3.0))
B = Variation("b", ("x", "y"))
WIDE = [Variation("a", (), (0.0, 1.0)), Variation("b", (), (10.0, 20.0))]


def test_a_grid_has_every_value_with_every_other_the_last_running_fastest():
    design = grid([A, B])
    found = [tuple(design.case(k).parameters.values()) for k in range(design.count)]
    assert found == list(itertools.product(A.values, B.values))


def test_tolerances_are_drawn_at_each_point_and_the_draws_are_the_same_at_all():
    design = grid([A, B], draws=4)
    cases = [design.case(k) for k in range(design.count)]
    assert design.count == 24
    assert [case.draw for case in cases] == [0, 1, 2, 3] * 6
    assert cases[3].parameters == cases[0].parameters != cases[4].parameters


@pytest.mark.parametrize("draws", [0, 3])
@pytest.mark.parametrize("is_grid", [True, False])
def test_all_cases_are_those_of_each_index(is_grid, draws):
    design = grid([A, B], draws) if is_grid else sample_design("lhs", WIDE, 7, 0, draws)
    assert design.cases() == [design.case(k) for k in range(design.count)]


def test_chance_alone_makes_cases_too():
    design = grid([], draws=3)
    assert [(design.case(k).parameters, design.case(k).draw) for k in range(3)] == [
        ({}, 0), ({}, 1), ({}, 2)
    ]  # fmt: skip


def test_a_latin_hypercube_has_one_point_in_each_row_and_column():
    design = sample_design("lhs", WIDE, 20, seed=3)
    points = np.array([list(design.case(k).parameters.values()) for k in range(20)])
    for column, (low, width) in zip(points.T, ((0, 1), (10, 10)), strict=True):
        strata = np.floor(20 * (column - low) / width).astype(int)
        assert sorted(strata) == list(range(20))


def test_a_sobol_sequence_fills_each_quarter_alike():
    design = sample_design("sobol", WIDE, 64, seed=3)
    points = np.array([list(design.case(k).parameters.values()) for k in range(64)])
    quarter = 2 * (points[:, 0] >= 0.5) + (points[:, 1] >= 15)
    assert np.bincount(quarter).tolist() == [16, 16, 16, 16]  # a (t, m, s)-net in base 2


@pytest.mark.parametrize("name", ["lhs", "sobol", "random"])
def test_a_seed_says_which_points(name):
    one, same, other = (sample_design(name, WIDE, 9, seed).points for seed in (1, 1, 2))
    assert one == same != other
    assert len(one) == 9
    assert all(0 <= a <= 1 and 10 <= b <= 20 for a, b in one)


@pytest.mark.parametrize("ends", [(1.0, 4.0), (4.0, 1.0)])
@pytest.mark.parametrize("name", ["lhs", "sobol", "random", "sobol-indices"])
def test_each_whole_number_has_the_same_chance(name, ends):
    k = Variation("k", (), ends, is_whole=True)
    if name == "sobol-indices":
        pytest.importorskip("SALib")
        design = sensitivity_design(name, None, [k, WIDE[0]], {}, 512, 1)
    else:
        design = sample_design(name, [k], 2048, seed=1)
    found = Counter(point[0] for point in design.points)
    assert set(found) == {1, 2, 3, 4}
    shares = [found[value] / len(design.points) for value in (1, 2, 3, 4)]
    # of 2048 by chance 0.25 ± 0.0096; a stratified design is exact
    assert shares == pytest.approx([0.25] * 4, abs=0.04 if name == "random" else 2e-3)


def test_both_ends_of_a_whole_range_are_its_first_and_last_share():
    for ends in ((1.0, 4.0), (4.0, 1.0), (-2.0, 5.0)):
        one = Variation("k", (), ends, is_whole=True)
        assert (one.at(0.0), one.at(1.0)) == ends
        assert [one.share_of(one.at(share)) for share in (0.0, 1.0)] == [0.0, 1.0]


def test_a_sobol_sequence_that_is_cut_says_so():
    cut = sample_design("sobol", WIDE, 100, seed=3)
    assert cut.count == 100
    assert cut.note.startswith("the first 100 of 128 points of a Sobol sequence")
    assert cut.note.endswith("use --samples 64 or 128")
    assert (
        sample_design("sobol", WIDE, 128, seed=3).note
        == sample_design("lhs", WIDE, 100, seed=3).note
        == ""
    )
    assert sample_design("sobol", WIDE, 128, seed=3).points[:100] == cut.points


def test_what_is_no_design_is_refused():
    with pytest.raises(ScenarioError, match="a grid needs values: a=first:last:count"):
        grid(WIDE)
    with pytest.raises(ScenarioError, match="names 'a' twice"):
        grid([A, A])
    with pytest.raises(ScenarioError, match="samples between two numbers; remove --design"):
        sample_design("lhs", [B], 4, 0)
    with pytest.raises(ScenarioError, match="samples between two numbers; remove --design"):
        sample_design("lhs", [Variation("c", (1.0, 2.0))], 4, 0)
    huge = Variation("a", tuple(map(float, range(2000))), (0.0, 1999.0))
    with pytest.raises(ScenarioError, match="4,000,000 cases; at most 1,000,000"):
        grid([huge, Variation("b", huge.values, huge.ends)])
