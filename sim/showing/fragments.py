"""Tables and lists as HTML fragments for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in HTML, texts escaped; the first column left-aligned, others right-aligned.

    It sets no colour, so that a notebook's own show on a light page and on a dark one.
    """
    lines = [f'<table><caption style="text-align:left">{escape(caption)}</caption>']
    lines += ["<thead>", _row("th", heads), "</thead>", "<tbody>"]
    lines += [_row("td", row) for row in rows]
    return "\n".join([*lines, "</tbody></table>"])


def _row(tag: str, texts: Sequence[str]) -> str:
    aligned = ("left", *["right"] * (len(texts) - 1))
    cells = (
        f'<{tag} style="text-align:{side}">{escape(text)}</{tag}>'
        for side, text in zip(aligned, texts, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def html_list(texts: Sequence[str]) -> str:
    """Return the texts one below the other, escaped; "" for none."""
    return f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>" if texts else ""
