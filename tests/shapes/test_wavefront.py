import os
import re

import numpy as np
import pytest
import trimesh

from sim import shipped
from sim.errors import ModelError
from sim.robots import mesh_places
from sim.shapes.palette import coordinate, rgb
from sim.shapes.wavefront import PLAIN, read_obj, read_places

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
LINKS = sorted((shipped.root() / "meshes").glob("*/*.obj"))


def read(text, folder=None):
    return read_obj(text.encode(), folder)


@pytest.mark.parametrize("path", LINKS[::7], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_shipped_file_is_read_as_trimesh_reads_it(path):
    found = read_obj(path.read_bytes(), path.parent)
    wanted = trimesh.load_mesh(path, process=False, maintain_order=True)
    np.testing.assert_array_equal(
        found.vertices[found.faces], np.asarray(wanted.vertices)[wanted.faces]
    )
    if not path.stem.endswith("_hull"):  # what is drawn has its own normals and colours
        # a face below 1 mm² may be a sliver that rounding to 0.1 mm has turned over
        flat = wanted.face_normals[wanted.area_faces > 1e-6]
        mean = found.normals[wanted.area_faces > 1e-6].sum(axis=1)
        assert np.einsum("ij,ij->i", flat, mean).min() > 0
        assert len(np.unique(found.colours, axis=0)) > 1


@pytest.mark.parametrize(
    "faces",
    [
        "f 1 2 3\nf 1/1/1 3/1/1 2/1/1\n",
        "f 1 2 3 4\nf -4//1 -3//1 -2//1 -1//1\n",
        "f 1 2 3\nf 1 2 3 4\n",  # polygons of two kinds
        "  f\t1 2 3 \r\n",
        "f 1 2 5\n",
        "f 1 2 x\n",
        "f 1 2\n",
        "",
        "v 1 2\nf 1 2 3\n",
        "v 1 2 3 0.5 0.5 0.5\nf 1 2 5\n",  # the colour of a vertex
    ],
)
def test_places_alone_are_those_of_the_whole_file(faces):
    text = f"# a body\n{TETRAHEDRON}vt 0.5 0.5\nvn 0 0 1\n{faces}"
    try:
        wanted = read(text)
    except ModelError as error:
        with pytest.raises(ModelError, match=f"^{re.escape(str(error))}$"):
            read_places(text.encode(), None)
        return
    found = read_places(text.encode(), None)
    np.testing.assert_array_equal(found.vertices, wanted.vertices)
    np.testing.assert_array_equal(found.faces, wanted.faces)


def test_corners_may_be_written_in_four_ways_and_counted_from_the_end():
    more = TETRAHEDRON + "vt 0.5 0.5\nvn 0 0 1\nvn 0 1 0\nvn 1 0 0\n"
    for corners in ("1 3 2", "1/1 3/1 2/1", "1//1 3//2 2//3", "1/1/1 3/1/2 2/1/-1", "-4 -2 -3"):
        found = read(more + f"f {corners}\n")
        np.testing.assert_array_equal(found.faces, [[0, 2, 1]])
        if corners.count("/") > 3:
            np.testing.assert_array_equal(found.normals, [np.eye(3)[::-1]])
        else:
            assert found.normals is None


def test_a_polygon_becomes_a_fan_and_keeps_its_material(tmp_path):
    (tmp_path / "two.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 0.5\n")
    found = read(
        "mtllib two.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 0 0\nusemtl red\n"
        "f 1 2 3 4 5\nusemtl blue\nf 1 3 2\nusemtl green\nf 1 3 4\n",
        tmp_path,
    )
    np.testing.assert_array_equal(
        found.faces, [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 2, 1], [0, 2, 3]]
    )
    red, blue = (255, 0, 0), (0, 0, 128)
    assert found.colours.tolist() == [list(c) for c in (red, red, red, blue, PLAIN)]


def test_a_texture_coordinate_of_the_palette_is_its_colour(tmp_path):
    (tmp_path / "p.mtl").write_text("newmtl p\nKd 1 1 1\nmap_Kd ../palette.png\n")
    places = "".join(f"vt {coordinate(name)[0]:.5f} 0.5\n" for name in ("copper", "yellow"))
    faces = "usemtl p\nf 1/1 3/1 2/1\nf 1/2 2/2 4/2\n"
    found = read("mtllib p.mtl\n" + TETRAHEDRON + places + faces, tmp_path)
    assert found.colours.tolist() == [list(rgb("copper")), list(rgb("yellow"))]


def test_without_its_materials_a_mesh_is_plain(tmp_path):
    faces = "usemtl p\nf 1 3 2\n"
    assert read("mtllib lost.mtl\n" + TETRAHEDRON + faces, tmp_path).colours.tolist() == [
        list(PLAIN)
    ]
    assert read(TETRAHEDRON + faces).colours is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("v 0 0\n", "line 1: '0 0' is not 3"),
        ("v 0 0 zero\n", "line 1: '0 0 zero'"),
        (TETRAHEDRON + "f 1 2\n", "line 5: a face has 2 corners"),
        (TETRAHEDRON + "f 1 2 5\n", "line 5: face '1 2 5' names a corner"),
        (TETRAHEDRON + "f 1 2 0\n", "line 5: face '1 2 0' names a corner"),
        (TETRAHEDRON + "f 1 2 -5\n", "line 5: face '1 2 -5' names a corner"),
        (TETRAHEDRON + "f 1/2 2/2 3/2\n", "line 5: face"),
        (TETRAHEDRON + "f 1 2 3\nf 1 2 x\n", "line 6: '1 2 x' is not a list"),
        (TETRAHEDRON + "f 1 2 1.5\n", "is not a list"),
        (TETRAHEDRON + "f 1 2 99999999999999999999\n", "line 5: '1 2 9.*' is not a list"),
        (TETRAHEDRON + f"f 1 2 {'9' * 5000}\n", "line 5: '1 2 9.*' is not a list"),
    ],
)
def test_a_line_that_cannot_be_meant_is_named(text, says):
    with pytest.raises(ModelError, match=says):
        read(text)


def test_other_words_and_comments_are_passed_over():
    found = read("# hello\no thing\ns off\n" + TETRAHEDRON + "  f 1 3 2  \nl 1 2\n")
    np.testing.assert_array_equal(found.faces, [[0, 2, 1]])


def test_a_file_of_other_things_has_no_faces():
    assert read("to whom it may concern\n").faces.shape == (0, 3)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes in the file system")
def test_a_material_library_is_a_regular_file_of_a_bounded_size(tmp_path):
    faces = "f 1 2 3\n"
    os.mkfifo(tmp_path / "pipe.mtl")
    with pytest.raises(ModelError, match=r"pipe\.mtl is not a regular file"):
        read("mtllib pipe.mtl\n" + TETRAHEDRON + faces, tmp_path)
    with (tmp_path / "large.mtl").open("wb") as file:
        file.truncate(10_000_001)
    with pytest.raises(ModelError, match=r"large\.mtl has more than the 10000000 bytes"):
        read("mtllib large.mtl\n" + TETRAHEDRON + faces, tmp_path)


def test_a_material_library_elsewhere_is_refused_as_meshes_are(tmp_path):
    for folder in ("own", "private"):
        (tmp_path / folder).mkdir()
    (tmp_path / "private" / "red.mtl").write_text("newmtl red\nKd 1 0 0\n")
    text = "mtllib ../private/red.mtl\n" + TETRAHEDRON + "usemtl red\nf 1 2 3\n"
    assert read(text, tmp_path / "own").colours.tolist() == [[255, 0, 0]]
    with (
        mesh_places.only_meshes_below(tmp_path / "own"),
        pytest.raises(ModelError, match="below which --meshes-below"),
    ):
        read(text, tmp_path / "own")
