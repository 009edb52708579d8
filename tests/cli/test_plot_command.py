"""`sim plot`: table, figures, files and JSON of expressions over a run."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from tests.helpers.short_runs import short_run


@pytest.fixture
def plotting(sim_command, tmp_path):
    """The command, in a folder with a run."""
    (tmp_path / "run").mkdir()
    short_run().write(tmp_path / "run")
    return sim_command


def test_the_table_has_the_figures_of_each_expression(plotting):
    done = plotting("plot", "run", "tau.*", "INTEGRAL(tau.elbow*qd.elbow)", "--from", "0.1")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "swing  from 0.1 to 0.3 s"
    rows = {words[0]: words[1:] for line in lines if len(words := line.split()) > 5}
    tau = short_run().math("tau.elbow").statistics(0.1)
    assert rows["tau.elbow"][:2] == ["N·m", f"{tau.min.value:.5g}"]
    assert rows["tau.elbow"][6] == f"{tau.rms:.5g}"
    # the integral is that from the start of the run, also where it is shown from later on
    work = short_run().math("INTEGRAL(tau.elbow*qd.elbow)").statistics(0.1)
    assert rows["INTEGRAL(tau.elbow*qd.elbow)"][:2] == ["J", f"{work.min.value:.5g}"]
    assert "tau.shoulder" in rows


def test_json_says_the_same_and_the_highest_lines(plotting):
    done = plotting(
        "plot", "run", "q.elbow", "--fft", "--window", "boxcar", "--filter", "50Hz", "--json"
    )
    assert (done.status, done.err) == (0, "")
    (curve,) = json.loads(done.out)["curves"]
    assert curve["expression"] == "FILTER(q.elbow, 50, 4)"
    own = short_run().math(curve["expression"])
    assert curve["rms"] == own.statistics().rms
    assert curve["sampling_error"] == own.error
    assert curve["spectrum"]["step"] == pytest.approx(1 / 0.3, rel=1e-12)
    assert (curve["spectrum"]["unit"], curve["spectrum"]["kind"]) == ("rad", "amplitude")


def test_files_are_written_by_their_endings_and_again(plotting, tmp_path):
    for name in ("a.png", "a.csv", "a.pdf", "a.png"):
        done = plotting("plot", "run", "tau.elbow", "DIF(q.elbow)", "--out", name)
        assert (done.status, done.err) == (0, "")
        assert done.out.splitlines()[-1] == f"file     {name}"
    picture = Image.open(io.BytesIO((tmp_path / "a.png").read_bytes()))
    assert picture.width > 1000
    assert picture.height > 600
    assert len(np.unique(np.asarray(picture.convert("L")))) > 50  # something is drawn
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    table = pd.read_csv(tmp_path / "a.csv")
    assert list(table)[:2] == ["t [s]", "tau.elbow recorded [N·m]"]
    column = table["DIF(q.elbow) analytic [rad/s]"]
    np.testing.assert_array_equal(column, short_run().math("DIF(q.elbow)", analytic=True).values)


def test_a_spectrum_is_written_as_a_table_and_a_figure(plotting, tmp_path):
    for name in ("f.csv", "f.csv", "f.svg"):
        done = plotting("plot", "run", "tau.elbow", "--psd", "--out", name)
        assert (done.status, done.err) == (0, "")
    own = short_run().math("tau.elbow").spectrum(density=True)
    table = pd.read_csv(tmp_path / "f.csv")
    np.testing.assert_array_equal(table["f [Hz]"], own.f)
    np.testing.assert_array_equal(table["tau.elbow recorded [(N·m)²/Hz]"], own.values)
    words = (tmp_path / "f.svg").read_text("utf-8")
    assert all(word in words for word in ("tau.elbow", "frequency [Hz]", "analytic (Lagrange)"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing", "q.elbow"), "no run 'nothing'"),
        (("run",), "required: EXPR"),
        (("run", "q.elbw"), "there is no channel 'q.elbw'; the nearest are q.elbow"),
        (("run", "q.elbow + tau.elbow"), "of one unit, not rad and N·m"),
        (("run", "zz.*"), "No channel matches 'zz.*'"),
        (("run", "q.elbow", "--filter", "600Hz"), "half the sampling rate of 1000 Hz"),
        (("run", "q.elbow", "--filter", "fast"), "a frequency such as 10Hz; got 'fast'"),
        (("run", "q.elbow", "--order", "3"), "--order requires --filter"),
        (("run", "q.elbow", "--window", "hann"), "--window requires --fft or --psd"),
        (("run", "q.elbow", "--fft", "--psd"), "choose one"),
        (("run", "q.elbow", "--fft", "--window", "x"), "choose one of hann"),
        (("run", "q.elbow", "--from", "2"), "lasts from 0 to 0.3 s"),
        (("run", "q.elbow", "--out", "a.gif"), ".png, .svg, .pdf, .csv"),
        (("run", "q.elbow", "--out", "no/a.png"), "no is not a folder"),
        (("run", "q.elbow", "--out", "run/recording.parquet"), "unknown file type"),
        (("run", *(f"{k}*q.elbow" for k in range(13)), "--out", "a.png"), "at most 12"),
    ],
)
def test_what_cannot_be_plotted_says_so_and_leaves_nothing(plotting, tmp_path, arguments, words):
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    failed = plotting("plot", *arguments)
    assert failed.status == 2
    assert words in failed.err
    assert failed.err.startswith("sim")
    assert all(line.startswith("    ") for line in failed.err.splitlines()[1:])
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_curve_with_gaps_says_how_many(plotting):
    done = plotting("plot", "run", "SQRT(time - 0.205)", "time")
    t = short_run().t
    gaps = int(np.sum(t < 0.205))
    words = f"has no value at {gaps} of {t.size} samples, first at 0 s; statistics cover the"
    assert (done.status, done.out.count("has no value")) == (0, 1)
    assert words in " ".join(done.out.split())
    document = json.loads(plotting("plot", "run", "SQRT(time - 0.205)", "--json").out)
    assert document["curves"][0]["without_value"] == gaps


def test_a_curve_is_written_over_another_channel(plotting, tmp_path):
    done = plotting("plot", "run", "tau.elbow", "--over", "q.elbow", "--out", "over.csv")
    assert (done.status, done.err) == (0, "")
    table = pd.read_csv(tmp_path / "over.csv")
    run = short_run().recorded
    assert list(table.columns[:2]) == ["t [s]", "q.elbow [rad]"]
    assert table["q.elbow [rad]"].to_numpy() == pytest.approx(run["q.elbow"].to_numpy())
    assert plotting("plot", "run", "tau.elbow", "--over", "q.elbow", "--out", "a.png").status == 0
    assert plotting("plot", "run", "q.elbow", "--over", "q.elbow", "--fft").status == 2


def test_several_runs_are_plotted_together(plotting, tmp_path):
    (tmp_path / "other").mkdir()
    other = short_run().with_description(parameters={"load": 9.0})
    other.write(tmp_path / "other")
    done = plotting("plot", "run", "tau.elbow", "--with", "other", "--out", "both.svg", "--json")
    assert (done.status, done.err) == (0, "")
    first, second = json.loads(done.out)["curves"]
    assert "run" not in first
    assert second["run"] == "load = 9"


def test_a_pattern_that_matches_nothing_lists_the_groups(plotting):
    done = plotting("plot", "run", "tua.*")
    assert done.status == 2
    assert "No channel matches 'tua.*'; groups of channels: q, qd, qdd, tau" in done.err
