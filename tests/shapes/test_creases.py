import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from sim.shapes.surface import corner_normals


def test_the_faces_of_a_box_are_flat_to_their_corners():
    box = trimesh.creation.box((1, 2, 3))
    found = corner_normals(np.asarray(box.vertices), np.asarray(box.faces))
    np.testing.assert_allclose(found, box.face_normals[:, None].repeat(3, axis=1), atol=1e-15)


def test_a_fine_cylinder_is_round_about_its_axis_and_flat_at_its_ends():
    drum = trimesh.creation.cylinder(0.5, 2.0, sections=64)
    vertices, faces = np.asarray(drum.vertices), np.asarray(drum.faces)
    found = corner_normals(vertices, faces)
    ends = np.abs(drum.face_normals[:, 2]) > 0.5
    np.testing.assert_allclose(
        found[ends], drum.face_normals[ends][:, None].repeat(3, 1), atol=1e-12
    )
    places = vertices[faces[~ends]] * [1, 1, 0]
    radial = places / np.linalg.norm(places, axis=2, keepdims=True)
    # Weighted by area, the two triangles of a side pull the mean at most a quarter of its 5.6°.
    assert np.einsum("fci,fci->fc", found[~ends], radial).min() > np.cos(np.radians(1.5))


@pytest.mark.parametrize(("degrees", "is_smooth"), [(39.0, True), (41.0, False)])
def test_a_bend_of_more_than_forty_degrees_is_an_edge(degrees, is_smooth):
    bend = np.radians(degrees)
    vertices = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [-np.cos(bend), 1, -np.sin(bend)]])
    normals = corner_normals(vertices, np.array([[0, 2, 1], [0, 1, 3]]))
    same = np.allclose(normals[0, 0], normals[1, 0], atol=1e-12)
    assert same == is_smooth
    if is_smooth:  # equal areas: half-way between the two
        half = [-np.sin(bend / 2), 0, np.cos(bend / 2)]
        np.testing.assert_allclose(normals[0, 0], half, atol=1e-12)


def test_a_face_without_area_has_no_normal():
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])
    np.testing.assert_array_equal(corner_normals(vertices, np.array([[0, 1, 2]])), 0)


@given(st.integers(0, 2**32 - 1))
def test_normals_turn_with_the_mesh(seed):
    rng = np.random.default_rng(seed)
    ball = trimesh.creation.icosphere(subdivisions=1)
    vertices = np.asarray(ball.vertices) * rng.uniform(0.5, 2, 3)
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    R *= np.linalg.det(R)
    before = corner_normals(vertices, np.asarray(ball.faces))
    after = corner_normals(vertices @ R.T, np.asarray(ball.faces))
    np.testing.assert_allclose(after, before @ R.T, rtol=0, atol=1e-12)
