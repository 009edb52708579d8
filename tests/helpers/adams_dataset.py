"""A reader of ADAMS datasets that shares nothing with the writer."""

from __future__ import annotations

import re


def statements(text: str) -> dict[str, dict[str, str]]:
    """Arguments by name, of each statement by its head; an argument without a value is empty.

    A comma in the first column and an ampersand at the end of a line continue; a line that goes on
    with a number continues a list. After END nothing is read.
    """
    found: dict[str, list[str]] = {}
    arguments: list[str] = []
    goes_on = False
    for line in text.splitlines():
        if line.startswith("!"):
            assert not goes_on
            continue
        more, here = goes_on, line.rstrip()
        goes_on = here.endswith("&")
        here = here.removesuffix("&").strip()
        if more:
            arguments[-1] += " " + here
        elif here.startswith(","):
            rest = here[1:].strip()
            if re.match(r"[-+.\d]", rest):
                arguments[-1] += ", " + rest
            else:
                arguments.append(rest)
        elif here == "END":
            break
        else:
            head, *rest = (word.strip() for word in here.split(",", 1))
            assert re.fullmatch(r"[A-Z]+/\d*", head), here
            assert head not in found, here
            arguments = found[head] = rest
    return {
        head: {name.strip(): value.strip() for name, _, value in (a.partition("=") for a in given)}
        for head, given in found.items()
    }


def numbers(listed: str) -> list[float]:
    """The numbers of a list."""
    return [float(word) for word in listed.split(",")]
