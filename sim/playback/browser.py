"""Pages opened in the browser that the system has for them."""

from __future__ import annotations

import webbrowser
from pathlib import Path


def open_page(path: Path) -> bool:
    """Open a page of this disk in a new tab; False where there is no browser to ask."""
    try:
        return webbrowser.open(path.resolve().as_uri(), new=2)
    except webbrowser.Error:
        return False
