from dataclasses import replace

import numpy as np
import pytest
import trimesh
from msgspec import structs

from sim.errors import ModelError
from sim.maths import pose
from sim.robots import load_robot
from sim.shapes.palette import rgb
from sim.shapes.surface import surface
from sim.shapes.triangles import MOST_FACES
from sim.shapes.visuals import Visual, visuals

LEVEL = pose()


def volume(found):
    a, b, c = found.vertices[found.faces].transpose(1, 0, 2)
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


def inside_out(found):
    """Share of the faces whose normals point the other way than their corners turn."""
    a, b, c = found.vertices[found.faces].transpose(1, 0, 2)
    flat = np.cross(b - a, c - a)
    mean = found.normals[found.faces].sum(axis=1)
    return (np.einsum("ij,ij->i", flat, mean) < 0).mean()


def of_polygons(sides, rings):
    """Volume of a stack of frustums whose circles are polygons; `rings` are (radius, height)."""
    (r, z), (s, y) = rings[:-1].T, rings[1:].T
    return np.sum((y - z) / 3 * (r * r + r * s + s * s)) * sides / 2 * np.sin(2 * np.pi / sides)


ANGLES = np.linspace(-np.pi / 2, np.pi / 2, 21)
GLOBE = 0.5 * np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])


@pytest.mark.parametrize(
    ("shape", "size", "wanted", "exact"),
    [
        ("box", (1, 2, 3), 6, 6),
        ("cylinder", (0.5, 2), of_polygons(40, np.array([[0.5, -1], [0.5, 1]])), np.pi / 2),
        ("sphere", (0.5,), of_polygons(40, GLOBE), np.pi / 6),
    ],
)
def test_a_plain_shape_has_its_volume_about_its_middle(shape, size, wanted, exact):
    found = surface(Visual("a", LEVEL, shape, size=size))
    assert volume(found) == pytest.approx(wanted, rel=1e-12)
    assert volume(found) == pytest.approx(exact, rel=0.011)  # looks round
    half = {"box": np.array(size) / 2, "cylinder": [0.5, 0.5, 1], "sphere": [0.5] * 3}[shape]
    np.testing.assert_allclose(found.vertices.max(axis=0), half, rtol=1e-12)
    np.testing.assert_allclose(found.vertices.min(axis=0), -np.asarray(half), rtol=1e-12)
    mesh = trimesh.Trimesh(found.vertices, found.faces)  # merges equal vertices
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert inside_out(found) == 0


def test_the_colour_of_the_urdf_is_that_of_every_face():
    found = surface(Visual("a", LEVEL, "box", size=(1, 1, 1), rgba=(1, 0.5, 0, 0.25)))
    assert np.unique(found.colours, axis=0).tolist() == [[255, 128, 0, 64]]


def test_a_link_of_the_palette_has_its_colours_and_unit_normals_outwards():
    shoulder = visuals(load_robot("ur10"))[1]
    found = surface(shoulder)
    wanted = {(*rgb(name), 255) for name in ("tube grey", "cap blue", "rubber")}
    assert {tuple(colour) for colour in found.colours.tolist()} == wanted
    np.testing.assert_allclose(np.linalg.norm(found.normals, axis=1), 1, rtol=0, atol=1e-12)
    assert inside_out(found) == 0
    assert not any(array.flags.writeable for array in structs.astuple(found))


def test_a_mesh_is_scaled_and_a_mirrored_one_is_not_inside_out(tmp_path):
    path = tmp_path / "box.stl"
    trimesh.creation.box((100, 200, 300)).export(path)
    visual = Visual("a", LEVEL, "mesh", path, scale=(0.001, 0.001, 0.001))
    assert volume(surface(visual)) == pytest.approx(0.006, rel=1e-6)
    mirrored = surface(replace(visual, scale=(0.001, -0.001, 0.002)))
    assert volume(mirrored) == pytest.approx(0.012, rel=1e-6)
    assert inside_out(mirrored) == 0


def test_normals_of_a_stretched_mesh_stay_across_its_faces(tmp_path):
    path = tmp_path / "ball.obj"
    ball = trimesh.creation.icosphere(subdivisions=4)
    path.write_text(trimesh.exchange.obj.export_obj(ball, include_normals=True))
    found = surface(Visual("a", LEVEL, "mesh", path, scale=(1, 2, 3)))
    gradient = found.vertices / np.array([1, 2, 3]) ** 2  # of the ellipsoid's equation
    gradient /= np.linalg.norm(gradient, axis=1, keepdims=True)
    assert np.einsum("ij,ij->i", gradient, found.normals).min() > np.cos(np.radians(1))


SPOILED = {
    "gone.obj": (None, "does not exist"),
    "folder.obj": ("folder", "does not exist"),
    "a.dae": (b"<COLLADA/>", "'.dae'; allowed: .obj, .stl"),
    "text.obj": (b"hello", "has no faces"),
    "empty.stl": (b"", "is not an STL"),
    "noise.stl": (bytes(range(256)), "is not an STL"),
    "nan.obj": (b"v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", "not finite"),
    "cut.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2", "line 4: a face has 2 corners"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_mesh_that_is_none_is_named_with_its_link(name, tmp_path):
    data, says = SPOILED[name]
    path = tmp_path / name
    if data == "folder":
        path.mkdir()
    elif data is not None:
        path.write_bytes(data)
    with pytest.raises(ModelError) as caught:
        surface(Visual("forearm", LEVEL, "mesh", path))
    for piece in ("link 'forearm'", str(path), says):
        assert piece in str(caught.value)


def test_a_mesh_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "a.obj"
    path.write_bytes(b"v 0 0 0\n" * 10)
    monkeypatch.setattr("sim.shapes.surface.LARGEST_FILE", 50)
    with pytest.raises(ModelError, match="more than the 50 bytes"):
        surface(Visual("a", LEVEL, "mesh", path))


def test_a_mesh_of_many_faces_is_refused_before_it_is_taken_apart(tmp_path):
    count = MOST_FACES + 1
    path = tmp_path / "fine.stl"
    path.write_bytes(bytes(80) + count.to_bytes(4, "little") + bytes(50 * count))
    shape = Visual("arm", LEVEL, "mesh", path)
    with pytest.raises(ModelError, match=f"'arm': mesh .*fine.stl: has {count} faces; at most"):
        surface(shape)
    wavefront = tmp_path / "fine.obj"
    wavefront.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "f 1 2 3\n" * count)
    with pytest.raises(
        ModelError, match=f"fine.obj: has {count} faces; at most .* simplify the mesh"
    ):
        surface(replace(shape, path=wavefront))
