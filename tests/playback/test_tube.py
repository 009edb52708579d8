import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from sim.playback.tube import MOST_POINTS, SIDES, even_points, tube

RADIUS = 0.004  # m


def helix(turns=2.0, samples=3000):
    a = np.linspace(0, 2 * np.pi * turns, samples)
    return np.stack([0.5 * np.cos(a), 0.5 * np.sin(a), 0.1 * a])


def closed(mesh):
    """The tube with lids, for a library that knows volumes."""
    n = len(mesh.vertices) // SIDES
    first, last = np.arange(SIDES), (n - 1) * SIDES + np.arange(SIDES)
    lids = [(first[0], first[k + 1], first[k]) for k in range(1, SIDES - 1)]
    lids += [(last[0], last[k], last[k + 1]) for k in range(1, SIDES - 1)]
    faces = np.concatenate([mesh.triangles, lids])
    return trimesh.Trimesh(mesh.vertices, faces, process=False)


def test_a_tube_is_as_far_from_the_path_as_its_radius_everywhere():
    path = helix()
    mesh = tube(path, RADIUS)
    fine = helix(samples=30_000).T
    away = [np.linalg.norm(fine - vertex, axis=1).min() for vertex in mesh.vertices]
    np.testing.assert_allclose(away, RADIUS, rtol=0.01)  # 400 chords of the helix


def test_a_tube_is_closed_points_outwards_and_has_the_volume_of_its_prism():
    path = helix()
    body = closed(tube(path, RADIUS))
    assert body.is_watertight
    assert body.is_winding_consistent
    length = np.linalg.norm(np.diff(path, axis=1), axis=0).sum()
    hexagon = SIDES / 2 * RADIUS**2 * np.sin(2 * np.pi / SIDES)
    assert body.volume == pytest.approx(hexagon * length, rel=0.01)  # 400 chords; > 0: outwards


def test_the_normals_are_unit_vectors_away_from_the_path():
    mesh = tube(helix(), RADIUS)
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-12)
    inner = mesh.vertices - RADIUS * mesh.normals
    np.testing.assert_allclose(inner[::SIDES], inner[SIDES - 1 :: SIDES], atol=1e-12)


def test_every_cross_section_is_square_to_the_path():
    rings = tube(helix(), RADIUS).vertices.reshape(-1, SIDES, 3)
    middles = rings.mean(axis=1)
    along = (middles[2:] - middles[:-2]) / np.linalg.norm(middles[2:] - middles[:-2], axis=1)[
        :, None
    ]
    spokes = (rings - middles[:, None])[1:-1] / RADIUS
    np.testing.assert_allclose(np.einsum("kja,ka->kj", spokes, along), 0, atol=1e-9)


@pytest.mark.parametrize("N", [0, 1, 500])
def test_a_path_that_goes_nowhere_has_no_tube(N):
    assert tube(np.ones((3, N)), RADIUS) is None


def test_a_path_that_rests_and_turns_back_on_itself_has_a_finite_tube():
    there = np.linspace([0, 0, 0], [0.3, 0, 0], 50).T
    path = np.concatenate([there, np.repeat(there[:, -1:], 40, axis=1), there[:, ::-1]], axis=1)
    mesh = tube(path, RADIUS)
    assert np.isfinite(mesh.vertices).all()
    assert np.isfinite(mesh.normals).all()


@given(st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=2, max_size=20))
def test_points_are_evenly_spaced_along_any_path(points):
    path = np.array(points).T
    length = np.linalg.norm(np.diff(path, axis=1), axis=0).sum()
    found = even_points(path, 0.01)
    assert len(found) <= MOST_POINTS
    np.testing.assert_allclose(found[0], path[:, 0], atol=1e-12)
    if len(found) > 1:
        np.testing.assert_allclose(found[-1], path[:, -1], atol=1e-12)
        chords = np.linalg.norm(np.diff(found, axis=0), axis=1)
        assert chords.max() <= length / (len(found) - 1) * (1 + 1e-9)  # a chord is the shortest way
