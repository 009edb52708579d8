import numpy as np
import pandas as pd
import pyarrow.parquet as pq

import sim


def test_the_table_comes_back_with_its_units_and_its_run(run, tmp_path):
    path = sim.export(run, tmp_path / "a.parquet", channels=["q.*", "tool.ax"], degrees=True)
    table = pd.read_parquet(path)
    assert table.index.name == "t"
    np.testing.assert_array_equal(table.index, run.t)
    np.testing.assert_array_equal(table["q.slide"], run.recorded["q.slide"])
    np.testing.assert_allclose(table["q.arm"], np.degrees(run.recorded["q.arm"]), rtol=1e-15)
    schema = pq.read_schema(path)
    assert schema.field("q.arm").metadata[b"unit"] == b"deg"
    assert schema.field("tool.ax").metadata[b"source"].startswith(b"a law of the model")
    assert schema.metadata[b"scenario"] == b"by hand"
