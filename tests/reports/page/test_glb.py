import numpy as np
import pytest

from sim.errors import RecordingError
from sim.reports.page.glb import ARRAY_BUFFER, Document, read_glb
from tests.helpers.page_runs import chunks, numbers


def document():
    found = Document({"asset": {"version": "2.0"}, "nodes": [{"name": "a"}]})
    found.add(np.arange(9, dtype="f4").reshape(3, 3), target=ARRAY_BUFFER, bounds=True)
    found.add(np.array([[1, 2, 3], [-4, 5, 6]], dtype="i1"), target=ARRAY_BUFFER, normalized=True)
    return found


def test_what_was_added_can_be_read_by_the_letter_of_the_standard():
    tree, data = chunks(document().to_bytes())
    assert numbers(tree, data, 0).tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert tree["accessors"][0]["min"] == [0, 1, 2]
    assert tree["accessors"][0]["max"] == [6, 7, 8]
    assert tree["buffers"] == [{"byteLength": len(data)}]


def test_rows_of_small_numbers_start_at_four_bytes():
    tree, data = chunks(document().to_bytes())
    view = tree["bufferViews"][1]
    assert view["byteStride"] == 4
    rows = np.frombuffer(data, "i1", view["byteLength"], view["byteOffset"]).reshape(-1, 4)
    assert rows[:, :3].tolist() == [[1, 2, 3], [-4, 5, 6]]


def test_a_file_is_read_as_it_was_written():
    data = document().to_bytes()
    assert read_glb(data, "x").to_bytes() == data


@pytest.mark.parametrize("cut", [0, 11, 19, 40, -1])
def test_a_file_cut_short_is_a_clear_error(cut):
    with pytest.raises(RecordingError, match=r"x\.glb cannot be read as GLB"):
        read_glb(document().to_bytes()[:cut], "x.glb")
