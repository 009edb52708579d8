"""Compact tables, read back with nothing but pyarrow and NumPy."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from sim.comparison.compact import read_compact, step_below, write_compact
from sim.errors import RecordingError

T = np.linspace(0.0, 1.0, 1001)
STEPS = {"q.a": 2.0**-20, "tau.a": 2.0**-10}
UNITS = {"q.a": "rad", "tau.a": "N·m"}


@pytest.fixture
def kept(tmp_path):
    rng = np.random.default_rng(1)
    columns = {"q.a": np.sin(5 * T), "tau.a": 1e4 * np.cos(9 * T) + rng.normal(size=T.size)}
    table = pd.DataFrame(columns, index=pd.Index(T, name="t"))
    write_compact(tmp_path / "x.parquet", table, STEPS, UNITS)
    return table, tmp_path / "x.parquet"


def test_every_value_comes_back_to_half_a_step(kept):
    table, path = kept
    found, steps = read_compact(path, T)
    assert steps == STEPS
    for channel, step in STEPS.items():
        assert np.abs(found[channel] - table[channel]).max() <= step / 2
        whole = found[channel] / step
        assert np.array_equal(whole, np.rint(whole))


def test_anything_that_reads_parquet_reads_it_by_the_formula_it_tells(kept):
    table, path = kept
    file = pq.read_table(path)
    assert b"step * cumsum(cumsum(cumsum(column)))" in file.schema.metadata[b"sim"]
    field = file.schema.field("tau.a")
    assert field.metadata[b"unit"].decode() == "N·m"
    step = float(field.metadata[b"step"])
    values = step * file.column("tau.a").to_numpy().cumsum().cumsum().cumsum()
    assert np.abs(values - table["tau.a"].to_numpy()).max() <= step / 2


def test_a_smooth_curve_costs_less_than_half_a_byte_a_sample(tmp_path):
    t = np.linspace(0.0, 10.0, 10001)
    columns = {f"q.{k}": np.sin((1 + 0.1 * k) * t) for k in range(50)}
    table = pd.DataFrame(columns, index=pd.Index(t, name="t"))
    write_compact(
        tmp_path / "x", table, dict.fromkeys(columns, 2.0**-23), dict.fromkeys(columns, "rad")
    )
    assert (tmp_path / "x").stat().st_size < 0.5 * table.size


@pytest.mark.parametrize("size", [1.0, 1.5, 3e-7, 1e300, 5e-324])
def test_a_step_is_the_next_lower_power_of_two(size):
    step = step_below(size)
    assert step <= size < 2 * step
    assert np.frexp(step)[0] == 0.5


def test_another_number_of_samples_is_refused(kept):
    with pytest.raises(RecordingError, match="has 1001 samples, and its description asks for 900"):
        read_compact(kept[1], T[:900])


@pytest.mark.parametrize("damage", ["missing", "rubbish", "foreign"])
def test_a_damaged_table_is_refused(kept, damage):
    table, path = kept
    if damage == "missing":
        path.unlink()
    elif damage == "rubbish":
        path.write_bytes(b"PAR1 no")
    else:
        table.to_parquet(path)
    with pytest.raises(
        RecordingError, match="does not exist" if damage == "missing" else "compact table"
    ):
        read_compact(path, T)
