import math

import pytest

from sim.reports.figures.panels import MOST, largest_indices, remark


@pytest.mark.parametrize("count", [0, 1, MOST])
def test_all_are_shown_where_there_is_room(count):
    assert largest_indices([1.0] * count) == list(range(count))
    assert remark(count) == ""


def test_the_largest_are_shown_in_the_order_of_the_robot():
    sizes = [float(k % 30) for k in range(60)]
    assert largest_indices(sizes) == [*range(24, 30), *range(54, 60)]
    assert remark(60) == f", the {MOST} of 60 with the largest peaks"


def test_what_is_no_number_is_shown_first_of_all():
    sizes = [10.0 + k for k in range(40)]
    sizes[3] = math.nan
    assert 3 in largest_indices(sizes)
