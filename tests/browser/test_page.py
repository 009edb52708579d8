"""The page of a run in a real Chromium, without a network."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim.checks import judge
from sim.comparison import ComparisonStatus
from sim.reports.page.comparisons import ComparedRow, write_comparisons
from sim.reports.page.index import IndexRow, write_index
from sim.reports.page.overlay import Overlay
from sim.reports.page.page import page, write_page
from sim.reports.page.page_meta import VisibleChannels
from sim.reports.page.robot_file import FindingRow, RobotFile, TorqueRow, TorqueTable
from tests.helpers.opened_page import SIZE, Opened, leaving_pages
from tests.helpers.page_runs import arm_scene, bad_run, good_run
from tests.helpers.short_runs import arm, times_of

HERE = Path(__file__).parent
EVIL = "<script>document.title='broken'</script>"


ROBOT_FILE = RobotFile(
    "robot.urdf",
    ok=False,
    counts="1 error, 1 warning, 1 note",
    findings=[
        FindingRow(grave, "7", "a_link_of_some_length", 12 * "what is there ", "what to do")
        for grave in ("error", "warning", "note")
    ],
    torques=TorqueTable(
        ("Lagrange", "Newton–Euler", "PyBullet", "Pinocchio", "MuJoCo"),
        [
            TorqueRow("elbow", "3 N·m", 5 * ("1e-16",), "2e-3", "PyBullet", ok)
            for ok in (True, False)
        ],
        20,
        ["MuJoCo: not installed"],
    ),
)


def other_run():
    """A run whose elbow is 0.2 rad elsewhere."""
    table = good_run().recorded
    return replace(good_run(), recorded=table.assign(**{"q.elbow": table["q.elbow"] + 0.2}))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    laid_over = [Overlay.of("other", other_run(), bad_run())]
    write_page(path, bad_run(), arm_scene(), laid_over, robot_file=ROBOT_FILE)
    return path


@pytest.fixture(scope="module")
def lasting(browser, path, shared):
    """A page in a scheme of colours; what a test changes it takes back."""
    with leaving_pages():
        pages = {"light": shared, "dark": Opened(browser, path, color_scheme="dark").ready()}
        yield pages.__getitem__


@pytest.fixture
def opened(flat):
    """The page as it is when it opens, but for what does not matter."""
    flat.js("document.querySelector('[data-values=value]').click()")
    flat.seek(0)
    flat.js("document.activeElement.blur()")
    flat.page.keyboard.press("r")
    flat.js("window.scrollTo(0, 0)")
    flat.page.mouse.move(5, 5)
    return flat


def test_it_asks_for_nothing_and_complains_of_nothing(shared):
    outside = [u for u in shared.asked if not u.startswith(("file:", "data:", "blob:"))]
    assert outside == []
    assert sum(u.startswith("file:") for u in shared.asked) == 1


@pytest.mark.parametrize("k", [0, 37, 150, 251, 300])
def test_the_links_are_where_the_engine_recorded_them(shared, k):
    recording = bad_run()
    shared.seek(times_of(recording)[k])
    wanted = arm_scene().poses(recording.recorded, [k])
    for link, T in wanted.items():
        seen = np.array(shared.js(f"run.poseOf({link!r})")).reshape(4, 4).T
        assert np.abs(seen - T[:, :, 0]).max() < 2e-4  # [1 and m]; key frames are good to 5e-5
    tool = np.array(shared.js(f"run.poseOf({arm().tool!r})")).reshape(4, 4).T[:3, 3]
    bullet = recording.recorded[["tool.x", "tool.y", "tool.z"]].to_numpy()[k]
    assert np.abs(tool - bullet).max() < 2e-4  # [m]


def test_the_ghost_is_where_the_other_run_was(shared):
    shared.seek(times_of(bad_run())[200])
    T = arm_scene().poses(other_run().recorded, [200])[arm().tool][:, :, 0]
    seen = np.array(shared.js(f"run.poseOf({arm().tool!r}, 1)")).reshape(4, 4).T
    own = np.array(shared.js(f"run.poseOf({arm().tool!r})")).reshape(4, 4).T
    assert np.abs(seen - T).max() < 2e-4
    assert np.abs(seen - own).max() > 0.01


def test_the_view_is_not_blank(shared):
    from PIL import Image

    picture = Image.open(io.BytesIO(shared.page.locator("#view").screenshot())).convert("RGB")
    assert len(picture.getcolors(1 << 20)) > 300


def test_arrow_keys_step_by_samples(opened):
    opened.seek(0.1)
    for key, t in (("ArrowRight", 0.101), ("Shift+ArrowRight", 0.111), ("ArrowLeft", 0.11)):
        opened.page.keyboard.press(key)
        assert opened.t == pytest.approx(t, abs=1e-9)
    opened.page.keyboard.press("End")
    assert opened.t == 0.3
    opened.page.keyboard.press("Home")
    assert opened.t == 0


def test_a_click_on_a_plot_goes_there_and_the_cursor_with_it(opened):
    box = opened.box("tau.shoulder")
    opened.page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    assert opened.t == pytest.approx(0.15, abs=0.3 / box["width"])
    for channel in ("tau.shoulder", "tau.elbow"):
        where = opened.page.locator(f'[id="ch-{channel}"] .now').bounding_box()
        area = opened.box(channel)
        assert where["x"] + 1 == pytest.approx(area["x"] + area["width"] / 2, abs=2)


def test_a_drag_zooms_all_plots_and_r_takes_it_back(opened):
    box = opened.box("tau.shoulder")
    y = box["y"] + 40
    opened.page.mouse.move(box["x"] + 0.2 * box["width"], y)
    opened.page.mouse.down()
    opened.page.mouse.move(box["x"] + 0.6 * box["width"], y, steps=5)
    opened.page.mouse.up()
    scales = """[...run.cards.values()].filter(c => c.chart && c.near)
        .map(c => [c.chart.scales.x.min, c.chart.scales.x.max])"""
    opened.until("run.state.zoom !== null")
    opened.page.wait_for_timeout(100)
    ranges = np.array(opened.js(scales))
    assert len(ranges) > 3
    assert np.abs(ranges - [0.06, 0.18]).max() < 0.004  # [s]; a few pixels
    assert opened.page.locator("#wide").is_enabled()
    opened.page.keyboard.press("r")
    opened.page.wait_for_timeout(100)
    assert np.abs(np.array(opened.js(scales)) - [0, 0.3]).max() < 1e-9


def test_values_are_those_under_the_pointer(opened):
    box = opened.box("q.shoulder") if opened.js("run.cards.get('q.shoulder').near") else None
    box = box or opened.box("qd.shoulder")
    opened.page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 30)
    value = np.degrees(bad_run().recorded["qd.elbow"].to_numpy()[150])  # as it opens
    text = f"{value:.4g}".replace("-", "−")
    output = opened.page.locator('[id="ch-qd.elbow"] output')
    opened.until(
        f"document.getElementById('ch-qd.elbow').querySelector('output').textContent.startsWith({text[:5]!r})"
    )
    assert "Δ" in output.text_content()


def test_space_plays_by_the_clock_on_the_wall(opened):
    opened.page.select_option("#speed", "0.1")
    opened.page.locator("#speed").blur()
    opened.js("window.began = performance.now()")
    opened.page.keyboard.press("Space")
    opened.until("run.state.t > 0.05")
    wall, t = opened.js("[(performance.now() - window.began) / 1000, run.state.t]")
    opened.page.keyboard.press("Space")
    assert not opened.js("run.state.playing")
    assert 0.02 * wall < t <= 0.1 * wall + 0.01
    opened.page.keyboard.press("]")
    assert opened.js("run.state.speed") == 0.25
    opened.page.select_option("#speed", "1")
    opened.page.locator("#speed").blur()


def test_it_stops_at_the_end_and_plays_from_the_start_again(opened):
    opened.seek(0.29)
    opened.page.keyboard.press("Space")
    opened.until("!run.state.playing")
    assert opened.t == 0.3
    opened.page.select_option("#speed", "0.1")  # slow enough to be asked on the way
    opened.page.locator("#speed").blur()
    opened.page.keyboard.press("Space")
    opened.until("run.state.t > 0 && run.state.t < 0.3")
    opened.js("run.pause()")
    opened.page.select_option("#speed", "1")
    opened.page.locator("#speed").blur()


def test_the_checks_lead_to_their_worst_sample(opened):
    (check,) = (c for c in bad_run().run.checks if c.name == "torque" and not c.ok)
    row = opened.page.locator("#checks tr.failed", has_text="tau.elbow").first
    row.locator("a").focus()
    opened.page.keyboard.press("Enter")
    assert opened.t == pytest.approx(check.at)
    assert opened.page.locator('[id="ch-tau.elbow"].on').count() == 1
    opened.until("location.hash.includes('ch=tau.elbow') && location.hash.includes('t=0.25')")


def test_an_address_opens_at_its_place(flat_browser, path):
    opened = Opened(flat_browser, path, "#ch=ke&t=0.123&view=error").ready()
    assert opened.t == pytest.approx(0.123)
    assert opened.js("run.state.focus") == "ke"
    assert opened.js("run.state.values") == "error"
    assert opened.page.locator("#ch-ke").is_visible()


@pytest.mark.parametrize("after", ["#ch=nowhere&t=x", "#t=-5", "#checks", "#%"])
def test_an_address_that_means_nothing_opens_all_the_same(flat_browser, path, after):
    opened = Opened(flat_browser, path, after).ready()
    assert opened.t == 0


def test_n_and_p_go_from_failure_to_failure(opened):
    starts = sorted({start for c in opened.js("run.meta.channels") for start, _ in c["fails"]})
    seen = []
    for _ in starts:
        opened.page.keyboard.press("n")
        seen.append(opened.t)
    assert seen == pytest.approx(starts)
    opened.page.keyboard.press("p")
    assert opened.t == pytest.approx(starts[-2])


def test_the_error_view_shows_the_error_inside_its_band(opened):
    opened.page.keyboard.press("e")
    opened.box("tau.elbow")
    data = opened.js("run.cards.get('tau.elbow').chart.data")
    _, low, high, error, model, *_ = (np.array(row, dtype=float) for row in data)
    (check,) = (c for c in bad_run().run.checks if c.name == "torque" and not c.ok)
    assert np.all(model == 0)
    assert np.allclose(high, check.limit)
    assert np.allclose(low, -check.limit)
    assert error[250] == pytest.approx(-2.0, rel=1e-3)
    assert opened.page.locator('[data-values="error"]').get_attribute("aria-pressed") == "true"


def test_curves_can_be_taken_away(opened):
    opened.box("tau.elbow")
    shown = "run.cards.get('tau.elbow').chart.series.map(s => s.show)"
    before = opened.js(shown)
    button = opened.page.locator('[data-trace="recorded"]')
    button.click()
    after = opened.js(shown)
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    assert opened.js(shown) == before


def test_only_what_fails_can_be_shown(opened):
    opened.page.locator('button[data-group="failing"]').click()
    visible = opened.js(
        "[...run.cards.values()].filter(c => c.figure.offsetParent).map(c => c.curve.id)"
    )
    failing = {c["id"] for c in opened.js("run.meta.channels") if c["fails"]}
    assert set(visible) == failing
    opened.page.locator('button[data-group="all"]').click()


def test_degrees_are_radians_times_their_factor(opened):
    opened.box("qd.elbow")
    values = "run.cards.get('qd.elbow').chart.data[3]"
    degrees = np.array(opened.js(values))
    assert opened.page.locator('[id="ch-qd.elbow"]').get_by_text("[°/s]").count() == 1
    opened.page.keyboard.press("d")
    assert np.allclose(degrees, np.degrees(opened.js(values)))
    assert opened.page.locator('[id="ch-qd.elbow"]').get_by_text("[rad/s]").count() == 1
    opened.page.keyboard.press("d")


def test_the_keys_are_told_and_the_telling_can_be_closed(opened):
    opened.page.keyboard.press("?")
    assert opened.page.locator("dialog").is_visible()
    opened.page.keyboard.press("Escape")
    assert not opened.page.locator("dialog").is_visible()


def test_without_webgl_there_is_a_drawing_and_everything_else(flat_browser, path):
    opened = Opened(flat_browser, path).ready()
    assert opened.page.locator("svg.poster").is_visible()
    assert opened.page.locator("#no3d").is_visible()
    opened.page.keyboard.press("End")
    assert opened.t == 0.3
    opened.box("tau.elbow")


def test_without_scripts_verdict_and_tables_can_be_read(flat_browser, path):
    opened = Opened(flat_browser, path, java_script_enabled=False)
    assert opened.page.locator(".verdict").text_content() == "✗ Fail"
    assert opened.page.locator("#checks tr.failed").first.is_visible()
    assert opened.page.locator("svg.poster").is_visible()
    assert opened.page.locator("noscript").is_visible()
    assert not opened.page.locator("#bar").is_visible()


def test_it_prints_with_plots_and_the_robot(lasting):
    opened = lasting("light")
    paper = opened.page.pdf(prefer_css_page_size=True)
    assert paper.startswith(b"%PDF")
    assert len(paper) > 50_000  # [byte]; pictures are on it
    assert opened.js("document.getElementById('still').src").startswith("data:image/png")
    assert opened.js("[...run.cards.values()].filter(c => c.chart).length") >= 8


def test_a_dark_screen_prints_dark_on_light(lasting):
    opened = lasting("dark")
    light = "getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'"
    assert not opened.js(light)
    opened.page.emulate_media(media="print")
    assert opened.js(light)
    opened.page.emulate_media(media="screen")
    opened.js("dispatchEvent(new Event('beforeprint'))")  # plots are painted in these colours
    assert opened.js(light)
    opened.js("dispatchEvent(new Event('afterprint'))")
    assert not opened.js(light)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(lasting, scheme):
    opened = lasting(scheme)
    opened.js("""window.shut = [...document.querySelectorAll('details:not([open])')];
        shut.forEach(d => { d.open = true; })""")
    count, poor = opened.js((HERE / "contrast.js").read_text(encoding="utf-8"))
    opened.js("shut.forEach(d => { d.open = false; })")
    assert count > 100
    assert poor == []
    ground = opened.js("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")


def test_everything_has_a_name_and_ids_are_unique(shared):
    found = shared.js((HERE / "controls.js").read_text(encoding="utf-8"))
    assert found["count"] > 40
    assert found["nameless"] == []
    assert found["twice"] == []
    assert found["small"] == []
    assert shared.js("document.documentElement.lang") == "en"
    assert shared.js("document.querySelectorAll('h1').length") == 1


def test_the_keyboard_reaches_every_control(opened):
    # from the first link on: else a browser goes on from where it was last clicked
    opened.js("document.querySelector('nav a').focus(); window.scrollTo(0, 0)")
    reached = set()
    for _ in range(80):
        opened.page.keyboard.press("Tab")
        reached.add(
            opened.js("document.activeElement.id || document.activeElement.dataset.group || ''")
        )
    assert {"play", "scrub", "speed", "loop", "back", "forth"} <= reached
    assert "tau" in reached
    outline = opened.js("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


@pytest.fixture
def resized(shared):
    yield shared
    shared.page.set_viewport_size(SIZE)


@pytest.mark.parametrize("width", [420, 768, 1280, 1920])
def test_nothing_hangs_over_the_edge(resized, width):
    resized.page.set_viewport_size({"width": width, "height": 800})
    resized.page.wait_for_timeout(200)
    assert resized.js("document.documentElement.scrollWidth") <= width
    assert resized.page.locator("#play").is_visible()
    box = resized.page.locator("#play").bounding_box()
    assert box["y"] + box["height"] <= 800


def test_names_with_markup_do_nothing(flat_browser, tmp_path):
    table = good_run().recorded.rename(columns={"tau.elbow": f"tau.{EVIL}"})
    model = good_run().analytic.rename(columns={"tau.elbow": f"tau.{EVIL}"})
    units = {**good_run().units, f"tau.{EVIL}": EVIL}
    run = replace(good_run(), recorded=table, analytic=model).with_description(
        scenario=EVIL, notes=(EVIL,), units=units
    )
    path = tmp_path / "evil.html"
    shown = VisibleChannels(run, judge(good_run()), arm_scene(), [Overlay(EVIL, table)])
    path.write_text(page(shown), encoding="utf-8")
    opened = Opened(flat_browser, path).ready()
    assert opened.page.title() == f"✓ {EVIL}"
    assert opened.page.locator("figcaption b", has_text=EVIL).count() >= 1


def test_the_index_leads_to_the_page(flat_browser, path):
    row = IndexRow.of(bad_run(), path.name, arm_scene())
    write_index(path.parent / "index.html", [row])
    opened = Opened(flat_browser, path.parent / "index.html")
    assert opened.page.locator("tbody tr.failed").count() == 1
    opened.page.locator("tbody a").nth(1).click()
    opened.ready()
    assert opened.js("run.state.focus") == row.worst.check.plot
    assert opened.t == pytest.approx(row.worst.check.at)


def test_an_address_shows_the_difference_in_its_band_under_both_curves(browser, path):
    found = Overlay.of("other", other_run(), bad_run()).comparison
    (q,) = (one for one in found.differences if one.channel == "q.elbow")
    opened = Opened(browser, path, "#ch=q.elbow&t=0.12&view=compared&unit=rad").ready()
    assert opened.t == pytest.approx(0.12)
    opened.until("run.cards.get('q.elbow')?.chart && run.cards.get('q.elbow value')?.chart")
    _, low, high, apart, model, other = (
        np.array(row, dtype=float) for row in opened.js("run.cards.get('q.elbow').chart.data")
    )
    assert np.allclose(apart, -0.2, rtol=1e-3)  # the run less the other, whose elbow is further
    assert np.allclose(high, q.limit)
    assert np.allclose(low, -q.limit)
    assert np.all(other == 0)
    assert np.isnan(model).all()
    *_, own, _, theirs = opened.js("run.cards.get('q.elbow value').chart.data")
    table = bad_run().recorded["q.elbow"].to_numpy()
    assert np.allclose(own, table, atol=1e-5)
    assert np.allclose(theirs, table + 0.2, atol=1e-3)
    boxes = [
        opened.page.locator(f'[id="ch-{name}"]').bounding_box()
        for name in ("q.elbow value", "q.elbow")
    ]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"] + 1
    assert boxes[0]["x"] == boxes[1]["x"]
    # The ghost stands where the other run was.
    T = arm_scene().poses(other_run().recorded, [120])[arm().tool][:, :, 0]
    seen = np.array(opened.js(f"run.poseOf({arm().tool!r}, 1)")).reshape(4, 4).T
    assert np.abs(seen - T).max() < 2e-4
    opened.page.keyboard.press("c")
    assert not opened.js("run.cards.has('q.elbow value')")


def test_a_row_of_the_comparison_leads_to_the_difference(opened):
    opened.page.locator("#comparison tr.failed a", has_text="q.elbow").first.click()
    assert opened.js("run.state.values") == "compared"
    assert opened.js("run.state.focus") == "q.elbow"
    opened.until("location.hash.includes('view=compared')")


def test_a_click_anywhere_on_a_row_opens_the_run_over_its_baseline(flat_browser, path):
    found = Overlay.of("other", other_run(), bad_run()).comparison
    first = "report.html#ch=q.elbow&t=0&view=compared"
    row = ComparedRow(ComparisonStatus("short", found), href=first, first=first)
    write_comparisons(path.with_name("all.html"), [row, ComparedRow(ComparisonStatus("lost"))])
    opened = Opened(flat_browser, path.with_name("all.html"))
    box = opened.page.locator("tbody tr").first.bounding_box()
    opened.page.mouse.click(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
    opened.page.wait_for_url("**/report.html*")
    opened.ready()
    assert opened.js("run.state.values") == "compared"
    assert opened.js("run.state.focus") == "q.elbow"


@pytest.mark.parametrize("width", [420, 1280, 1920])
def test_the_page_of_all_comparisons_fits_its_window(flat_browser, path, width):
    found = Overlay.of("other", other_run(), bad_run()).comparison
    row = ComparedRow(ComparisonStatus("short", found), href="report.html", first="report.html")
    write_comparisons(path.with_name("fits.html"), [row])
    opened = Opened(flat_browser, path.with_name("fits.html"))
    opened.page.set_viewport_size({"width": width, "height": 900})
    assert opened.js("document.documentElement.scrollWidth <= innerWidth")
    if width == 420:  # the rows are stacked
        assert opened.js("document.querySelector('.scroll').scrollWidth <= innerWidth")
