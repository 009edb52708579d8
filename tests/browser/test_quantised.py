"""Curves in whole steps, unpacked by the page in a real Chromium."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sim.checks import judge
from sim.reports.page.data import curves
from sim.reports.page.page import write_page
from tests.helpers.opened_page import Opened, leaving_pages
from tests.helpers.page_runs import curves_of, good_run, judged


def strange_run():
    """A run with gaps, and with channels that are constant, tiny and huge."""
    recorded, model = good_run().recorded.copy(), good_run().analytic.copy()
    recorded.loc[recorded.index[[0, 120, 121, 122]], "tau.elbow"] = [
        np.nan,
        np.inf,
        -np.inf,
        np.nan,
    ]
    recorded["q.shoulder"] = model["q.shoulder"] = 9.81
    for name, factor in (("work.shoulder", 1e-300), ("work.elbow", 1e140)):
        recorded[name] *= factor
        model[name] *= factor
    return judged(replace(good_run(), recorded=recorded, analytic=model))


@pytest.fixture(scope="module")
def run():
    return strange_run()


@pytest.fixture(scope="module")
def opened(flat_browser, run, tmp_path_factory):
    path = tmp_path_factory.mktemp("quantised") / "report.html"
    write_page(path, run)
    with leaving_pages():
        yield Opened(flat_browser, path, accept_downloads=True).ready().page


def in_browser(opened, name):
    """A curve of the page's script; what is no number in words, which JSON lacks."""
    curves = opened.evaluate(
        """name => [run.channels.get(name).recorded, run.channels.get(name).error]
        .map(values => Array.from(values, String))""",
        name,
    )
    return [np.array([float(v.replace("Infinity", "inf")) for v in one]) for one in curves]


def test_the_page_reads_each_curve_to_the_bit_and_within_its_bound(opened, run):
    found = curves(run, judge(run))
    python = curves_of(found.meta, found.block)
    for one in found.meta.channels:
        recorded, error = in_browser(opened, one.id)
        assert np.array_equal(recorded, python[one.id]["recorded"], equal_nan=True)
        assert np.array_equal(error, python[one.id]["error"], equal_nan=True)
        if one.derived:
            continue
        wanted, model = (t[one.id].to_numpy() for t in (run.recorded, run.analytic))
        real = np.isfinite(wanted)
        assert np.array_equal(recorded[~real], wanted[~real], equal_nan=True)
        off = np.abs(recorded[real] - wanted[real]).max()
        exact = wanted[real] - model[real]
        off_error = np.abs(error[real] - exact).max()
        largest = np.abs(wanted[real]).max()
        half = np.inf if one.limit is None else one.limit / 10
        assert off <= max(min(1e-4 * np.ptp(wanted[real]), half), 2.0**-22 * largest), one.id
        assert off_error <= max(
            half if one.limit is not None else 1e-3 * largest, 2.0**-48 * largest
        ), one.id


def test_no_number_has_digits_below_the_step(opened, run, tmp_path):
    step = opened.evaluate("run.channels.get('tau.shoulder').steps[0]")
    place = int(np.floor(np.log10(step)))
    with opened.expect_download() as waiting:
        card = opened.locator('[id="ch-tau.shoulder"]')
        card.scroll_into_view_if_needed()
        card.hover()
        card.locator("button[aria-haspopup]").click()
        opened.get_by_role("menuitem", name="Save as CSV").click()
    path = tmp_path / "tau.csv"
    waiting.value.save_as(path)
    words = pd.read_csv(path, dtype=str)["tau.shoulder recorded [N·m]"]
    assert max(len(word.partition(".")[2]) for word in words) <= -place
    wanted = run.recorded["tau.shoulder"].to_numpy()
    assert np.abs(words.astype(float).to_numpy() - wanted).max() <= step
    # four digits at a value, and fewer where it is small beside the step
    for value in (12.3456, 0.123456, 2 * step, 0.4 * step):
        said = opened.evaluate("([v, step]) => run.plots.text(v, 0, step)", [value, step])
        shown = float(said.replace("−", "-"))
        digits = round(shown / 10.0**place)
        assert shown == pytest.approx(digits * 10.0**place, abs=1e-9 * step)
        assert abs(shown - value) <= max(step, 5e-4 * value)


def test_the_statistics_name_the_step(opened):
    opened.evaluate("() => { run.state.statistics = true; run.tell('statistics'); }")
    opened.locator('[id="ch-tau.shoulder"]').scroll_into_view_if_needed()
    title = opened.locator('[id="ch-tau.shoulder"] .sums > div').get_attribute("title")
    assert "Values are kept in steps of" in title
    assert title.endswith(" N·m.")
