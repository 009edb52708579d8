"""The convex hull against SciPy's, computed and from the cache."""

import numpy as np
import pytest
from scipy import spatial

from sim.shapes.convex_hull import convex_hull


def box(x, y, z):
    return np.array([[i * x, j * y, k * z] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


@pytest.mark.parametrize("time", ["first", "from the cache"])
def test_it_is_that_of_scipy_to_the_bit(time):
    points = np.random.default_rng(1).normal(size=(200, 3))
    own, theirs = convex_hull(points), spatial.ConvexHull(points)
    assert np.array_equal(own.corners, theirs.points[theirs.vertices]), time
    assert np.array_equal(own.planes, theirs.equations)
    assert own.volume == theirs.volume


def test_a_box_has_its_volume_and_a_plane_has_none():
    assert convex_hull(box(1, 2, 3)).volume == pytest.approx(6, rel=1e-12)
    for _ in range(2):
        assert convex_hull(box(1, 2, 0)) is None
