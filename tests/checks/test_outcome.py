import math

import numpy as np
import pytest

from sim.checks.outcome import Check

T = np.array([0.0, 0.1, 0.2, 0.3])


def judged(*errors, limit=1.0):
    return Check.of_errors("torque", "tau.a", "N·m", T, np.array(errors), limit)


def test_the_largest_error_is_told_with_its_time():
    wanted = Check("torque", "tau.a", 0.9, 1.0, "N·m", 0.2, True)
    assert judged(0.1, 0.2, 0.9, 0.3) == wanted


def test_of_equal_errors_the_first_is_told():
    assert judged(0.1, 0.9, 0.9, 0.3).at == 0.1


@pytest.mark.parametrize(("limit", "ok"), [(0.9, True), (math.nextafter(0.9, 0), False)])
def test_an_error_at_its_limit_is_allowed(limit, ok):
    assert judged(0.1, 0.9, 0.9, 0.3, limit=limit).ok is ok


def test_what_is_no_number_is_worse_than_anything():
    found = judged(5.0, 0.2, math.nan, math.inf, limit=math.inf)
    assert math.isnan(found.worst)
    assert (found.at, found.ok) == (0.2, False)


def test_nothing_is_within_a_limit_that_is_no_number():
    assert not judged(0.0, 0.0, 0.0, 0.0, limit=math.nan).ok
