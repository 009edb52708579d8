"""Pages opened in the browser that the system has for them."""

from __future__ import annotations

import os
import re
import tempfile
import webbrowser
from pathlib import Path

PAGES = Path("results/pages")  # of what was only to be looked at
NO_BROWSER = "no browser found; open this file"
TEXTUAL = ("www-browser", "links", "elinks", "lynx", "w3m")


def place_of_page(name: str) -> Path:
    """Default path of a page: in `PAGES`, whose folder is made.

    A browser in a sandbox, such as a snap, sees no temporary file; there it is only where the
    working folder cannot be written to.
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
    """The command that opens pages, empty for the system's own; None where there is none."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return None
    name = str(getattr(browser, "name", "") or "")
    return "" if name == "default" else name


def is_textual(browser: str) -> bool:
    """Whether it shows text in a terminal, and so neither robots nor curves."""
    return Path(browser).name in TEXTUAL


def open_page(path: Path) -> bool:
    """Open a page of this disk in a new tab; False where there is no browser that draws."""
    try:
        if is_textual(browser_here() or ""):
            return False
        return webbrowser.open(path.resolve().as_uri(), new=2)
    except webbrowser.Error:
        return False
