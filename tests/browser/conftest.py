"""One Chromium of a kind for all pages of a process."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.helpers.opened_page import Opened, forget_all, leaving_pages

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SOFTWARE = ("--enable-unsafe-swiftshader",)  # draws the view alone; all else without it
WITHOUT_WEBGL = ("--disable-gpu", "--disable-3d-apis")


class Browsers:
    """What is open; Playwright keeps a loop of events, so that nothing is left for other tests."""

    def __init__(self):
        self.stack, self.open = ExitStack(), {}

    def launch(self, *words):
        """The Chromium of some words of its command line."""
        sync_api = pytest.importorskip(
            "playwright.sync_api", reason="Playwright drives the browser: pip install playwright"
        )
        chromium = next((path for name in NAMES if (path := shutil.which(name))), None)
        if chromium is None:
            pytest.skip("there is no Chromium on this machine: apt-get install chromium")
        if not self.open:
            self.playwright = self.stack.enter_context(sync_api.sync_playwright())
        if words not in self.open:
            started = self.playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", *words]
            )
            self.stack.callback(started.close)
            self.open[words] = started
        return self.open[words]

    def close(self):
        self.open.clear()
        forget_all()
        self.stack.close()


BROWSERS = Browsers()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    if nextitem is None or nextitem.path.parent != Path(__file__).parent:
        BROWSERS.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Pages that a test opens are left after it."""
    with leaving_pages():
        return (yield)


@pytest.fixture(scope="module")
def browser():
    """A browser that draws in three dimensions."""
    return BROWSERS.launch(*SOFTWARE)


@pytest.fixture(scope="module")
def flat_browser():
    """A browser without WebGL, for all that is not the view: it opens a page in a third."""
    return BROWSERS.launch(*WITHOUT_WEBGL)


@pytest.fixture(scope="module")
def shared(browser, path):
    """The page of a module's `path`, with its view."""
    with leaving_pages():
        yield Opened(browser, path).ready()


@pytest.fixture(scope="module")
def flat(flat_browser, path):
    """The page without its view, for all that is not the view."""
    with leaving_pages():
        yield Opened(flat_browser, path).ready()
