"""Dead links of a site: what its pages point to and is not there, read from the HTML alone."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take up an element."""
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif value and (name == "id" or (tag == "a" and name == "name")):
                self.anchors.add(value)


def dead_links(site: Path) -> list[str]:
    """``page: link`` for each link inside of a site to a file or an anchor that is not there.

    Links to other sites are not asked for, and neither is what a page's script reads from its own
    address (``#ch=…``).
    """
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            is_there = target.is_file() and target.is_relative_to(site.resolve())
            if is_there and anchor and "=" not in anchor and target in pages:
                is_there = anchor in pages[target].anchors
            if not is_there:
                dead.append(f"{path.relative_to(site.resolve())}: {link}")
    return dead
