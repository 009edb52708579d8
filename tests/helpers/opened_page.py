"""Pages open in Chromium, in contexts that are used again: a new process of it for each is dear.

Who sees them wants little motion: scrolling that is drawn picture by picture shows nothing more.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 60  # [s]; software rendering on a busy machine
SIZE = {"width": 1280, "height": 800}
_OPEN: list[Opened] = []
_IDLE: dict[Any, list[Opened]] = {}


class Opened:
    """A page with what it asked for and complained about.

    Parameters
    ----------
    browser : playwright.sync_api.Browser
    path : Path
        The file.
    after : str
        What follows it in the address.
    **context
        Of ``Browser.new_context``.
    """

    def __new__(cls, browser: Any, path: Path, after: str = "", **context: Any) -> Opened:
        idle = _IDLE.get(_kind(cls, browser, context))
        return idle.pop() if idle else super().__new__(cls)

    def __init__(self, browser: Any, path: Path, after: str = "", **context: Any):
        self.errors: list[str] = []
        self.said: list[str] = []
        self.asked: list[str] = []
        if not hasattr(self, "page"):
            self._kind = _kind(type(self), browser, context)
            self.context = browser.new_context(
                offline=True, viewport=SIZE, reduced_motion="reduce", **context
            )
            self.page = self.context.new_page()
            self.page.on("pageerror", lambda error: self.errors.append(str(error)))
            self.page.on("console", self._said)
            self.page.on("request", lambda request: self.asked.append(request.url))
        _OPEN.append(self)
        self.page.goto(path.as_uri() + after)

    def _said(self, said: Any) -> None:
        self.said.append(said.text)
        # that drawing by software takes time is said of the machine and not of the page
        if said.type in ("error", "warning") and "GL Driver Message" not in said.text:
            self.errors.append(said.text)

    def js(self, text: str, *given: Any) -> Any:
        return self.page.evaluate(text, *given)

    def until(self, text: str) -> None:
        """Ask again and again; the page's policy forbids the browser to do so by itself."""
        end = time.monotonic() + PATIENCE
        while not self.js(text):
            assert time.monotonic() < end, text
            self.page.wait_for_timeout(30)

    def ready(self) -> Opened:
        self.until("document.body.dataset.ready || document.body.dataset.error")
        error = self.js("document.body.dataset.error")
        assert error is None, error
        return self

    @property
    def t(self) -> float:
        return self.js("run.state.t")

    def seek(self, t: float) -> None:
        self.js(f"run.pause(); run.seek({t})")

    def box(self, channel: str) -> Mapping[str, float]:
        """Box of a plot's area on the screen, scrolled into sight."""
        # A name such as tau.elbow is no selector as it stands.
        area = self.page.locator(f'[id="ch-{channel}"] .u-over')
        area.scroll_into_view_if_needed()
        return area.bounding_box()

    def menu(self, channel: str, item: str) -> None:
        card = self.page.locator(f'[id="ch-{channel}"]')
        card.hover()
        card.locator("button[aria-haspopup]").click()
        self.page.get_by_role("menuitem", name=item).click()

    def saved(self, channel: str, item: str) -> Any:
        with self.page.expect_download() as waiting:
            self.menu(channel, item)
        return waiting.value

    def leave(self) -> None:
        """Leave the page; the context, as it was at first, waits for the next one."""
        self.page.goto("about:blank")
        self.page.set_viewport_size(SIZE)
        self.page.emulate_media(media="null")
        self.page.mouse.move(0, 0)
        _IDLE.setdefault(self._kind, []).append(self)


@contextmanager
def leaving_pages() -> Iterator[None]:
    """Leave at the end the pages that were opened meanwhile; none of them may have complained."""
    before = len(_OPEN)
    try:
        yield
        assert [one.errors for one in _OPEN[before:] if one.errors] == []
    finally:
        while len(_OPEN) > before:
            _OPEN.pop().leave()


def _kind(cls: type, browser: Any, context: Mapping[str, Any]) -> Any:
    return cls, id(browser), repr(sorted(context.items()))


def forget_all() -> None:
    """Browsers are closed, and with them what was open."""
    _IDLE.clear()
    _OPEN.clear()
