import contextlib
import json
import math
import os
import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from sim.cli import run_scripts
from sim.cli.command import status
from sim.recording import Recording
from sim.recording.files.whole_files import sha256
from sim.recording.schema.facts import ScriptFacts
from tests.cli.command_runs import FAST, FILES, SIM, process, runs
from tests.helpers.command_scripts import URDF, script_text, write_swing

QUIET = ("--no-report",)
CHOSEN = ("--set", "load=1.5", "--set", "duration=0.06", "--method", "ideal", "--dt", "0.002")


@pytest.fixture
def first(sim_command, swing):
    """A run of ``swing.py`` in the folder ``first``, with settings of its own."""
    done = sim_command("run", "swing.py", *CHOSEN, "--out", "first", *QUIET)
    assert done.status == 0, done.err
    return swing


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    """The same for what leaves it as it was."""
    folder = tmp_path_factory.mktemp("untouched")
    write_swing(folder)
    with contextlib.chdir(folder):
        assert status(["run", "swing.py", *CHOSEN, "--out", "first", *QUIET]) == 0
    return folder


def repeat(sim_command, *more):
    return sim_command("run", "--from", "first", *QUIET, *more)


def test_a_repeated_run_is_the_same_to_the_bit_and_says_so(sim_command, first):
    done = repeat(sim_command)
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "repeats  first  same to the bit"
    (folder,) = runs(first)
    assert {path.name for path in folder.iterdir()} == FILES
    one, other = (
        json.loads((f / "run.json").read_text("utf-8")) for f in (first / "first", folder)
    )
    assert one["files"] == other["files"]  # hashes of the tables and the URDF
    for key in ("parameters", "method", "settings", "script", "checks"):
        assert one[key] == other[key]


@pytest.mark.parametrize("name", ["there/first", "there/first/run.json", "swing"])
def test_a_run_is_named_by_its_folder_its_description_or_its_scenario(sim_command, swing, name):
    out = ("--out", "there/first") if "there" in name else ()
    sim_command("run", "swing.py", *CHOSEN, *out, *QUIET)
    done = sim_command("run", "--from", name, "--json", "--out", "again", *QUIET)
    assert done.document["repeats"]["same"] is True
    assert done.document["parameters"]["load"] == 1.5


def test_json_tells_of_each_table_and_each_input(sim_command, first):
    document = repeat(sim_command, "--json", "--out", "again").document
    repeats = document.pop("repeats")
    assert document == json.loads((first / "again" / "run.json").read_text("utf-8"))
    same = {
        "same": True, "same_times": True, "apart": [], "furthest": None, "missing": [], "new": [],
    }  # fmt: skip
    assert repeats == {
        "run": "first",
        "same": True,
        "tables": {"recording.parquet": same, "analytic.parquet": same},
        "inputs": [],
    }


def test_a_run_that_failed_and_fails_alike_is_wanting(sim_command, swing):
    write_swing(swing, drives=FAST)
    assert sim_command("run", "swing.py", "--out", "first", *QUIET).status == 1
    done = repeat(sim_command, "--json")
    assert done.status == 1
    assert (done.document["verdict"], done.document["repeats"]["same"]) == ("fail", True)


def test_another_urdf_is_told_with_how_far_the_curves_are_apart(sim_command, first):
    assert '<mass value="1.5"/>' in URDF
    write_swing(first, urdf=URDF.replace('<mass value="1.5"/>', '<mass value="1.6"/>'))
    done = repeat(sim_command, "--json", "--out", "again")
    assert (done.status, done.err) == (1, "")
    repeats = done.document["repeats"]
    assert repeats["inputs"] == ["link forearm mass: 1.5 → 1.6"]
    before, now = (pd.read_parquet(first / f / "recording.parquet") for f in ("first", "again"))
    peaks = before.abs().max()
    shares = ((now - before).abs().max() / peaks)[peaks > 0]
    told = repeats["tables"]["recording.parquet"]
    furthest = told["furthest"]
    channel = furthest["channel"]
    assert channel in set(told["apart"]) < set(before.columns)
    assert (channel, furthest["relative"]) == (shares.idxmax(), shares.max())
    gap = (now[channel] - before[channel]).abs()
    assert furthest["worst"] == gap.max()
    assert gap.loc[furthest["at"]] == gap.max()
    text = repeat(sim_command, "--out", "again").out
    assert "repeats  first  differs" in text
    assert f"differs  recording.parquet: {len(told['apart'])} channels differ" in text
    assert "changed  link forearm mass: 1.5 → 1.6" in text


def describe(folder, script):
    """Another script in the description, sealed anew, as whoever sends a run may do it."""
    recording = Recording.read(folder)
    facts = ScriptFacts(path=str(script), sha256=sha256(script))
    recording.with_description(script=facts).write_description(folder)


def leaves_a_trace(script):
    """A script that shows that it was executed."""
    script.write_text("import pathlib\npathlib.Path(__file__ + '.ran').touch()\n" + script_text())
    return script.with_name(script.name + ".ran")


def test_a_script_of_another_text_than_the_run_was_made_with_is_not_executed(sim_command, first):
    trace = leaves_a_trace(first / "swing.py")
    for more in ((), ("--trust",)):
        done = repeat(sim_command, *more)
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
        assert "swing.py is not executed: it has changed since" in done.err
    assert not trace.exists()
    assert not (first / "results").exists()


@pytest.mark.parametrize("where", ["first", "beside", "elsewhere"])
def test_a_script_that_was_not_run_here_by_name_runs_only_with_trust(
    sim_command, first, tmp_path_factory, where
):
    """An archive brings the run and the script: no place proves anything."""
    folders = {"first": first / "first", "beside": first}
    above = folders[where] if where in folders else tmp_path_factory.mktemp("elsewhere")
    write_swing(above)
    trace = leaves_a_trace(above / "swing.py")
    describe(first / "first", above / "swing.py")
    done = repeat(sim_command)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert "swing.py is not executed: it is code that you have not run here by name" in done.err
    assert "--trust" in done.err
    assert not trace.exists()
    assert repeat(sim_command, "--trust").status == 0
    assert trace.exists()


def test_a_changed_module_of_a_known_script_needs_trust(sim_command, swing):
    """The hash in the description is that of the script alone."""
    (swing / "helper.py").write_text("LOAD = 0.5\n", "utf-8")
    text = script_text().replace("import sim\n", "import sim\nfrom helper import LOAD\n")
    (swing / "swing.py").write_text(text, "utf-8")
    process(*SIM, "run", "swing.py", *CHOSEN, "--out", "first", *QUIET, cwd=swing, HOME=str(swing))
    again = (*SIM, "run", "--from", "first", "--out", "again", *QUIET)
    done = process(*again, cwd=swing, HOME=str(swing))
    assert (done.returncode, done.stderr) == (0, "")
    leaves_a_trace(swing / "helper.py")
    done = process(*again, cwd=swing, HOME=str(swing))
    assert (done.returncode, done.stdout) == (2, "")
    assert "helper.py is not executed: it is code that you have not run here" in done.stderr
    assert not (swing / "helper.py.ran").exists()


def test_trust_is_for_repeating(sim_command, first):
    done = sim_command("run", "swing.py", "--trust")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)


def test_other_versions_are_told(sim_command, first, monkeypatch):
    monkeypatch.setattr("sim.recording.schema.provenance.version_of", lambda package: "0.0")
    told = repeat(sim_command, "--json").document["repeats"]["inputs"]
    assert any(re.fullmatch("numpy: .* → 0.0", one) for one in told)


def gone(first):
    (first / "swing.py").unlink()


def unnamed(first):
    recording = Recording.read(first / "first").with_description(script=None)
    recording.write_description(first / "first")


def damaged(first):
    (first / "first" / "recording.parquet").write_bytes(b"no")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (gone, "{}/swing.py does not exist; the results were made with it (SHA-256"),
        (unnamed, "first cannot be repeated: its description names no script"),
        (damaged, "recording.parquet has changed since the run wrote it"),
    ],
)
def test_what_cannot_be_repeated_is_refused_in_one_line(sim_command, first, spoil, says):
    spoil(first)
    done = repeat(sim_command)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert says.format(first) in done.err
    assert not (first / "results").exists()


CHOICES = [
    ("swing.py",), ("--all",), ("--set", "load=1"), ("--method", "ideal"), ("--dt", "0"),
    ("--dt", "0.002"),
]  # fmt: skip
PLACES = [
    ("--out", "first"), ("--out", "./first/../first"), ("--out", "."), ("--junit", "no/junit.xml"),
]  # fmt: skip


@pytest.mark.parametrize("more", [*CHOICES, *PLACES])
def test_what_cannot_go_with_it_is_misuse_and_leaves_the_run_as_it_was(
    sim_command, untouched, more, monkeypatch
):
    monkeypatch.chdir(untouched)
    before = {path: path.read_bytes() for path in untouched.rglob("*") if path.is_file()}
    done = repeat(sim_command, *more)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    word = more[0] if more[0].startswith("--") else "NAME"
    if more in CHOICES:
        assert f"--from repeats a run unchanged and excludes {word};" in done.err
    else:
        assert word in done.err or more[1] in done.err
    assert {path: path.read_bytes() for path in untouched.rglob("*") if path.is_file()} == before


def test_no_run_of_that_name(sim_command, swing):
    done = sim_command("run", "--from", "nothing")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "There is no run 'nothing'" in done.err


def test_a_shipped_scenario_is_repeated_on_another_machine(sim_command, tmp_path, shipped_run):
    folder = shipped_run("two_link", "ideal")
    recording = Recording.read(folder)
    there = recording.run.script.__class__(
        path="/of/another/machine/two_link.py", sha256=recording.run.script.sha256
    )
    (tmp_path / "far").mkdir()
    recording.with_description(script=there).write(tmp_path / "far")
    document = sim_command("run", "--from", "far", "--json", *QUIET).document
    assert document["repeats"]["same"] is True
    assert document["repeats"]["inputs"] == []


def test_in_a_process_of_its_own_the_bits_are_the_same(sim_command, swing):
    """The default that no description can hold: a NaN and a function."""
    odd = "load: float = 0.5, rate=float('nan'), law=lambda t: t, "
    script = (swing / "swing.py").read_text("utf-8").replace("load: float = 0.5, ", odd)
    (swing / "swing.py").write_text(script, encoding="utf-8")
    assert sim_command("run", "swing.py", "--out", "first", *QUIET).status == 0
    state = os.environ["XDG_STATE_HOME"]  # where the run before is known code
    again = ("run", "--from", "first", "--json")
    done = process(*SIM, *again, *QUIET, cwd=swing, XDG_STATE_HOME=state)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["repeats"]["same"] is True
    assert all(one.startswith("parameter law: ") for one in document["repeats"]["inputs"])


def test_junit_holds_a_case_for_the_bits_of_each_table(sim_command, first):
    write_swing(first, urdf=URDF.replace('<mass value="1.5"/>', '<mass value="1.6"/>'))
    assert repeat(sim_command, "--junit", "junit.xml").status == 1
    (suite,) = ET.parse(first / "junit.xml").getroot()
    cases = {case.get("name"): case for case in suite}
    for name in ("recording.parquet", "analytic.parquet"):
        failure = cases[f"same to the bit as first {name}"].find("failure")
        assert "limit 0" in failure.get("message")
    assert suite.get("failures") == "2"


def test_an_engine_that_is_not_the_same_twice_is_found_out(sim_command, first, monkeypatch):
    """The least change of one number: one bit of one sample of one table."""
    whole = run_scripts.run

    def shaken(*arguments, **options):
        recording = whole(*arguments, **options)
        values = recording.recorded["tau.elbow"].to_numpy().copy()
        values[7] = np.nextafter(values[7], math.inf)
        recording.recorded["tau.elbow"] = values
        return recording

    monkeypatch.setattr(run_scripts, "run", shaken)
    done = repeat(sim_command, "--json")
    tables = done.document["repeats"]["tables"]
    assert done.status == 1
    assert tables["recording.parquet"]["apart"] == ["tau.elbow"]
    assert tables["recording.parquet"]["furthest"]["at"] == pytest.approx(0.014)
    assert tables["analytic.parquet"]["same"] is True
