"""What a run's page and the index say first, and how they are worked by hand, printed and small."""

from __future__ import annotations

import re
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from sim.checks import energy_balance, judge, sizing
from sim.recording.schema.facts import DriveFacts
from sim.reports.page.index import IndexRow, write_index
from sim.reports.page.overlay import Overlay
from sim.reports.page.page import page, write_page
from sim.reports.page.page_meta import VisibleChannels
from tests.browser.test_page import ROBOT_FILE
from tests.helpers.opened_page import Opened
from tests.helpers.page_runs import arm_scene, bad_run, good_run, judged
from tests.helpers.synthetic_runs import with_reference

A4 = 718, 1039  # [px] at 96 to the inch, within margins of 11 mm
OFF = 0.004  # [N·m] by which the elbow is off the reference


def warned_run():
    """A run that fails and warns of much, with another program's curve of the elbow's torque."""
    drives = (
        DriveFacts(joint="elbow", level="velocity", function="x", warnings=("a", "b", "is it?")),
    )
    run = bad_run().with_description(drives=drives, notes=("Overload: 12 kg of 10 kg",))
    table = good_run().recorded[["tau.elbow"]].iloc[::10] - OFF
    return judged(with_reference(run, table, digits=17, tolerances={"*": 0.003}))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("header") / "report.html"
    run = warned_run()
    laid_over = [
        Overlay.of_reference(run, run.reference, run.run.reference),
        Overlay.of("load 12, method ideal", good_run(), run),
    ]
    write_page(path, run, arm_scene(), laid_over, robot_file=ROBOT_FILE)
    return path


def at_its_start(page):
    """Standing still, in its first state."""
    page.js("document.querySelector('[data-values=value]').click()")
    page.seek(0)
    page.js("document.activeElement.blur(); scrollTo(0, 0)")
    return page


@pytest.fixture
def opened(flat):
    return at_its_start(flat)


PRESSED = """[...document.querySelectorAll('[aria-pressed]')].map((e) => e.ariaPressed)
    + [...document.querySelectorAll('[type=checkbox]')].map((e) => e.checked)
    + [...document.querySelectorAll('details')].map((e) => e.open)"""


IN_THE_VIEW = {"[data-look=front]", "label:has([data-mark=torques])"}


@pytest.fixture
def seen(request, clicked):
    """The page that has what is clicked."""
    return at_its_start(request.getfixturevalue("shared" if clicked in IN_THE_VIEW else "flat"))


@pytest.mark.rotates(3)
@pytest.mark.parametrize(
    "clicked",
    [
        "[data-group=tau]",
        "[data-trace=band]",
        "[data-values=error]",
        "#loop",
        "#degrees",
        "#play",
        "#scrub",
        "#speed",
        "[data-look=front]",
        "label:has([data-mark=torques])",
        ".group:not([hidden]) > summary",
        "#warnings summary",
    ],
)
def test_space_plays_and_pauses_after_a_mouse_click_anywhere(seen, clicked):
    seen.js("run.state.speed = 0.01")
    seen.page.locator(clicked).first.click()
    seen.js("run.pause()")
    if clicked == "#speed":
        seen.page.keyboard.press("Escape")  # closes its list
    before = seen.js(PRESSED)
    seen.page.keyboard.press("Space")
    assert seen.js("run.state.playing")
    seen.page.keyboard.press("Space")
    assert not seen.js("run.state.playing")
    assert seen.js(PRESSED) == before
    seen.page.locator(clicked).first.click()  # as it was


def test_who_comes_by_the_keyboard_presses_with_space_what_has_the_focus(opened):
    opened.js("document.getElementById('scrub').focus()")
    opened.page.keyboard.press("Tab")
    assert opened.js("document.activeElement.id") == "loop"
    for wanted in ("true", "false"):
        opened.page.keyboard.press("Space")
        assert opened.js("document.activeElement.ariaPressed") == wanted
        assert not opened.js("run.state.playing")


def test_the_header_leads_to_what_fails(opened):
    worst = max((c for c in warned_run().run.checks if not c.ok), key=lambda check: check.used)
    link = opened.page.locator("#nearest a").first
    assert link.inner_text() == f"{worst.name} {worst.channel}"
    link.click()
    assert opened.js("run.state.focus") == worst.plot
    assert opened.t == pytest.approx(worst.at)
    assert opened.page.locator("#warnings p").first.inner_text() == "elbow: is it?"


def test_a_reference_shows_its_own_error_in_its_own_band_and_says_so(flat_browser, path):
    opened = Opened(flat_browser, path, "#ch=tau.elbow&t=0.05&view=reference").ready()
    opened.until("run.cards.get('tau.elbow')?.chart && run.cards.get('tau.elbow value')?.chart")
    t, low, high, apart, model, theirs, *_ = (
        np.array(row, dtype=float) for row in opened.js("run.cards.get('tau.elbow').chart.data")
    )
    assert np.allclose(high, 0.003)
    assert np.allclose(low, -0.003)
    early = t < 0.089  # before the elbow is spoiled
    assert early.sum() > 3
    # Recorded less reference; a page keeps a difference to 2**-12 of its largest, here 2 N·m.
    assert np.allclose(apart[early], OFF, rtol=0, atol=2.0 * 2**-12)
    assert np.all(theirs == 0)
    assert np.isnan(model).all()
    caption = opened.js("run.cards.get('tau.elbow').figure.querySelector('figcaption').innerText")
    assert "minus another program" in caption
    assert re.search(r"Δ 0\.00[34]", caption)
    # What has no reference keeps its values, and says of what a difference is.
    assert opened.js("run.cards.get('tau.shoulder').unit.textContent.includes('minus')") is False
    opened.page.locator("[data-values=error]").click()
    assert "minus analytic" in opened.js("run.cards.get('tau.elbow').unit.textContent")
    opened.page.locator("[data-values=value]").click()
    assert "Δ analytic " in opened.js("run.cards.get('tau.elbow').out.textContent")


def test_a_row_of_the_reference_leads_to_that_view(opened):
    row = opened.page.locator("#checks tr", has_text="reference RMS")
    row.locator("a").first.click()
    assert opened.js("run.state.values") == "reference"
    assert opened.js("run.state.focus") == "tau.elbow"


SMALL = """[...document.querySelectorAll('button, select, nav a, summary, .marks label')]
    .filter((e) => e.checkVisibility({ visibilityProperty: true }))
    .map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
    .filter(([, at]) => at.height < 32 || at.width < 20 || at.left < 0 || at.right > innerWidth)
    .map(([text, { width, height, right }]) => `${text} ${width} x ${height}, to ${right}`)"""
SPILLED = """[...document.querySelectorAll('table')].filter((e) => e.checkVisibility())
    .filter((e) => e.getBoundingClientRect().right > innerWidth && !e.closest('.scroll'))
    .map((e) => e.outerHTML.slice(0, 80))"""


def test_on_a_phone_every_tab_and_button_is_there_for_a_finger(browser, path):
    opened = Opened(browser, path, has_touch=True)
    opened.page.set_viewport_size({"width": 420, "height": 800})
    opened.ready()
    wanted = opened.js("document.querySelectorAll('.tools button, #bar button, nav a').length")
    seen = opened.js(
        "[...document.querySelectorAll('.tools button, #bar button, nav a')]"
        ".filter((e) => e.checkVisibility()).length"
    )
    assert seen == wanted > 20
    assert opened.js(SMALL) == []
    assert opened.js(SPILLED) == []
    assert opened.js("document.documentElement.scrollWidth") <= 420
    opened.page.locator("nav a").last.tap()
    assert opened.js("location.hash") == "#provenance"


# Cells beyond the paper's edge, and numbers that are broken or drawn over their neighbours.
CUT = """(width) => [...document.querySelectorAll('.tables th, .tables td')]
    .filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > width + 0.5)
    .map((e) => e.outerHTML)"""
BROKEN = """() => [...document.querySelectorAll('.tables td.n')].filter((e) => {
    const range = document.createRange();
    range.selectNodeContents(e);
    const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
    const spilled = range.getBoundingClientRect().left < e.getBoundingClientRect().left - 0.5;
    return e.textContent.trim() && (lines.size > 1 || spilled);
  }).map((e) => e.outerHTML)"""


def long_names(run):
    """The run with joints and links of long names, as robots of the world have."""

    def long(name):
        return f"a_{name}_of_the_left_hand_side_of_it"

    robot = run.run.robot
    joints = tuple(msgspec.structs.replace(j, name=long(j.name)) for j in robot.joints)
    masses = {long(name): mass + 0.123456 for name, mass in robot.masses.items()}
    sized = tuple(msgspec.structs.replace(one, joint=long(one.joint)) for one in run.run.sizing)
    robot = msgspec.structs.replace(robot, joints=joints, masses=masses)
    return run.with_description(robot=robot, sizing=sized)


@pytest.mark.rotates(2)
@pytest.mark.parametrize("named", ["short", "long"])
def test_on_paper_no_table_is_cut_and_no_number_broken(browser, tmp_path, path, named):
    if named == "long":
        run = bad_run().with_description(
            audit=(energy_balance(bad_run()),), sizing=sizing(bad_run())
        )
        path = tmp_path / "report.html"
        shown = VisibleChannels(long_names(run), judge(run), arm_scene(), robot_file=ROBOT_FILE)
        path.write_text(page(shown), encoding="utf-8")
    opened = Opened(browser, path).ready()
    opened.page.emulate_media(media="print")
    opened.page.set_viewport_size({"width": A4[0], "height": A4[1]})
    opened.js("dispatchEvent(new Event('beforeprint'))")
    opened.js("document.querySelectorAll('.tables details').forEach((one) => { one.open = true; })")
    assert opened.page.evaluate(CUT, A4[0]) == []
    assert opened.page.evaluate(BROKEN) == []
    assert opened.js("document.documentElement.scrollWidth") <= A4[0]
    rows = "[...document.querySelectorAll('tr')]"
    assert opened.js(f"{rows}.every((e) => getComputedStyle(e).breakInside === 'avoid')")
    # The verdict, what fails, all warnings and the robot are on the first page.
    for shown in (".verdict", "#nearest", "#still"):
        box = opened.page.locator(shown).bounding_box()
        assert box["y"] + box["height"] < A4[1]
        assert box["x"] + box["width"] <= A4[0]
    if named == "short":
        assert opened.page.locator("#warnings p").last.is_visible()


def test_the_index_is_sorted_by_a_click_and_stands_sorted_without_scripts(flat_browser, tmp_path):
    path = tmp_path / "index.html"
    runs = [good_run().with_description(scenario="b"), bad_run().with_description(scenario="c")]
    rows = [IndexRow.of(run, "x.html") for run in runs]
    worst = msgspec.structs.replace(rows[0].worst, used=0.01, percent="1 %")
    easy = replace(rows[0], name="a", worst=worst)
    write_index(path, [*rows, easy])
    plain = Opened(flat_browser, path, java_script_enabled=False)
    told = plain.page.locator("tbody td:nth-child(2) b").all_inner_texts()
    assert told == ["c", "b", "a"]
    assert plain.page.locator("thead button").count() == 0
    opened = Opened(flat_browser, path)
    head = opened.page.locator("thead th", has_text="Of limit")
    names = "[...document.querySelectorAll('tbody td:nth-child(2) b')].map((e) => e.textContent)"
    head.locator("button").click()
    assert (opened.js(names), head.get_attribute("aria-sort")) == (["c", "b", "a"], "descending")
    head.locator("button").click()
    assert (opened.js(names), head.get_attribute("aria-sort")) == (["a", "b", "c"], "ascending")
    opened.page.locator("thead button", has_text="Run").click()
    assert opened.js(names) == ["a", "b", "c"]
    assert head.get_attribute("aria-sort") is None
    opened.page.set_viewport_size({"width": 420, "height": 800})
    assert opened.js("document.documentElement.scrollWidth") <= 420
    assert opened.js(SMALL) == []
    assert opened.page.locator(".near").first.is_visible()
