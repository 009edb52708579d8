"""The window in a real Chromium, by clicks and keys alone."""

import re
import subprocess
import sys
import time

import pytest

from sim.shipped import scenarios
from tests.helpers.small_robots import joint, link
from tests.helpers.studio_process import StudioProcess

PATIENCE = 60  # s
DRIVES = re.findall(r'"\w+": "(STEP[^"]+)"', (scenarios() / "ur10_step.py").read_text("utf-8"))
PEAKS = ["40.07", "241.6", "112.3", "21.91", "20.88", "0.001933"]  # N·m, of `make demo`
HARMLESS = ("GL Driver Message", "Blocked autofocusing")
BROKEN = f"""<robot name="broken">
{link("base", 1.0)}{link("arm", 2.0, "0.3 0 0", "0.1 0.1 0.1")}{link("hand", 1.0, "0.1 0 0")}
{joint("lift", "revolute", "base", "arm", "0 1 0", '<limit lower="-90" upper="90" effort="50" velocity="2"/>')}
{joint("bend", "revolute", "arm", "hand", "0 1 0", '<origin xyz="0.6 0 0"/><limit lower="-120" upper="120" effort="20" velocity="2"/>')}
</robot>"""  # noqa: E501  its ranges are in degrees


class Person:
    """Clicks and types, and counts it; sees what is on the screen."""

    def __init__(self, browser, address):
        self.context = browser.new_context(
            viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
        )
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page, self.errors, self.actions = self.context.new_page(), [], 0
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note)
        self.page.goto(address)
        self.sees("body[data-ready]")

    def _note(self, message):
        harmless = any(words in message.text for words in HARMLESS)
        if message.type in ("error", "warning") and not harmless:
            self.errors.append(message.text)

    def sees(self, selector):
        self.page.wait_for_selector(selector, state="attached", timeout=1000 * PATIENCE)

    def reads(self, selector):
        return self.page.locator(selector).inner_text()

    def until(self, test):
        end = time.monotonic() + PATIENCE
        while not (value := test()):
            assert time.monotonic() < end, (self.reads("#message"), self.errors)
            self.page.wait_for_timeout(30)
        return value

    def clicks(self, selector):
        self.actions += 1
        self.page.locator(selector).click()

    def types(self, selector, text):
        self.actions += 1
        self.page.locator(selector).fill(text)

    def chooses(self, selector, option):
        self.actions += 1
        self.page.locator(selector).select_option(option)

    def pastes(self, text):
        self.actions += 1
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.page.keyboard.press("Control+V")

    def previewed(self):
        """The numbers on the screen belong to what was typed last."""
        self.page.wait_for_timeout(120)

    def peaks(self):
        cells = self.page.locator("#drives td.n").all_inner_texts()
        return [cell.split()[0] for cell in cells if cell]

    def runs(self):
        before = self.page.locator("#page").get_attribute("src")
        self.clicks("#run")
        self.until(lambda: self.page.locator("#page").get_attribute("src") != before)
        return self.reads("#result-verdict")

    def close(self):
        self.context.close()
        assert self.errors == []


@pytest.fixture
def folder(tmp_path):
    with StudioProcess(tmp_path / "empty") as server:
        yield server


@pytest.fixture
def person(flat_browser, folder):
    made = Person(flat_browser, folder.address)
    yield made
    made.close()


def field(joint_name):
    return f'[aria-label="function of {joint_name}"]'


def demo(person):
    """The drives of `make demo` on the shipped UR10."""
    person.chooses("#robot", "ur10")
    person.sees("body[data-previews]")
    person.types("#payload", "10")
    person.types("#cz", "100")
    person.chooses("#start", "upright")
    person.clicks("#tab-motion")
    person.chooses("#allkinds", "velocity")
    person.clicks(field("shoulder_pan_joint"))
    person.pastes("\n".join(DRIVES))


def test_from_an_empty_folder_to_the_verdict_of_the_demo(person, folder):
    demo(person)
    person.until(lambda: person.peaks() == PEAKS)  # before anything is run
    assert person.runs() == "pass, 242 checks"
    assert person.actions <= 12
    inside = person.page.frame_locator("#page")
    assert "run1" in inside.locator("h1").inner_text()
    for peak in PEAKS:
        assert inside.get_by_text(f"{peak} N·m").first.is_visible()
    (run,) = (folder.folder / "results/runs/run1").iterdir()
    done = subprocess.run(
        [sys.executable, "-m", "sim", "run", "run1.py", "--no-report", "--out", "terminal"],
        cwd=folder.folder, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for table in ("recording", "analytic", "cut_open"):
        name = f"{table}.parquet"
        assert (run / name).read_bytes() == (folder.folder / "terminal" / name).read_bytes()
    person.clicks("#tab-script")
    person.until(lambda: '"shoulder_pan_joint": "STEP(' in person.reads("#text"))
    assert person.reads("#text").strip() == (folder.folder / "run1.py").read_text().strip()
