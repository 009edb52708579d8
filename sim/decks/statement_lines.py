"""Lines of an ADAMS deck, joined to the text of one statement each.

The first line is the title. A line that begins with a comma is a continuation, and so is one after
``&``; a semicolon separates statements; ``!`` begins a comment, as does ``$`` at the start of a
line. Commands of a command file are statements too.

Source: MSC Adams Solver, "Statement format".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sim.errors import DeckError

HEAD = re.compile(r"([A-Za-z][A-Za-z_0-9]*)\s*/[\s,]*(\d*)")

_NAME = re.compile(r"adams_view_name='([^']*)'")
_CODE = re.compile(r'(?:[^!"]++|"[^"]*+"|"(?=[^"]*+$))*+')  # up to a ! outside texts
_BARE = re.compile(r"(STOP|HELP)\s*", re.IGNORECASE)  # commands without a slash
_NEXT = re.compile(r";(?=\s*(?:[A-Z][A-Z_]*\s*/|(?:END|STOP|HELP)\s*(?:;|$)))", re.IGNORECASE)


def statement_texts(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield first line, name and text of each statement, its lines joined by line ends.

    Raises
    ------
    DeckError
        If a continuation has no beginning, there is no statement, or the last one continues beyond
        the text.
    """
    name, begun, goes_on = "", 0, False
    body: list[str] = []
    own_name = ""
    for number, line, comment in _split_statements(lines):
        if match := _NAME.search(comment):
            name = match[1]
        if not line:
            continue  # a comment does not end a statement
        if not (goes_on or line.startswith(",")):
            if body:
                yield begun, own_name, "\n".join(body)
            if _is_end(line):
                return
            body, begun, own_name, name = [], number, name, ""
        elif not body:
            raise DeckError(f"line {number}: {line[:40]!r} continues, but no statement has begun")
        text = line.rstrip("& \t")
        if goes_on and not line.startswith(","):
            body[-1] += f" {text}"
        else:
            body.append(f"{text}/" if not body and _BARE.fullmatch(text) else text)
        goes_on = line.endswith("&")
    if not body:
        raise DeckError(f"line {len(lines)}: the deck holds no statement")
    if goes_on:
        raise DeckError(
            f"line {len(lines)}: the deck ends in the statement of line {begun}, which continues; "
            "it is cut off"
        )
    yield begun, own_name, "\n".join(body)


def end_note(text: str) -> str:
    """Return a note that a deck has no END, and may be truncated; empty if it has one."""
    lines = text.splitlines()
    if any(_is_end(code) for _, code, _ in _split_statements(lines)):
        return ""
    where = "" if text.endswith(("\n", "\r")) else ", and its last line has no line end"
    return f"line {len(lines)}: the deck has no END{where}; assumed complete, but it may be cut off"


def remarks(lines: list[str]) -> Iterator[str]:
    """Yield remarks on likely mistakes: statements below END, which ADAMS does not read either."""
    rows = _split_statements(lines)
    end = next((number for number, code, _ in rows if _is_end(code)), None)
    below = sum(1 for _, code, _ in rows if HEAD.match(code) and not _is_end(code))
    if below:
        yield f"{below} statements below END: line {end} ends the deck"


def split_line(line: str) -> tuple[list[str], str]:
    """Return the statements of a line, which semicolons separate, and its comment."""
    code, comment = _without_comment(line)
    return [one.strip("; \t") for one in _NEXT.split(code)], comment


def _split_statements(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield number, code and comment of each line, with one row for each statement in it."""
    for number, raw in enumerate(lines[1:], start=2):
        (first, *others), comment = split_line(raw)
        yield number, first, comment
        for other in others:
            yield number, other, ""


def _without_comment(line: str) -> tuple[str, str]:
    """Split a line into its statement and its comment."""
    if line.lstrip().startswith("$"):
        return "", line
    code = _CODE.match(line)
    end = code.end() if code else 0
    return line[:end], line[end:]


def _is_end(line: str) -> bool:
    return line.upper().rstrip("/") == "END"
