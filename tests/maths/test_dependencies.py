"""The order in which things are computed of which some need others."""

import pytest

from sim.maths.dependencies import CircleError, dependency_order


def test_what_others_need_comes_first_and_circles_are_named():
    needs = {1: [2, 2], 2: [3], 3: [], 4: [3, 1]}
    assert dependency_order([1, 4], needs.__getitem__) == [3, 2, 1, 4]
    long = dependency_order([0], lambda k: [k + 1, k + 1] if k < 10_000 else [])
    assert long == [*range(10_000, -1, -1)]
    with pytest.raises(CircleError, match="b -> c -> b"):
        dependency_order("a", {"a": "b", "b": "c", "c": "b"}.__getitem__)
