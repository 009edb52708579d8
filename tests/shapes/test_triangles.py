import numpy as np
import pytest
import trimesh

from sim.errors import ModelError
from sim.shapes.triangles import numbers, read_stl

BALL = trimesh.creation.icosphere(subdivisions=2, radius=0.4)
TEXT = trimesh.exchange.stl.export_stl_ascii(BALL).encode()
BINARY = trimesh.exchange.stl.export_stl(BALL)


@pytest.mark.parametrize("data", [TEXT, BINARY], ids=["text", "binary"])
def test_an_stl_of_another_program_is_read_corner_by_corner(data):
    found = read_stl(data)
    assert len(found.vertices) == len(BALL.vertices), "equal corners are one vertex"
    np.testing.assert_allclose(
        found.vertices[found.faces], BALL.vertices[BALL.faces], rtol=0, atol=1e-7
    )  # float32 or eight digits [m]
    assert found.normals is None
    assert found.colours is None


def test_a_binary_file_that_begins_with_solid_is_binary():
    data = b"solid".ljust(80) + BINARY[80:]
    np.testing.assert_array_equal(read_stl(data).faces, read_stl(BINARY).faces)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is not an STL"),
        (b"hello", "is not an STL"),
        (BINARY[:-10], "is not an STL"),
        (BINARY + b"\0", "is not an STL"),
        (TEXT[: len(TEXT) // 2], "ends too early"),
        (b"solid x", "ends too early"),
        (TEXT.replace(b"vertex", b"vertex x", 1), "line 4: 'x "),
    ],
)
def test_a_spoiled_file_is_refused(data, says):
    with pytest.raises(ModelError, match=says):
        read_stl(data)


def test_numbers_name_the_line_that_has_none():
    np.testing.assert_array_equal(numbers([(1, "1 2 3 4")]), [[1, 2, 3]])
    assert numbers([]).shape == (0, 3)
    for text in ("1 2", "1 2 x", ""):
        with pytest.raises(ModelError, match="line 7"):
            numbers([(3, "1 2 3"), (7, text)])
