"""Pages opened in the system's browser."""

from __future__ import annotations

import os
import re
import tempfile
import webbrowser
from pathlib import Path

PAGES = Path("results/pages")  # pages written only to be viewed
NO_BROWSER = "no browser found; open this file"
TEXTUAL = ("www-browser", "links", "elinks", "lynx", "w3m")


def place_of_page(name: str) -> Path:
    """Return the default path of a page in `PAGES`, whose folder is created.

    A sandboxed browser, such as a snap, cannot read temporary files; they are used only if the
    working folder is not writable.
    """
    name = re.sub(r"[^\w.-]+", "_", name)
    try:
        PAGES.mkdir(parents=True, exist_ok=True)
        if os.access(PAGES, os.W_OK):
            return PAGES / name
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="sim-page-")) / name


def browser_here() -> str | None:
    """Return the command that opens pages, "" for the system's own; None if there is none."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return None
    name = str(getattr(browser, "name", "") or "")
    return "" if name == "default" else name


def is_textual(browser: str) -> bool:
    """Whether a browser shows text in a terminal, without graphics."""
    return Path(browser).name in TEXTUAL


def has_graphical_browser() -> bool:
    """Whether there is a browser that shows graphics."""
    browser = browser_here()
    return browser is not None and not is_textual(browser)


def open_page(path: Path) -> bool:
    """Open a local page as `open_address` does."""
    return open_address(path.resolve().as_uri())


def open_address(address: str) -> bool:
    """Open an address in a new tab; return False if there is no graphical browser."""
    try:
        if is_textual(browser_here() or ""):
            return False
        return webbrowser.open(address, new=2)
    except webbrowser.Error:
        return False
