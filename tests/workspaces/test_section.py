import numpy as np
import pytest

from sim.errors import ScenarioError
from sim.workspaces import Section


@pytest.mark.parametrize(
    ("text", "held", "at", "names", "key"),
    [
        ("xz", 1, 0.0, ("x", "z"), "xz"),
        ("zx", 1, 0.0, ("x", "z"), "xz"),
        ("yz", 0, 0.0, ("y", "z"), "yz"),
        ("xy", 2, 0.0, ("x", "y"), "xy"),
        ("z=0.5", 2, 0.5, ("x", "y"), "z=0.5"),
        (" Y = -1e-1 ", 1, -0.1, ("x", "z"), "y=-0.1"),
        ("y=0", 1, 0.0, ("x", "z"), "xz"),
    ],
)
def test_a_section_is_a_plane_or_a_coordinate(text, held, at, names, key):
    section = Section.of(text)
    assert (section.held, section.at, section.names, section.key) == (held, at, names, key)
    assert Section.of(section.key) == section


@pytest.mark.parametrize(
    "text", ["", "x", "xx", "xyz", "w=1", "z=", "z=nan", "z=inf", "z=1e300", "z=1_0", "z=٣", "z=1m"]
)
def test_any_other_text_is_refused_with_what_is_allowed(text):
    with pytest.raises(ScenarioError, match=r"allowed: xz, yz, xy, .*z=0\.5"):
        Section.of(text)


def test_points_lie_in_the_section():
    points = Section.of("y=0.3").points(np.array([1.0, 2.0]), np.array([5.0, 6.0]))
    np.testing.assert_array_equal(points, [[1, 2], [0.3, 0.3], [5, 6]])


@pytest.mark.parametrize("text", ["xz", "yz", "z=0.5"])
def test_directions_in_the_section_are_even_and_square_to_its_normal(text):
    section = Section.of(text)
    z = section.directions(36)
    np.testing.assert_allclose(z @ section.normal, 0, atol=1e-15)
    turns = np.einsum("ka,ka->k", z, np.roll(z, 1, axis=0))
    np.testing.assert_allclose(turns, np.cos(np.radians(10)), atol=1e-14)


def test_directions_on_the_sphere_are_even_to_their_second_moment():
    z = Section.of("xz").directions(400, sphere=True)
    np.testing.assert_allclose(np.linalg.norm(z, axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=5e-3)  # of a spiral of 400 points
    np.testing.assert_allclose(z.T @ z / 400, np.eye(3) / 3, atol=5e-3)


@pytest.mark.parametrize("text", ["xz", "yz", "xy"])
def test_the_tool_has_the_wanted_axis_and_stays_as_square_to_the_section_as_can_be(text):
    section = Section.of(text)
    for z in [*np.eye(3), *-np.eye(3), *section.directions(7, sphere=True)]:
        R = section.orientation(z)
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
        assert np.linalg.det(R) == pytest.approx(1)
        np.testing.assert_allclose(R[:, 2], z, atol=1e-14)
        square = np.sqrt(max(1 - (z @ section.normal) ** 2, 0))
        assert R[:, 1] @ section.normal == pytest.approx(square, abs=1e-7)
