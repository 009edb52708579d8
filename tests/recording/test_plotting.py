"""Figures of chosen channels."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import sim
from sim.recording.plotting import MOST_PLOTS
from tests.helpers.short_runs import short_run


def axes(figure):
    return [axis for axis in figure.axes if axis.get_visible()]


def test_each_channel_that_matches_has_a_plot_recorded_over_analytic():
    run = short_run()
    figure = run.plot("tau.*", "q.elbow")
    assert [axis.get_title("left") for axis in axes(figure)] == [
        "tau.shoulder", "tau.elbow", "q.elbow",
    ]  # fmt: skip
    for axis in axes(figure):
        channel = axis.get_title("left")
        recorded, analytic = axis.get_lines()
        for line, table in ((recorded, run.recorded), (analytic, run.analytic)):
            np.testing.assert_array_equal(line.get_xdata(), table.index)
            np.testing.assert_array_equal(line.get_ydata(), table[channel])
    (legend,) = figure.legends
    words = [text.get_text() for text in legend.get_texts()]
    assert words == ["recorded (PyBullet)", "analytic (Lagrange)"]


def test_units_stand_on_the_axes():
    figure = short_run().plot("tau.elbow", "qd.elbow", "tool.wz", "pe")
    labels = [axis.get_ylabel() for axis in axes(figure)]
    assert labels[:3] == ["Torque [N·m]", "Velocity [rad/s]", "Tool [rad/s]"]
    assert labels[-1] == "Potential [J]"


def test_the_lowest_plot_of_each_column_says_what_the_time_is_in():
    seven = axes(short_run().plot("q.*", "qd.*", "tau.*", "pe"))  # rows of three: 3 + 3 + 1
    assert [axis.get_xlabel() for axis in seven] == [*[""] * 4, *["time [s]"] * 3]
    for axis in seven[4:]:
        axis.figure.draw_without_rendering()
        assert any(label.get_visible() and label.get_text() for label in axis.get_xticklabels())


def test_a_reference_is_drawn_where_it_has_the_channel():
    run = short_run()
    table = run.recorded[["tau.elbow"]].iloc[::50] + 1.0
    with_one, without = axes(replace(run, reference=table).plot("tau.elbow", "q.elbow"))
    assert [len(axis.get_lines()) for axis in (with_one, without)] == [3, 2]
    np.testing.assert_array_equal(with_one.get_lines()[2].get_ydata(), table["tau.elbow"])


def test_a_constant_is_not_magnified_rounding():
    run = short_run()
    still = run.recorded.assign(**{"tau.elbow": 5.0 + 1e-13 * np.sin(np.arange(len(run.recorded)))})
    low, high = axes(replace(run, recorded=still).plot("tau.elbow"))[0].get_ylim()
    assert low < 4.9 and high > 5.1


def test_a_figure_can_be_shown_and_written(tmp_path):
    figure = short_run().plot("tau.*")
    assert figure._repr_png_().startswith(b"\x89PNG\r\n")
    for suffix in ("png", "svg", "pdf"):
        figure.savefig(tmp_path / f"torque.{suffix}")
        assert (tmp_path / f"torque.{suffix}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("patterns", "words"),
    [
        (("taw.*",), r"No channel matches 'taw\.\*'; the nearest are tau\.\*"),
        (("tau.*", "tau.elbo"), "No channel matches 'tau.elbo'; the nearest are tau.elbow"),
        ((), r"No pattern of channels is given; there are q\.\* \(2\)"),
        ((3,), r"A pattern of channels is a text such as 'tau\.\*', got 3"),
        ((["tau.*"],), r"A pattern of channels is a text"),
        (("*",), rf"matches \d+ channels; a figure holds at most {MOST_PLOTS}: narrow the pattern"),
    ],
)
def test_a_pattern_that_cannot_be_drawn_is_an_error_that_names_what_is_near(patterns, words):
    with pytest.raises(sim.RecordingError, match=words):
        short_run().plot(*patterns)


def test_matplotlib_is_loaded_by_the_first_plot_and_a_window_never():
    code = (
        "import sys\n"
        "from tests.helpers.short_runs import short_run\n"
        "run = short_run('ideal'); repr(run); run._repr_html_()\n"
        "print('matplotlib' in sys.modules)\n"
        "run.plot('tau.*')._repr_png_()\n"
        "print('matplotlib.figure' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False"]
