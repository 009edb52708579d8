"""Rules in a file."""

import re

import pytest

from sim.comparison.tolerance import FILE, find_rules, read_rules
from sim.errors import RecordingError

GOOD = """
[[rule]]
channels = "tau.*"
relative = 1e-5
absolute = 0.02
unit = "N·m"
scenario = "ur10_*"
reason = "  the drives promise no more "

[[rule]]
channels = "q.*"
relative = 1
reason = "whatever"
"""


def test_a_file_is_read_as_it_stands(tmp_path):
    path = tmp_path / FILE
    path.write_text(GOOD, encoding="utf-8")
    first, second = read_rules(path)
    assert (first.channels, first.relative, first.absolute, first.unit) == (
        "tau.*",
        1e-5,
        0.02,
        "N·m",
    )
    assert (first.scenario, first.source) == ("ur10_*", "tolerances.toml, rule 1")
    assert first.text == "1e-05 of the peak + 0.02 N·m (tolerances.toml, rule 1)"
    assert (second.scenario, second.relative, second.absolute) == ("*", 1.0, 0.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[[rule]]\nchannels = 'q.*'\nrelative = nan\nreason = 'x'",
            "must be finite and not negative",
        ),
        ("relative = -1e-3", "rule 1: relative = -0.001 must"),
        ("relative = nan", "must be finite and not negative"),
        ("absolute = 1.0", "'absolute' requires 'unit'"),
        ("relativ = 1.0", "unknown field `relativ`"),
        ("relative = true", "Expected `float`, got `bool`"),
        ("unit = 3", "Expected `str`, got `int` - at `$.rule[0].unit`"),
    ],
)
def test_an_entry_that_is_none_is_refused_with_its_place(tmp_path, text, said):
    refuse(tmp_path, f"[[rule]]\nchannels = 'q.*'\nreason = 'x'\n{text}", said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[rule]]\nchannels = 'q.*'\nreason = ' '", "must not be empty"),
        ("[[rule]]\nchannels = 'q.*'", "missing required field `reason`"),
        ("rule = 3", "Expected `array`"),
        ("[[rul]]\nchannels = 'q'", "unknown field `rul`"),
        ("= =", "cannot be read as rules"),
        ("x = " + "1" * 5000, "cannot be read as rules"),
        ("x = " + "[" * 100_000, "cannot be read as rules"),
    ],
)
def test_a_rule_that_is_none_is_refused_with_its_place(tmp_path, text, said):
    refuse(tmp_path, text, said)


def refuse(tmp_path, text, said):
    path = tmp_path / FILE
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordingError, match=re.escape(said)) as caught:
        read_rules(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_rules_are_looked_for_beside_the_baselines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sim.comparison.tolerance.shipped.baselines", lambda: tmp_path / "shipped")
    assert find_rules() == ()
    own = tmp_path / "results" / "baselines"
    own.mkdir(parents=True)
    (own / FILE).write_text(GOOD, encoding="utf-8")
    assert len(find_rules()) == 2
    with pytest.raises(RecordingError, match="cannot be read"):
        find_rules(tmp_path / "nothing.toml")
