"""The plots of a run's page in a real Chromium: statistics, own plots, search, saving."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import msgspec
import numpy as np
import pandas as pd
import pytest

from sim.checks import judge, sizing
from sim.reports.page.overlay import Overlay
from sim.reports.page.page import page, write_page
from tests.helpers.opened_page import Opened, leaving_pages
from tests.helpers.page_runs import arm_scene, bad_run, good_run, judged, stretched

TAUS = ("tau.shoulder", "tau.elbow")


def opened_page(browser, path, after=""):
    return Opened(browser, path, after, accept_downloads=True).ready()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("plots") / "report.html"
    write_page(path, bad_run())
    return path


@pytest.fixture
def opened(flat_browser, path):
    with leaving_pages():
        yield opened_page(flat_browser, path)


@pytest.fixture(scope="module")
def lasting(flat_browser, path):
    """A page for all that leaves nothing behind which matters to another."""
    with leaving_pages():
        yield opened_page(flat_browser, path)


STATISTICS = "([x, v, a, b]) => run.plots.statistics(x, v, a, b)"


def test_statistics_of_a_sine_are_those_of_its_closed_form(lasting):
    # 3 + 2 sin(t) over its whole period: mean 3, mean square 9 + 2; uneven samples.
    s = np.linspace(0, 1, 4001)
    t = 2 * np.pi * s * (0.5 + 0.5 * s)
    found = lasting.js(STATISTICS, [t.tolist(), (3 + 2 * np.sin(t)).tolist(), 0, 2 * np.pi])
    # Samples are at most h = 1.5 * 2π / 4000 = 2.4e-3 apart: a chord is within 2 h²/8 of the sine,
    # and so is the nearest sample to a peak.
    near = 2 * (1.5 * 2 * np.pi / 4000) ** 2 / 8
    assert found["mean"] == pytest.approx(3, abs=near)
    assert found["rms"] == pytest.approx(np.sqrt(11), abs=near)
    assert found["min"] == {
        "value": pytest.approx(1, abs=near),
        "t": pytest.approx(1.5 * np.pi, abs=2e-3),
    }
    assert found["max"]["t"] == pytest.approx(np.pi / 2, abs=2e-3)


def test_statistics_of_a_ramp_are_exact_between_samples_and_beside_gaps(lasting):
    # v = t from 0.5 to 2: mean 1.25, mean square (8 - 1/8) / 3 / 1.5.
    found = lasting.js(STATISTICS, [[0, 1, 3], [0, 1, 3], 2, 0.5])
    assert found["mean"] == pytest.approx(1.25, abs=1e-15)
    assert found["rms"] == pytest.approx(np.sqrt((8 - 0.125) / 4.5), abs=1e-15)
    assert (found["min"]["value"], found["max"]["value"]) == (0.5, 2)
    gap = lasting.js("() => run.plots.statistics([0, 1, 2, 3], [5, NaN, 1, 3], 0, 3)")
    assert gap["mean"] == pytest.approx(2, abs=1e-15)  # of the one piece that is known
    assert lasting.js("() => run.plots.statistics([0, 1], [NaN, NaN], 0, 1)") is None


def test_statistics_of_a_long_run_are_those_of_its_table_within_the_thinning(
    flat_browser, tmp_path
):
    shown = stretched(bad_run(), 10)
    path = tmp_path / "long.html"
    path.write_text(page(shown), encoding="utf-8")
    opened = opened_page(flat_browser, path)
    column = shown.recording.recorded["tau.shoulder"]
    curve = "run.channels.get('tau.shoulder')"
    assert opened.js(f"{curve}.n") < len(column)  # it is thinned
    t, v = column.index.to_numpy(), column.to_numpy()
    found = opened.js(f"run.plots.statistics({curve}.x, {curve}.recorded, {t[0]}, {t[-1]})")
    step = np.ptp(v) * 2.0**-16  # in which the page keeps it
    assert found["max"]["value"] == pytest.approx(column.max(), abs=step)
    assert found["min"]["value"] == pytest.approx(column.min(), abs=step)
    # Table and page are both inside each bucket's least and largest: 480 buckets or more.
    width = -(-len(v) // 480)
    spans = column.groupby(np.arange(len(v)) // width).agg(lambda c: c.max() - c.min())
    bound = spans.mean() + 2 * step
    # pandas knows no integral: the mean of both sums is the trapezoidal rule at an even step.
    mean = column.rolling(2).mean().mean()
    assert bound < 0.1 * np.abs(v).max()  # the curve jumps where it begins again
    assert found["mean"] == pytest.approx(mean, abs=bound)
    assert found["rms"] == pytest.approx(np.sqrt((column**2).mean()), abs=bound)


def test_statistics_are_between_the_marks_and_in_the_unit_shown(opened):
    opened.box("qd.elbow")
    opened.page.keyboard.press("s")
    said = opened.page.locator('[id="ch-qd.elbow"] .sums')
    assert "whole run" in said.inner_text()
    opened.js("() => { run.state.marks = { a: 0.2, b: 0.1 }; run.tell('marks'); }")
    assert "A–B" in said.inner_text()
    part = np.degrees(bad_run().recorded["qd.elbow"].loc[0.1 - 1e-9 : 0.2 + 1e-9])
    shown = said.inner_text().replace("−", "-")
    assert f"max {part.max():.4g}" in " ".join(shown.split())
    assert "RMS" in shown


def test_the_pointer_shows_its_time_and_the_axis_its_name(lasting):
    box = lasting.box("tau.elbow")
    lasting.page.mouse.move(box["x"] + box["width"] / 3, box["y"] + 30)
    lasting.until("document.querySelector('.tag').textContent !== ''")
    for channel in TAUS:
        said = lasting.page.locator(f'[id="ch-{channel}"] .tag').text_content()
        assert float(said.removesuffix(" s")) == pytest.approx(0.1, abs=0.3 / box["width"])


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (0.02, 0.98), (999, 1001), (-3e-17, 4e-17), (1.9, 2.1), (-7e8, 3e9)]
)
def test_every_axis_has_two_different_numbers_or_more(lasting, low, high):
    middle, half = (low + high) / 2, (high - low) / 2
    lasting.box("tau.elbow")
    found = lasting.js(
        """([low, high]) => { const one = run.cards.get('tau.elbow');
        one.ranges['value y'] = [low, high]; one.chart.setScale('x', { min: 0, max: 0.3 });
        return new Promise(done => setTimeout(() => done(
            [one.chart.axes[1]._splits, one.chart.axes[1]._values]), 50)); }""",
        [middle - half, middle + half],
    )
    numbers, words = found
    assert len(numbers) >= 2
    assert len(set(words)) == len(words)
    read = [float(word.replace("−", "-")) for word in words]
    assert read == pytest.approx(numbers, rel=1e-9)


def test_all_joints_are_in_one_plot_and_the_address_keeps_it(flat_browser, path, opened):
    opened.page.locator("details[data-group=tau] .bunches button").click()
    opened.until("run.cards.get('plot:tau.shoulder,tau.elbow')?.chart")
    times, *rows = opened.js("run.cards.get('plot:tau.shoulder,tau.elbow').chart.data")
    for name, row in zip(TAUS, rows[::2], strict=True):
        wanted = bad_run().recorded[name]
        at = np.interp(times, wanted.index, wanted)
        assert np.allclose(row, at, rtol=0, atol=2.0**-16 * np.ptp(wanted))
    opened.until("location.hash.includes('plot=tau.shoulder,tau.elbow')")
    again = opened_page(flat_browser, path, opened.js("location.hash"))
    assert again.js("run.cards.has('plot:tau.shoulder,tau.elbow')")


def test_a_second_unit_has_the_right_axis_and_a_third_is_refused(flat_browser, path):
    opened = opened_page(
        flat_browser, path, "#plot=tau.elbow,qd.elbow&plot=tau.elbow,qd.elbow,ke&plot=no,%"
    )
    plots = opened.js("run.state.plots")
    assert plots == ["tau.elbow,qd.elbow"]
    opened.until("run.cards.get('plot:tau.elbow,qd.elbow').chart")
    assert opened.js("run.cards.get('plot:tau.elbow,qd.elbow').chart.axes[2].scale") == "y2"
    opened.page.locator("#own").click()
    dialog = opened.page.locator("dialog[open]")
    for name in ("tau.elbow", "qd.elbow", "ke"):
        dialog.get_by_label(f"draw {name}", exact=True).check()
    assert "two units" in dialog.get_by_role("status").inner_text()
    assert dialog.get_by_role("button", name="Plot").is_disabled()


def test_any_channel_can_be_over_any_other(opened):
    opened.page.locator("#own").click()
    dialog = opened.page.locator("dialog[open]")
    dialog.get_by_label("draw qd.elbow", exact=True).check()
    dialog.get_by_label("over q.elbow", exact=True).check()
    dialog.get_by_role("button", name="Plot").click()
    assert opened.js("run.state.plots") == ["qd.elbow~q.elbow"]
    assert opened.page.locator('[data-plane="qd.elbow~q.elbow"] canvas').is_visible()
    opened.page.locator('[data-plane="qd.elbow~q.elbow"]').hover()  # its button is seen then
    opened.page.locator('[data-plane="qd.elbow~q.elbow"] button').click()
    with opened.page.expect_download() as waiting:
        opened.page.get_by_role("menuitem", name="Save as CSV").click()
    table = pd.read_csv(waiting.value.path())
    run = bad_run().recorded
    assert np.allclose(table["q.elbow [deg]"], np.degrees(run["q.elbow"]), atol=1e-4)
    assert np.allclose(table.iloc[:, 2], np.degrees(run["qd.elbow"]), atol=1e-3)


def test_words_find_channels(opened):
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("elbow torque")
    wanted = [c["id"] for c in opened.js("run.meta.channels") if c["id"] == "tau.elbow"]
    seen = "[...run.cards.values()].filter(c => c.figure.offsetParent).map(c => c.curve.id)"
    assert opened.js(seen) == wanted
    count = len(opened.js("run.meta.channels"))
    assert opened.page.locator("#matches").inner_text() == f"1 of {count}"
    opened.page.keyboard.press("Escape")
    assert len(opened.js(seen)) > 3


def test_shift_zooms_the_height_and_a_double_click_takes_it_back(opened):
    box = opened.box("tau.elbow")
    scale = "(s => [s.min, s.max])(run.cards.get('tau.elbow').chart.scales.y)"
    low, high = opened.js(scale)
    x = box["x"] + 50
    opened.page.keyboard.down("Shift")
    opened.page.mouse.move(x, box["y"] + 0.25 * box["height"])
    opened.page.mouse.down()
    opened.page.mouse.move(x + 60, box["y"] + 0.75 * box["height"], steps=4)
    opened.page.mouse.up()
    opened.page.keyboard.up("Shift")
    pixel = (high - low) / box["height"]
    wanted = [low + 0.25 * (high - low), low + 0.75 * (high - low)]
    opened.page.wait_for_timeout(50)
    assert opened.js(scale) == pytest.approx(wanted, abs=2 * pixel)
    assert opened.js("run.state.zoom") is None
    opened.page.mouse.dblclick(x, box["y"] + 40)
    opened.page.wait_for_timeout(50)
    assert opened.js(scale) == pytest.approx([low, high])


def test_a_plot_is_saved_as_a_table_that_pandas_reads(lasting):
    lasting.box("tau.elbow")
    saved = lasting.saved("tau.elbow", "Save as CSV")
    assert saved.suggested_filename == f"{bad_run().run.scenario}.tau.elbow.csv"
    table = pd.read_csv(saved.path())
    assert table["t [s]"].to_numpy() == pytest.approx(bad_run().t)
    for name, source in (("recorded", bad_run().recorded), ("analytic", bad_run().analytic)):
        column = source["tau.elbow"].to_numpy()
        assert np.allclose(table[f"tau.elbow {name} [N·m]"], column, atol=2e-3)


def test_a_plot_is_saved_as_a_picture_with_more_than_its_curve(lasting):
    from PIL import Image

    lasting.box("tau.elbow")
    saved = lasting.saved("tau.elbow", "Save as PNG")
    assert saved.suggested_filename.endswith(".tau.elbow.png")
    picture = Image.open(io.BytesIO(saved.path().read_bytes())).convert("RGB")
    assert picture.width == 1200
    pixels = np.asarray(picture)
    assert tuple(pixels[2, 2]) == (255, 255, 255)
    for rows in (slice(0, 44), slice(44, 80), slice(picture.height - 30, None)):
        assert (pixels[rows] != 255).any()  # title, legend, name of the axis


def test_the_link_to_an_instant_is_copied(flat_browser, path):
    opened = Opened(flat_browser, path, permissions=["clipboard-read", "clipboard-write"]).ready()
    opened.js("() => { run.seek(0.123); }")
    opened.box("tau.elbow")
    opened.menu("tau.elbow", "Copy link")
    opened.until("document.getElementById('notice')?.classList.contains('seen')")
    assert opened.page.locator("#notice").inner_text() == "link copied"
    link = opened.js("navigator.clipboard.readText()")
    assert link == f"{path.as_uri()}#ch=tau.elbow&t=0.123"


def test_failing_channels_stay_failing_in_a_plot_of_several(opened):
    assert any(one.check.plot == "tau.elbow" and not one.check.ok for one in judge(bad_run()))
    opened.page.locator("details[data-group=tau] .bunches button").click()
    assert opened.js("run.cards.get('plot:tau.shoulder,tau.elbow').curve.fails.length") > 0


LONG = "an_arm_with_a_long_name_"


def rated_run():
    """A run whose shoulder comes near its rating, whose elbow does not, with long names."""
    run = good_run()
    peak = float(run.recorded["tau.shoulder"].abs().max())
    efforts = {"shoulder": 1.3 * peak, "elbow": 1e3 * peak}
    joints = tuple(
        msgspec.structs.replace(joint, effort=efforts[joint.name]) for joint in run.run.robot.joints
    )
    run = judged(run.with_description(robot=msgspec.structs.replace(run.run.robot, joints=joints)))
    return run.with_description(sizing=sizing(run))


@pytest.fixture(scope="module")
def rated(flat_browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("rated") / "report.html"
    table = good_run().recorded.copy()
    table[[f"tool.{c}" for c in "xyz"]] += 0.05
    table["tau.elbow"] *= 1.25
    overlay = Overlay("a = 2", table, beside="a = 1")
    write_page(path, rated_run(), arm_scene(), [overlay])
    with leaving_pages():
        yield opened_page(flat_browser, path)


def words_of(opened, channel):
    """What is written into a plot beside its numbers, and the range of its axis."""
    return opened.js(
        """async (id) => {
            const one = run.cards.get(id);
            document.getElementById(`ch-${id}`).scrollIntoView();
            while (!one.chart) await new Promise((done) => setTimeout(done, 30));
            const { ctx } = one.chart;
            const [said, write] = [[], ctx.fillText];
            ctx.fillText = function (text, ...at) {
                said.push(text);
                return write.call(this, text, ...at);
            };
            one.chart.redraw(false);
            await new Promise((done) => setTimeout(done, 50));
            delete ctx.fillText;
            const { min, max } = one.chart.scales.y;
            return [said.filter((text) => text.startsWith('rated')), min, max];
        }""",
        channel,
    )


def test_a_rating_is_a_line_where_the_curve_keeps_its_height(rated):
    run = rated_run().run
    limit = next(joint.effort for joint in run.robot.joints if joint.name == "shoulder")
    said, low, high = words_of(rated, "tau.shoulder")
    tau = good_run().recorded["tau.shoulder"]
    nearest = limit if tau.max() > -tau.min() else -limit
    assert low < nearest < high
    assert high - low < 2.5 * 1.12 * (tau.max() - tau.min())
    assert any(f"{abs(nearest):.4g}" in text for text in said)


def test_a_rating_far_off_is_a_word_at_the_edge_and_leaves_the_scale(rated):
    limit = next(j.effort for j in rated_run().run.robot.joints if j.name == "elbow")
    said, low, high = words_of(rated, "tau.elbow")
    assert high - low < 1.3 * 1.25 * np.ptp(good_run().recorded["tau.elbow"])  # the other's too
    assert said == [f"rated ±{float(f'{limit:.4g}'):g} N·m ↕"]


def test_words_on_a_rating_avoid_a_curve_along_the_upper_edge(rated):
    words_of(rated, "tau.elbow")
    at = """([id, share]) => {
        const { chart } = run.cards.get(id);
        const { ctx, bbox, data, scales } = chart;
        const level = scales.y.min + share * (scales.y.max - scales.y.min);
        const places = [];
        const height = (y) => (y - bbox.top) / bbox.height;
        ctx.fillText = (text, x, y) => text.startsWith('rated') && places.push(height(y));
        chart.setData(data.map((row, k) => (k ? row.map(() => level) : row)), false);
        chart.redraw(false);
        return new Promise((done) => setTimeout(() => {
            delete ctx.fillText;
            chart.setData(data, false);
            done(places);
        }, 50));
    }"""
    assert rated.js(at, ["tau.elbow", 0.02])[0] < 0.5
    assert rated.js(at, ["tau.elbow", 0.97])[0] > 0.5


def test_the_ways_of_both_tools_are_drawn_and_called_by_what_differs(rated):
    lines = rated.js(
        """(async () => {
            const canvas = document.querySelector('[data-plane=path] canvas');
            canvas.closest('details').open = true;
            canvas.scrollIntoView();
            await new Promise((done) => setTimeout(done, 300));
            return run.meta.path.over0.count;
        })()"""
    )
    assert lines == rated.js("run.meta.path.tool.count")
    assert rated.page.locator("[data-trace=recorded]").inner_text() == "a = 1"
    assert rated.page.locator("[data-trace='over:0']").inner_text() == "a = 2"


def test_motor_sizing_is_the_first_table_and_follows_the_unit_of_the_plots(rated):
    first = rated.page.locator("table").first
    assert "Peak torque" in first.inner_text()
    assert first.bounding_box()["y"] + rated.js("scrollY") < 600
    speed = rated.page.locator("#sizing [data-unit='rad/s']").first
    assert speed.inner_text().endswith("°/s")
    degrees = float(speed.inner_text().split()[0])
    rated.page.keyboard.press("d")
    assert speed.inner_text().endswith("rad/s")
    assert float(speed.inner_text().split()[0]) == pytest.approx(np.radians(degrees), rel=2e-3)
    rated.page.keyboard.press("d")
    peaks = rated.page.locator("#sizing .peaks tbody tr").last.inner_text()
    assert "−20 %" in peaks


def test_no_title_and_no_tick_label_is_cut(flat_browser, tmp_path):
    def renamed(table):
        return table.rename(columns=lambda name: re.sub("(shoulder|elbow)", rf"{LONG}\1", name))

    run = good_run()
    joints = tuple(
        msgspec.structs.replace(joint, name=LONG + joint.name) for joint in run.run.robot.joints
    )
    robot = msgspec.structs.replace(run.run.robot, joints=joints)
    named = replace(run, recorded=renamed(run.recorded), analytic=renamed(run.analytic))
    path = tmp_path / "report.html"
    write_page(path, named.with_description(robot=robot, drives=()), judgements=[])
    opened = opened_page(flat_browser, path)
    for width in (390, 1920):
        opened.page.set_viewport_size({"width": width, "height": 900})
        for joint in ("shoulder", "elbow"):
            title = opened.page.locator(f'[id="ch-tau.{LONG}{joint}"] figcaption b')
            assert title.inner_text() == LONG + joint
            assert title.evaluate("one => one.scrollWidth <= one.clientWidth")
        assert opened.js("document.documentElement.scrollWidth") <= width
    # half of the widest label of a zoom that ends on a tick is free beside the plot
    opened.js("run.state.zoom = [0.0625, 0.1875]; run.tell('zoom')")
    room = """(() => {
      const { over, ctx } = [...run.cards.values()].find((one) => one.chart).chart;
      return ctx.canvas.clientWidth - over.offsetLeft - over.offsetWidth;
    })()"""
    assert opened.js(room) >= 18  # px, "0.1875" of 11 px


def test_headline_checks_and_plots_share_one_unit(rated):
    cells = rated.page.locator("#nearest [data-si], #checks [data-si], #sizing [data-si]")
    assert cells.count() > 10

    def units():
        last = "(e) => e.textContent.split(' ').at(-1)"
        return set(rated.js(f"[...document.querySelectorAll('[data-unit]')].map({last})"))

    si = {"rad", "rad/s", "rad/s²", "m", "m/s", "m/s²", "N·m"}
    switched = {"°", "°/s", "°/s²", "mm", "mm/s", "mm/s²", "N·mm"}
    torque = rated.page.locator("#sizing [data-unit='N·m']").first
    newtonmetres = float(torque.inner_text().split()[0])
    rated.page.keyboard.press("m")
    assert torque.inner_text().endswith("N·mm")
    assert float(torque.inner_text().split()[0]) == pytest.approx(1e3 * newtonmetres, rel=1e-3)
    assert not units() & si  # degrees are the default of a robot that turns
    rated.page.keyboard.press("m")
    rated.page.keyboard.press("d")
    assert not units() & switched
    rated.page.keyboard.press("d")
