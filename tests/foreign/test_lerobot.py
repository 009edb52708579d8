"""Data sets of LeRobot, as its own description of format 2.1 has them."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sim.errors import ForeignError
from sim.foreign import read_foreign

STATE = np.arange(12.0).reshape(4, 3)


def written(folder, columns, info=None):
    data = folder / "data/chunk-000"
    data.mkdir(parents=True)
    pq.write_table(pa.table(columns), data / "episode_000000.parquet")
    if info is not None:
        (folder / "meta").mkdir()
        (folder / "meta/info.json").write_text(info if isinstance(info, str) else json.dumps(info))
    return data / "episode_000000.parquet"


@pytest.mark.parametrize("kind", [pa.list_(pa.float32()), pa.list_(pa.float32(), 3)])
def test_a_vector_is_a_column_for_each_entry(tmp_path, kind):
    state = pa.array(STATE.tolist(), kind)
    path = written(tmp_path, {"observation.state": state, "timestamp": [0.0, 0.1, 0.2, 0.3]})
    found = {column.title: column.values for column in read_foreign(path).columns}
    assert list(found) == ["timestamp", *(f"observation.state_{k}" for k in range(3))]
    np.testing.assert_array_equal(found["observation.state_1"], STATE[:, 1])


@pytest.mark.parametrize("names", [["a", "b", "c"], {"motors": ["a", "b", "c"]}])
def test_names_of_entries_and_the_rate_are_those_of_the_data_set(tmp_path, names):
    info = {"fps": 50, "features": {"observation.state": {"names": names}}}
    frames = pa.array([0, 1, 2, 3])
    columns = {"observation.state": pa.array(STATE.tolist()), "frame_index": frames}
    found = {c.title: c.values for c in read_foreign(written(tmp_path, columns, info)).columns}
    assert [*found][1:4] == ["observation.state.a", "observation.state.b", "observation.state.c"]
    np.testing.assert_allclose(found["t"], [0.0, 0.02, 0.04, 0.06])


def test_what_is_no_vector_is_left_out(tmp_path):
    columns = {
        "t": [0.0, 1.0],
        "ragged": pa.array([[1.0], [1.0, 2.0]]),
        "matrix": pa.array([[[1.0]], [[2.0]]]),
        "words": pa.array([["a"], ["b"]]),
        "pair": pa.array([{"x": 1.0}, {"x": 2.0}]),
    }
    assert [c.title for c in read_foreign(written(tmp_path, columns)).columns] == ["t"]


@pytest.mark.parametrize("info", ["{", "[]", '{"features": 3, "fps": "fast"}'])
def test_a_description_that_is_none_is_refused_or_says_nothing(tmp_path, info):
    path = written(tmp_path, {"v": pa.array([[1.0], [2.0]]), "t": [0.0, 1.0]}, info)
    if info.startswith('{"'):
        assert [c.title for c in read_foreign(path).columns] == ["t", "v_0"]
    else:
        with pytest.raises(ForeignError, match=r"info\.json"):
            read_foreign(path)
