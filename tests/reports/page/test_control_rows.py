"""The controller's part of a page and of the terminal, against the tables of the run."""

import re

import numpy as np
import pytest

import sim
from sim.reports.page.control_rows import control_table
from sim.reports.terminal.summary import control_lines
from tests.helpers.controlled_runs import controlled, controlled_crane, controlled_four_bar
from tests.helpers.page_runs import good_run


def test_a_row_has_the_largest_values_of_its_tables():
    table, recorded = control_table(controlled()), controlled().recorded
    turn, slide = table.rows
    error = recorded["tracking.turn"].abs()
    assert turn.error == f"{np.degrees(error.max()):.3g} °"
    assert turn.error_at == error.idxmax()
    rms = np.sqrt(np.mean(np.square(recorded["tracking.slide"])))
    assert slide.rms == f"{1e3 * rms:.3g} mm"
    assert (turn.limit, turn.used, turn.cut_off) == ("none", "–", "0 %")
    cut = recorded["saturated.slide"].mean()
    assert 0.02 < cut < 0.98
    assert (slide.limit, slide.cut_off) == ("12 N", f"{100 * cut:.0f} %")
    peak = recorded["command.slide"].abs().max()
    assert slide.command == f"{peak:.4g} N"


def test_a_figure_shows_where_the_command_is_cut_off_and_both_courses():
    row = control_table(controlled()).rows[1]
    answer, error, command = (one.svg for one in row.figures)
    assert [one.count("<polyline") for one in (answer, error, command)] == [2, 1, 1]
    wide = sum(float(x) for x in re.findall(r'class="cut" .*? width="([\d.]+)"', command))
    assert wide / 234 == pytest.approx(controlled().recorded["saturated.slide"].mean(), abs=0.05)
    assert 'class="most"' in command
    assert 'class="most"' not in answer + error


def test_it_says_law_clock_and_source_in_a_line():
    about = control_table(controlled()).about
    assert re.fullmatch(r"pushing, sample time 10 ms, 2-sample delay, source [0-9a-f]{12}", about)


def test_the_terminal_has_a_line_of_it():
    (line,) = control_lines(controlled())
    error, text = controlled().recorded["tracking.slide"].abs(), str(line.text)
    assert "tracking error at most" in text
    assert f"and {1e3 * error.max():.4g} mm (slide at {error.idxmax():.6g} s); commands" in text
    share = round(100 * controlled().recorded["saturated.slide"].mean())
    assert f"saturated {share} % of the time" in text


def test_joints_without_a_motor_are_neither_in_the_table_nor_in_the_line():
    """A crane whose load swings, and a four-bar: only what a motor drives is tracked."""
    swinging, loop = controlled_crane(), controlled_four_bar()
    for recording, driven, others in (
        (swinging, ["slide"], ("swivel.x", "swivel.y", "swivel.z")),
        (loop, ["crank_joint"], ("rocker_joint", "coupler_joint")),
    ):
        assert all(check.ok for check in sim.check(recording))
        assert recording.run.controller.idle == others
        assert [row.joint for row in control_table(recording).rows] == driven
        (line,) = control_lines(recording)
        assert not any(name in str(line.text) for name in others)


def test_a_run_of_drives_has_neither():
    assert control_table(good_run()) is None
    assert control_lines(good_run()) == []
