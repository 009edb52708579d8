"""Two tables of closed forms: other times, units, delays, corners, and what each measure judges."""

import json
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from lxml import html

from sim import compare_tables
from sim.cli.command import status
from sim.comparison import read_rules
from sim.errors import ForeignError, RecordingError
from sim.foreign import naming_of

OURS, THEIRS = np.linspace(0, 2, 201), np.linspace(0.003, 1.99, 150)


def table(path, t, columns, delimiter=","):
    rows = [delimiter.join(columns)]
    values = [t, *(curve(t) if callable(curve) else curve for curve in columns.values() if curve)]
    rows += [delimiter.join(f"{x:.9g}" for x in row) for row in zip(*values, strict=True)]
    path.write_text("\n".join(rows))
    return path


def q(t):
    return np.sin(3 * t)


def saw(t):
    return np.abs(t % 0.5 - 0.25)


@pytest.fixture
def ours(tmp_path):
    columns = {"time [s]": None, "q.elbow [rad]": q, "saw [mm]": lambda t: 1e3 * saw(t)}
    return table(tmp_path / "ours.csv", OURS, columns)


@pytest.fixture
def write(tmp_path):
    def write_theirs(angle=q, way=saw, t=THEIRS, late=0.0):
        columns = {
            "t": None, "q.elbow [deg]": lambda x: np.degrees(angle(x - late)),
            "saw [m]": lambda x: way(x - late), "extra": lambda x: 0 * x,
        }  # fmt: skip
        return table(tmp_path / "theirs.csv", t, columns, ";")

    return write_theirs


def worst(found):
    return {d.channel: d.worst for d in found.result.differences}


def test_other_times_units_and_corners_are_no_difference(ours, write):
    found = compare_tables(ours, write(), by=("rtol", "peak", "lag"))
    assert found.ok
    size = worst(found)
    # the cubic through four samples 10 ms apart: h⁴ |q''''| 3/128 = 1.9e-8 rad, and the print
    assert size["q.elbow"] < 2.5e-8
    assert size["saw"] == 0.0  # between two samples about a corner all that lies between is ours
    assert size["lag of q.elbow"] < 1e-7
    notes = found.result.notes
    assert "ignored, no channel has this name: extra" in notes
    assert any(
        note.startswith("compared at 150 times from 0.003 to 1.99 s; ours.csv") for note in notes
    )


@pytest.mark.parametrize("late", [0.02, -0.013])
def test_a_delay_is_measured_and_named(ours, write, late):
    found = compare_tables(ours, write(late=late), by=("lag",))
    assert not found.ok
    assert worst(found)["lag of q.elbow"] == pytest.approx(abs(late), abs=1e-8)
    way = "later" if late > 0 else "earlier"
    assert any(
        f"{1e3 * abs(late):.3g} ms {way} than the run" in note for note in found.result.notes
    )


def test_a_delay_below_half_a_step_and_equal_peaks_pass_where_values_do_not(ours, write):
    theirs = write(late=0.004)
    assert compare_tables(ours, theirs, by=("peak", "lag")).ok
    assert not compare_tables(ours, theirs).ok


def test_a_peak_is_judged_apart_from_values(ours, write):
    found = compare_tables(ours, write(angle=lambda t: 1.002 * q(t)), by=("peak",))
    assert not found.ok
    peak = np.abs(q(THEIRS)).max()
    assert worst(found)["peak of q.elbow"] == pytest.approx(0.002 * peak, rel=1e-5)
    assert compare_tables(ours, write(angle=lambda t: 1.002 * q(t)), by=("peak",), rtol=3e-3).ok


def test_causes_are_named_as_for_runs(ours, write):
    found = compare_tables(ours, write(angle=lambda t: -q(t)))
    assert any("opposite sign" in note for note in found.result.notes)


def write_plain(path, t=OURS, **columns):
    return table(
        path, t, {"time": None, **{key.replace("_", "."): y for key, y in columns.items()}}
    )


def both(t):
    return 3 * np.sin(3 * t) + np.cos(7 * t)


@pytest.mark.parametrize(
    ("theirs", "cause"),
    [
        (lambda t: 1.37 * both(t), "x.a: the run is 0.7299 times the external curve throughout"),
        (
            lambda t: 1.1 * both(t) + 3,
            "x.a: the run is 0.9091 times the external curve less 2.727 1 throughout",
        ),
        (lambda t: both(t) + 3, "x.a: the external curve is larger by a constant 3 1"),
        (
            lambda t: both(1.02 * t),
            "the external clock is 2 % slow; external times × 1.02 match the run",
        ),
        (lambda t: -both(t - 0.02), "their time, with other units or signs, explains it"),
        (lambda t: both(t) * np.exp(-t), None),
    ],
)
def test_the_cause_is_the_one_that_was_made(tmp_path, theirs, cause):
    ours = write_plain(tmp_path / "a.csv", x_a=both, x_b=q)
    rate = 1.02 if "1.02" in str(cause) else 1.0
    made = write_plain(tmp_path / "b.csv", x_a=theirs, x_b=lambda t: q(rate * t))
    notes = compare_tables(ours, made).result.notes
    words = ("throughout", "constant", "explains", "sign", "swapped")
    found = [note for note in notes if any(word in note for word in words)]
    assert bool(found) == (cause is not None)
    assert cause is None or any(cause in note for note in found)


def test_times_in_another_unit_are_named_either_way(tmp_path):
    told = table(tmp_path / "told.csv", OURS, {"time [s]": None, "x": both})
    plain = write_plain(tmp_path / "plain.csv", 1e3 * OURS, x=lambda t: both(t / 1e3))
    for one, two in ((told, plain), (plain, told)):
        if one is told:
            with pytest.raises(
                ForeignError, match=r"times of plain.csv in ms\? Set --unit TIME=ms"
            ):
                compare_tables(one, two)
        else:
            notes = compare_tables(one, two).result.notes
            assert any(
                "are the times of the run in ms? Set --unit TIME=ms" in note for note in notes
            )
        assert compare_tables(one, two, naming=naming_of(units=["time=ms"])).ok
    later = tmp_path / "later.csv"
    later.write_text("\n".join(["time,x", *(f"{1732600123.25 + t:.14g},{both(t)}" for t in OURS)]))
    with pytest.raises(ForeignError, match=r"--start 1732600123.25"):
        compare_tables(told, later)


def test_a_gap_in_either_table_is_an_error_and_text_is_left_out(tmp_path):
    rows = ["time,x,phase", *(f"{t},{both(t)},go" for t in OURS)]
    (tmp_path / "whole.csv").write_text("\n".join(rows))
    rows[50] = "0.49,,go"
    (tmp_path / "gap.csv").write_text("\n".join(rows))
    for pair in (("whole.csv", "gap.csv"), ("gap.csv", "whole.csv")):
        with pytest.raises(ForeignError, match=r"gap.csv: column 'x' is blank in line 51"):
            compare_tables(*(tmp_path / name for name in pair))
    assert compare_tables(tmp_path / "whole.csv", tmp_path / "whole.csv").ok


def test_a_constant_is_no_delay(tmp_path):
    ours = write_plain(tmp_path / "a.csv", x=both)
    late = write_plain(tmp_path / "b.csv", x=lambda t: both(t - 0.02) + 9)
    (delay,) = compare_tables(ours, late, by=("lag",)).result.differences
    assert delay.worst == pytest.approx(0.02, abs=1e-6)


def test_many_columns_are_named_in_short(tmp_path):
    names = {f"c{k}": lambda t, k=k: np.sin(t + k) for k in range(40)}
    ours = write_plain(tmp_path / "a.csv", **names)
    found = compare_tables(ours, ours)
    assert any(note.endswith("c10, c11 and 28 more") for note in found.result.notes)


def test_units_that_only_one_table_has_are_those_of_both(tmp_path, ours):
    bare = table(tmp_path / "bare.csv", THEIRS, {"t": None, "q.elbow": q})
    assert compare_tables(ours, bare).ok
    assert not compare_tables(ours, bare, naming=naming_of(units=["q.elbow=deg"])).ok


def test_names_times_and_units_of_either_table_can_be_told(tmp_path):
    one = table(tmp_path / "one.csv", OURS, {"clock": None, "angle": q})
    two = table(tmp_path / "two.csv", THEIRS, {"ms": None, "Winkel": q})
    wanted = ["clock=t", "ms=t", "Winkel=angle"]
    assert compare_tables(one, two, naming=naming_of(wanted)).ok
    with pytest.raises(ForeignError, match=r"one.csv has no time.*--map THEIRS=t"):
        compare_tables(one, two)
    with pytest.raises(ForeignError, match=r"one.csv has no channel 'wrist'"):
        compare_tables(one, two, naming=naming_of([*wanted[:2], "Winkel=wrist"]))
    with pytest.raises(ForeignError, match="which is not there"):
        compare_tables(one, two, naming=naming_of([*wanted, "elbow=angle"]))


def test_rules_give_other_limits_by_curve(tmp_path, ours, write):
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\nchannels = "q.*"\nabsolute = 0.1\nunit = "rad"\nreason = "print"\n')
    found = compare_tables(ours, write(angle=lambda t: q(t) + 0.09), rules=read_rules(rules))
    assert found.ok
    rules.write_text('[[rule]]\nchannels = "tau.*"\nrelative = 0.1\nreason = "none here"\n')
    with pytest.raises(RecordingError, match=r"'tau\.\*' matches no channel"):
        compare_tables(ours, write(), rules=read_rules(rules))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("q.elbow,saw\n1,2\n2,3\n", "has no time"),
        ("t,q.elbow\n0,1\n", "contains no table"),
        ("t,time,q.elbow\n0,5,1\n1,6,2\n2,7,4\n", "has two times, 't' and 'time'"),
        ("t,wrist\n0,1\n1,2\n", "no column has the name of a channel of ours.csv"),
        ("t,q.elbow\n7,1\n8,2\n", "no time in common with ours.csv"),
        ("t,q.elbow [kg]\n0,1\n1,2\n", "is not of the same quantity as 'rad'"),
    ],
)
def test_what_cannot_be_compared_is_said(tmp_path, ours, text, words):
    other = tmp_path / "other.csv"
    other.write_text(text)
    with pytest.raises(ForeignError, match=words):
        compare_tables(ours, other)


def test_measures_and_tolerance_must_be_some(ours, write):
    with pytest.raises(ForeignError, match="by rtol, peak, lag, got 'tau'"):
        compare_tables(ours, write(), by=("tau",))
    with pytest.raises(ForeignError, match="positive number, got -1"):
        compare_tables(ours, write(), rtol=-1)


def test_the_command_prints_and_writes_page_and_junit(tmp_path, ours, write, capsys):
    theirs, page, junit = write(late=0.02), tmp_path / "found.html", tmp_path / "found.xml"
    options = ["--by", "rtol,lag", "--page", str(page), "--junit", str(junit)]
    assert status(["compare", str(ours), str(theirs), *options]) == 1
    printed = capsys.readouterr().out
    assert "ours.csv against theirs.csv  differs   4 channels, 4 beyond limit" in printed
    suite = ET.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("4", "4")
    document = html.fromstring(page.read_text())
    assert [b.text for b in document.xpath("//figcaption/b")] == ["saw", "q.elbow"]
    assert len(document.xpath("//figure//polyline")) == 6
    assert status(["compare", str(ours), str(write()), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["word"] == "inside tolerance"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{ours}"], "name a second table to compare with it"),
        (["{ours}", "--all"], "--all compares every scenario; leave '{ours}' out"),
        (["{ours}", "ur10_step"], "name the run first: sim compare ur10_step {ours}"),
        (["{ours}", "{ours}", "--run"], "--run is for runs"),
        (["ur10_step", "--by", "lag"], "--by requires two tables"),
        (["{ours}", "{ours}", "--page", "{ours}"], "ours.csv"),
    ],
)
def test_bad_questions_end_with_status_2(ours, capsys, words, message):
    assert status(["compare", *(word.format(ours=ours) for word in words)]) == 2
    assert message.format(ours=ours) in capsys.readouterr().err


def test_a_late_step_in_either_table_is_named(tmp_path):
    def stepped(t):
        return q(t) + np.where(t < 1.2, 0.0, 0.05)

    for k, (mine, theirs, size) in enumerate(((q, stepped, "0.05"), (stepped, q, "-0.05"))):
        folder = tmp_path / str(k)
        folder.mkdir()
        first = table(folder / "a.csv", OURS, {"t [s]": None, "angle [rad]": mine})
        other = table(folder / "b.csv", THEIRS, {"t [s]": None, "angle [rad]": theirs})
        cause = compare_tables(first, other).result.notes[0]
        at = THEIRS[np.searchsorted(THEIRS, 1.2)]
        assert f"from t = {at:.6g} s on the external curve is larger by {size}" in cause, cause
        assert cause.endswith("before they agree")
