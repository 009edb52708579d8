"""Expressions of channels in a run's page: Python's numbers and units, and what a reader does."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import sim
from sim.curves import WINDOWS, Curve, calculate
from sim.functions import FUNCTIONS, Operation
from sim.reports.page.page import write_page
from tests.curves.test_language import CURVES, VALUES, T
from tests.helpers.opened_page import Opened, leaving_pages
from tests.helpers.page_runs import good_run


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("formulas") / "report.html"
    write_page(path, good_run())
    return path


@pytest.fixture(scope="module")
def opened(flat_browser, path):
    with leaving_pages():
        yield Opened(flat_browser, path, accept_downloads=True).ready()


EVALUATE = """([texts, x, curves]) => {
  const listed = ([name, [v, unit]]) => [name, { v: Float64Array.from(v), unit }];
  const known = new Map(Object.entries(curves).map(listed));
  return texts.map((text) => {
    try {
      const { v, unit } = run.plots.evaluate(run.plots.parse(text), x, known);
      return { v: Array.from(v, (one) => (Number.isFinite(one) ? one : String(one))), unit };
    } catch (error) {
      return { error: error.message };
    }
  });
}"""
SPECTRUM = """([x, v, window, density]) => {
  const { f, values } = run.plots.spectrum(x, v, window, density);
  return [Array.from(f), Array.from(values)];
}"""
CURVE = """(id) => {
  const { x, recorded, steps, unit, off } = run.channels.get(id);
  return { t: x, values: recorded, step: steps[0], unit, off };
}"""


def in_page(opened, texts, x, curves):
    plain = {name: (one.values.tolist(), one.unit) for name, one in curves.items()}
    return opened.js(EVALUATE, [list(texts), list(map(float, x)), plain])


def test_every_expression_has_the_values_and_the_unit_that_python_has(opened):
    few = slice(None, None, 40)
    curves = {name: Curve(T[few], one.values[few], one.unit) for name, one in CURVES.items()}
    texts = [text for text, _, _ in VALUES]
    texts += [
        "DIF(q.a)",
        "dif(dif(q.a))",
        "INTEGRAL(tau.a*qd.a)",
        "tau.a/DIF(q.a)",
        "q.a**0.5",
        "q.a**-2",
        "u/q.a",
        "LOG(q.a)",
        "SQRT(tau.a)",
        "ACOS(2*u)",
        "2**3**q.a",
        "-2**2*q.a",
    ]
    for text, found in zip(texts, in_page(opened, texts, T[few], curves), strict=True):
        own = calculate(text, curves)
        values = np.array(found["v"], dtype=float)
        np.testing.assert_allclose(values, own.values, rtol=1e-12, atol=1e-12, err_msg=text)
        assert found["unit"] == own.unit, text


def test_a_function_of_one_row_is_in_the_page(flat_browser, tmp_path, monkeypatch):
    row = Operation("FUNNEL(x)", text="x*EXP(-x**2)")
    monkeypatch.setitem(FUNCTIONS, "FUNNEL", row)
    write_page(tmp_path / "report.html", good_run())
    opened = Opened(flat_browser, tmp_path / "report.html").ready()
    curves = {"q.a": Curve(T[:9], T[:9] ** 2, "rad")}
    (found,) = in_page(opened, ["2*FUNNEL(q.a)"], T[:9], curves)
    own = calculate("2*FUNNEL(q.a)", curves)
    np.testing.assert_allclose(found["v"], own.values, rtol=1e-15)
    assert found["unit"] == own.unit == "rad"


def test_slopes_and_areas_of_uneven_samples_are_those_of_python(opened):
    x = np.cumsum(np.random.default_rng(3).uniform(0.01, 0.2, 60))
    curves = {"v": Curve(x, np.sin(x) + x**2, "m/s")}
    texts = ["DIF(v)", "INTEGRAL(v)"]
    for text, found in zip(texts, in_page(opened, texts, x, curves), strict=True):
        own = calculate(text, curves)
        np.testing.assert_allclose(found["v"], own.values, rtol=1e-11, err_msg=text)
        assert found["unit"] == own.unit


@pytest.mark.parametrize("order", [1, 2, 3, 4, 7])
def test_the_filter_is_that_of_scipy(opened, order):
    t = np.linspace(0, 1, 401)
    curves = {"v": Curve(t, 3 + np.sin(20 * t) + np.sin(500 * t), "N")}
    texts = [f"FILTER(v, 12, {order})", f"FILTER(v, 150, {order})"]
    for text, found in zip(texts, in_page(opened, texts, t, curves), strict=True):
        np.testing.assert_allclose(found["v"], calculate(text, curves).values, rtol=0, atol=1e-9)
        assert found["unit"] == "N"


@pytest.mark.parametrize("count", [101, 128, 302])
def test_the_spectrum_is_that_of_scipy(opened, count):
    t = np.linspace(0, 2, count)
    curve = Curve(t, 2 + np.sin(2 * np.pi * 7 * t) + t, "N·m")
    for window in WINDOWS:
        for density in (False, True):
            found = opened.js(
                SPECTRUM,
                [t.tolist(), curve.values.tolist(), window, density],
            )
            own = curve.spectrum(window, density=density)
            np.testing.assert_allclose(found[0], own.f, rtol=1e-12)
            np.testing.assert_allclose(found[1], own.values, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("q.a + qd.a", "not rad and rad/s"),
        ("q.a - tau.a", "not rad and N·m"),
        ("SIN(tau.a)", "is a number, not in N·m"),
        ("q.b", "there is no channel q.b"),
        ("INT(q.a)", "AINT(x) cuts off decimals"),
        ("DELAY(q.a, 1, 0)", "DELAY is no function of curves"),
        ("DIF(q.a, 2)", "DIF requires 1 arguments; here it has 2"),
        ("FILTER(q.a, 600)", "half the sampling rate"),
        ("INTEGRAL(SQRT(0 - 1 + 0*VALUE(q.a)))", "all samples must be finite"),
        ("FILTER(LOG(0 - 1 + 0*VALUE(q.a)), 5)", "all samples must be finite"),
        ("FILTER(q.a, 5, 2.5)", "a whole number"),
        ("IF(q.a, 1, 2, 3)", "may not stand here in IF"),
        ("q.a*", "missing at the end"),
        ("(q.a", "not closed"),
        ("q.a qd.a", "an operator is missing"),
        ("q.a^2", "'^' has no meaning"),
        ("", "missing at the end"),
        ("-" * 5000 + "q.a", "nested"),
    ],
)
def test_what_python_refuses_the_page_refuses(opened, text, words):
    (found,) = in_page(opened, [text], T, CURVES)
    assert words in found.get("error", "")
    with pytest.raises(sim.SimError):
        calculate(text, CURVES)


def test_a_typed_expression_becomes_a_plot_that_the_address_keeps(flat_browser, path, opened):
    opened.page.click("#own")
    box = opened.page.get_by_label("Expression of channels")
    box.fill("tau.elbow*qd.elbow + q.elbow")
    assert "of one unit, not W and rad" in opened.page.locator(".picker [role=status]").inner_text()
    assert opened.page.get_by_role("button", name="Plot", exact=True).is_disabled()
    box.fill("tau.elbow*qd.elbow")
    box.press("Enter")
    card = opened.page.locator('[id="ch-plot:tau.elbow*qd.elbow"]')
    card.wait_for()
    card.get_by_text("[W]").first.wait_for()
    # its curve is the product of what the page holds, to the step that the page says
    curve = opened.js(CURVE, "tau.elbow*qd.elbow")
    power = good_run()["power.elbow"]
    off = np.abs(np.interp(curve["t"], power.index, power) - curve["values"])
    assert off.max() <= curve["step"] < 1e-3 * np.abs(power).max()
    # a reader's own plots are read from the address again
    opened.until("location.hash.includes('plot=')")
    address = f"{opened.js('location.hash')}&plot=1e7*tau.elbow"
    again = Opened(flat_browser, path, address).ready()
    again.page.locator('[id="ch-plot:tau.elbow*qd.elbow"]').wait_for()
    large = again.page.locator('[id="ch-plot:1e7*tau.elbow"] .entry output').first
    again.until(
        "document.querySelector('[id=\"ch-plot:1e7*tau.elbow\"] .entry output').textContent"
    )
    # four digits, with an exponent too
    assert re.match(r"−?\d\.\d{3}e\d", large.inner_text())


def test_statistics_between_the_marks_are_those_of_python(opened):
    opened.js("run.pause()")
    opened.menu("tau.elbow", "Integral")
    opened.page.locator('[id="ch-plot:INTEGRAL(tau.elbow)"]').wait_for()
    curve = opened.js(CURVE, "INTEGRAL(tau.elbow)")
    statistics = "([x, v]) => run.plots.statistics(x, v, 0.05, 0.2)"
    found = opened.js(statistics, [curve["t"], curve["values"]])
    own = good_run().math("INTEGRAL(tau.elbow)")
    marks = own.statistics(0.05, 0.2)
    assert curve["unit"] == own.unit == "N·m·s"
    for name in ("mean", "rms"):
        assert found[name] == pytest.approx(getattr(marks, name), abs=curve["step"])
    for name in ("min", "max"):
        wanted = getattr(marks, name).value
        assert found[name]["value"] == pytest.approx(wanted, abs=curve["step"])


def test_a_menu_gives_the_derivative_a_filter_and_a_spectrum(opened):
    opened.menu("qd.elbow", "Derivative")
    opened.page.locator('[id="ch-plot:DIF(qd.elbow)"]').wait_for()
    curve, own = opened.js(CURVE, "DIF(qd.elbow)"), good_run().math("DIF(qd.elbow)")
    off = np.abs(np.array(curve["values"]) - good_run()["qdd.elbow"]).max()
    assert off <= curve["step"] + curve["off"]
    # it is the estimate that Python makes, of the values that the page holds, one end beside it
    assert curve["off"] == pytest.approx(own.error, abs=own.error / 10 + 8 * curve["step"])
    assert curve["unit"] == "rad/s²"
    opened.page.once("dialog", lambda dialog: dialog.accept("40"))
    opened.menu("qd.elbow", "Filtered…")
    opened.page.locator('[id="ch-plot:FILTER(qd.elbow%2C 40)"]').wait_for()
    opened.menu("tau.elbow", "Spectrum")
    plane = opened.page.locator('[data-plane="tau.elbow~frequency"]')
    plane.wait_for()
    opened.until(
        "document.querySelector('[data-plane=\"tau.elbow~frequency\"] output').textContent"
    )
    said = plane.locator("output").inner_text()
    lines = good_run().math("tau.elbow").spectrum()
    k = 1 + int(np.argmax(lines.values[1:]))
    assert said == f"highest {lines.values[k]:.4g} at {lines.f[k]:.4g} Hz"
    assert "[N·m] hann, 0–0.3000 s" in plane.inner_text()


def test_what_is_typed_and_not_plotted_is_no_channel(opened):
    before = opened.js("run.channels.size")
    opened.page.click("#own")
    box = opened.page.get_by_label("Expression of channels")
    for text in ("q.elbow", "q.elbow*2", "q.elbow*23"):
        box.fill(text)
    assert "1 channel over time" in opened.page.locator(".picker [role=status]").inner_text()
    opened.page.get_by_role("button", name="Cancel").click()
    assert opened.js("run.channels.size") == before


def test_a_spectrum_has_other_windows_and_is_saved_as_a_table(opened):
    opened.menu("tau.shoulder", "Spectrum")
    plane = opened.page.locator('[data-plane="tau.shoulder~frequency"]')
    plane.wait_for()

    def choose(item):
        plane.hover()
        plane.locator("button[aria-haspopup]").click()
        opened.page.get_by_role("menuitem", name=item).click()

    choose("No window")
    choose("Density")
    assert "[(N·m)²/Hz] no window" in plane.inner_text()
    with opened.page.expect_download() as waiting:
        choose("Save as CSV")
    table = pd.read_csv(waiting.value.path())
    assert list(table) == [
        "frequency [Hz]", "recorded [(N·m)²/Hz]", "analytic [(N·m)²/Hz]",
    ]  # fmt: skip
    own = good_run().math("tau.shoulder").spectrum("boxcar", density=True)
    shown = own.values[: len(table)]
    np.testing.assert_allclose(table.iloc[:, 0], own.f[: len(table)], rtol=1e-12)
    # the page's values have steps of 1/65536 of their span
    np.testing.assert_allclose(table.iloc[:, 1], shown, rtol=0, atol=1e-3 * shown.max())
