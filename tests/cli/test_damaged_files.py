"""Whatever happens to the files of a run or a baseline: a verdict, or one clear line and 2."""

import contextlib
import json
import os
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sim.cli.command import status
from tests.helpers.command_scripts import write_swing
from tests.helpers.damaged_files import damaged_copy, reseal

# So many places of each file; SIM_ALL_DAMAGE=300 looks longer.
PLACES = int(os.environ.get("SIM_ALL_DAMAGE", "4"))
FILES = ("run.json", "recording.parquet", "analytic.parquet", "cut_open.parquet", "robot.urdf")
COMMANDS = {
    "check": ("check", "{run}"),
    "compare": ("compare", "{run}"),
    "compare with": ("compare", "{sound}", "{run}"),
    "export": ("export", "{run}", "out.csv"),
    "drives": ("export", "{run}", "out.adm"),
    "plot": ("plot", "{run}", "tau.*", "--out", "out.csv"),
    "accept": ("accept", "{run}", "--reason", "damage"),
    "report": ("report", "{run}", "--out", "out.html"),
}
CHEAP = [name for name in COMMANDS if name != "report"]

pytestmark = pytest.mark.filterwarnings("ignore")  # as the command does; NaN and 1e308 overflow


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a short run in ``swing``, its scene, and its baseline."""
    above = tmp_path_factory.mktemp("sound")
    write_swing(above)
    with contextlib.chdir(above):
        command = ["run", "swing.py", "--set", "duration=0.05", "--out", "swing", "--no-report"]
        assert status(command) == 0
        assert status(["report", "swing"]) == 0
        assert status(["accept", "swing", "--reason", "sound"]) == 0
    return above


def assert_clear(done, folder):
    assert done.status in (0, 1, 2), done
    if done.status == 2:
        assert done.err.startswith("sim: ")
        assert len(done.err.strip().splitlines()) == 1, done.err
        assert "mistake of sim" not in done.err, done.err
    else:
        assert done.err == ""
    assert not [path for path in folder.rglob("*") if path.name.endswith((".partial", ".new"))]


def command(sim_command, made, name, folder):
    words = [word.format(run=folder, sound=made / "swing") for word in COMMANDS[name]]
    return sim_command(*words)


@pytest.mark.rotates(2)
@pytest.mark.parametrize("anew", [False, True], ids=["broken seal", "sealed anew"])
@pytest.mark.parametrize("file", FILES)
def test_a_damaged_file_of_a_run(sim_command, made, tmp_path, file, anew):
    shutil.copytree(made / "results", tmp_path / "results")
    for seed in range(PLACES):
        folder = damaged_copy(made / "swing", file, tmp_path / str(seed), seed, anew=anew)
        names = COMMANDS if seed % 8 == 3 else [CHEAP[seed % len(CHEAP)], "check"]
        for name in names:
            done = command(sim_command, made, name, folder)
            assert_clear(done, tmp_path)
            if not anew and file not in ("analytic.parquet", "cut_open.parquet"):
                damaged = (folder / file).read_bytes() != (made / "swing" / file).read_bytes()
                assert done.status == 2 or not damaged or file == "robot.urdf", (seed, name)
        shutil.rmtree(tmp_path / str(seed))


def test_a_damaged_scene(sim_command, made, tmp_path):
    for seed in range(PLACES // 2):
        folder = damaged_copy(made / "swing", "scene.glb", tmp_path / str(seed), seed, anew=True)
        assert_clear(command(sim_command, made, "report", folder), tmp_path)


@pytest.mark.parametrize("anew", [False, True], ids=["broken seal", "sealed anew"])
def test_a_damaged_baseline(sim_command, made, tmp_path, anew):
    accepted = made / "results" / "baselines" / "swing"
    for file in sorted(path.name for path in accepted.iterdir()):
        for seed in range(PLACES):
            above = tmp_path / "results" / "baselines"
            shutil.rmtree(above, ignore_errors=True)
            damaged_copy(accepted, file, above, seed, anew=anew)
            assert_clear(command(sim_command, made, "compare", made / "swing"), tmp_path)
            if seed == 3:
                assert_clear(command(sim_command, made, "accept", made / "swing"), tmp_path)


def text_column(table):
    return table.assign(**{"q.elbow": "north"})


def numbers_in_words(table):
    return table.assign(**{"q.elbow": table["q.elbow"].astype(str)})


def truths(table):
    return table.assign(**{"q.elbow": True})


def no_times(table):
    return table.reset_index(drop=True)


def two_times_alike(table):
    return table.set_axis(pd.Index([0.0, *table.index[:-1]], name="t"))


def nested(table):
    return table.assign(**{"q.elbow": [[x] for x in table["q.elbow"]]})


def dates(table):
    return table.set_axis(pd.date_range("2020", periods=len(table), name="t"))


def no_rows(table):
    return table.iloc[:0]


def no_channel(table):
    return table.drop(columns="q.elbow")


def only_times(table):
    return table[[]]


def complex_names(table):
    return table.rename(columns={"q.elbow": "q"})


SPOILT = (
    *(text_column, numbers_in_words, truths, no_times, two_times_alike, nested, dates, no_rows),
    *(no_channel, only_times, complex_names),
)


@pytest.mark.rotates(3)
@pytest.mark.parametrize("file", ["recording.parquet", "analytic.parquet", "cut_open.parquet"])
@pytest.mark.parametrize("spoil", SPOILT, ids=lambda function: function.__name__)
def test_a_table_of_something_else(sim_command, made, tmp_path, file, spoil):
    """Each is sealed anew: what refuses it is that it is no table of numbers over time."""
    folder = tmp_path / "swing"
    shutil.copytree(made / "swing", folder)
    table = pd.read_parquet(folder / file)
    if "q.elbow" not in table:
        table = table.rename(columns={table.columns[0]: "q.elbow"})
    spoil(table).to_parquet(folder / file)
    reseal(folder, file)
    for name in ("check", "export", "compare"):
        done = command(sim_command, made, name, folder)
        assert_clear(done, tmp_path)
        unread = {"analytic.parquet": ["compare"], "cut_open.parquet": ["compare", "export"]}
        assert done.status == 2 or name in unread.get(file, ()), done


def test_two_columns_of_one_name(sim_command, made, tmp_path):
    folder = tmp_path / "swing"
    shutil.copytree(made / "swing", folder)
    path = folder / "recording.parquet"
    table = pq.read_table(path)
    pq.write_table(table.append_column("q.elbow", table.column("q.elbow")), path)
    reseal(folder, path.name)
    done = sim_command("check", str(folder))
    assert (done.status, done.out) == (2, "")
    assert "has two columns 'q.elbow'" in done.err


def test_a_table_that_unfolds_to_more_than_was_run_is_not_read(sim_command, made, tmp_path):
    """Fifty million equal rows are half a megabyte of Parquet, and 400 MB a column."""
    folder = tmp_path / "swing"
    shutil.copytree(made / "swing", folder)
    path = folder / "recording.parquet"
    schema = pa.schema([("q.elbow", pa.float64()), ("t", pa.float64())])
    rows = pa.table([pa.array(np.zeros(1_000_000))] * 2, schema=schema)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for _ in range(50):
            writer.write_table(rows)
    assert path.stat().st_size < 600_000
    reseal(folder, path.name)
    done = sim_command("check", str(folder))
    assert (done.status, done.out) == (2, "")
    assert "has 50000000 samples, and its description asks for 51" in done.err


@pytest.mark.parametrize("key", ["parameters", "checks", "scenario", "new"])
def test_a_deep_description(sim_command, made, tmp_path, key):
    folder = tmp_path / "swing"
    shutil.copytree(made / "swing", folder)
    path = folder / "run.json"
    content = json.loads(path.read_text("utf-8"))
    content[key] = "DEEP"
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    path.write_text(json.dumps(content).replace('"DEEP"', deep), encoding="utf-8")
    for name in CHEAP:
        done = command(sim_command, made, name, folder)
        assert done.status == 2
        assert_clear(done, tmp_path)


@pytest.mark.parametrize(
    "settings", [{"samples": 10**15}, {"samples": -3}, {"duration": -1.0}, {"dt": 0.0}]
)
def test_settings_that_no_run_has(sim_command, made, tmp_path, settings):
    folder = tmp_path / "swing"
    shutil.copytree(made / "swing", folder)
    path = folder / "run.json"
    content = json.loads(path.read_text("utf-8"))
    content["settings"].update(settings)
    path.write_text(json.dumps(content), encoding="utf-8")
    reseal(folder, "run.json")
    for name in ("check", "compare", "export", "compare with"):
        done = command(sim_command, made, name, folder)
        assert done.status == 2
        assert_clear(done, tmp_path)
