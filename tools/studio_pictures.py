"""Make the pictures of `sim studio` for its tutorial, step by step.

    python -m tools.studio_pictures [FOLDER]

follows docs/tutorial/without_code.md in Chromium and writes a PNG per step into FOLDER (default:
docs/tutorial/studio).
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs/tutorial/studio"
ARM = ROOT / "scenarios/my_arm.urdf"
WINDOW = {"width": 1440, "height": 900}
SHOWN = (1080, 675)  # pixels of a picture
COLOURS = 192
PATIENCE = 60_000  # ms
# As in the tutorial.
DRIVES = """turn: STEP5(time, 0, -45d, 2, 45d)
shoulder: STEP5(time, 0, 60d, 1, 90d) - STEP5(time, 1, 0, 2, 30d)
elbow: -60d"""


def main() -> None:
    """Write the pictures into the folder named on the command line."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else OUT
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        command = [sys.executable, "-m", "sim", "studio", folder, "--no-browser"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            _walk(playwright, server.stdout.readline().split()[1], out)
        finally:
            server.terminate()
            server.wait()


def _walk(playwright: Any, address: str, out: Path) -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))))
    arguments = ["--no-sandbox", "--enable-unsafe-swiftshader"]
    browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
    page = browser.new_context(viewport=WINDOW, reduced_motion="reduce").new_page()
    page.set_default_timeout(PATIENCE)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(address)

    def picture(name: str) -> None:
        page.wait_for_timeout(3000)  # until shadows are drawn
        image = Image.open(io.BytesIO(page.screenshot())).convert("RGB").resize(SHOWN)
        image.quantize(COLOURS).save(out / f"{name}.png", optimize=True)

    shown = page.frame_locator("#page").locator("body[data-ready]")
    page.wait_for_selector("body[data-ready]")
    page.locator("#file").set_input_files(ARM)
    page.get_by_text("no findings").wait_for()
    page.fill("#payload", "2")
    picture("1_robot")
    page.click("#tab-motion")
    page.fill("#duration", "2.5")
    page.select_option("#allkinds", "displacement")
    page.click('[aria-label="function of turn"]')
    page.evaluate("text => navigator.clipboard.writeText(text)", DRIVES)
    page.keyboard.press("Control+V")
    page.locator("#scrub").fill("1")
    picture("2_motion")
    page.fill('[aria-label="function of elbow"]', "-60d*")
    picture("3_error")
    page.fill('[aria-label="function of elbow"]', "-60d")
    for payload, name in (("2", "4_verdict"), ("4", "")):
        page.click("#tab-model")
        page.fill("#payload", payload)
        before = page.locator("#page").get_attribute("src") or ""
        page.click("#run")
        page.wait_for_selector(f'#page[src]:not([src="{before}"])')
        shown.wait_for()
        if name:
            picture(name)
    page.click("#with-previous")
    page.wait_for_selector('#page[src*="overlay"]')
    shown.wait_for()
    picture("5_compared")
    page.click("#tab-script")
    picture("6_script")
    browser.close()


if __name__ == "__main__":
    main()
