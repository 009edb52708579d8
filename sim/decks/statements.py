"""Statements of an ADAMS deck (.adm), with the line at which each begins.

    statement = KEYWORD "/" [id] {"," argument}        argument = FLAG | KEY "=" value {"," value}

Names may be abbreviated, in any case. A function ends with its statement, at a backslash, or before
``, KEY =``; a comma at the start of a line is not part of it. Exponents may be written with E or D;
D without following digits means degrees.

Source: MSC Adams Solver, "Statement format".
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from sim.decks.statement_forms import FORMS, REFUSED, SKIPPED, Form, form_of
from sim.decks.statement_lines import HEAD, remarks, statement_texts
from sim.errors import DeckError
from sim.maths.arrays import Array, frozen

MOST_DIGITS = 100  # more than in any sensible number; Python reads no integer of 4300
SHORTEST = 3  # letters of an abbreviated keyword
LABEL = "LABEL"  # a name, allowed in every statement
WITHOUT_ID = frozenset({"UNITS", "ACCGRAV"})
MOST_IDS = 1000  # of one row, written as 1:1000

_KEY = re.compile(r"([A-Za-z][A-Za-z_0-9]*)\s*=")
_NUMBER = re.compile(r"([+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eEdD][+-]?\d++)?)([dD])?")
_IDS = re.compile(r"0*+([1-9]\d*+)(?:\s*:\s*0*+([1-9]\d*+))?")
_BETWEEN = re.compile(r"[\s,\\]*")
_GOES_ON = re.compile(r"^[ \t]*\n\s*,")  # the comma only continues the statement
_WRAPPED = re.compile(r",[ \t]*\n\s*,")  # one separator at the end of a line
_ITEM = re.compile(r"""(?:\s*+(?:"[^"\n]*+"|'[^'\n]*+'))?[^,\\\n]*+""")  # a text may be quoted
_TYPED_ID = re.compile(r"\s*,?\s*([^\s,=\\]*+)(?!\s*=)")
_ENDLESS = re.compile(rf"\d{{{MOST_DIGITS}}}")
_NEXT_KEY = re.compile(r",\s*[A-Za-z][A-Za-z_0-9]*\s*=")


class Statement(Struct, frozen=True, eq=False):
    """A statement with its arguments by full name."""

    keyword: str
    id: int
    line: int
    name: str
    flags: frozenset[str]
    values: Mapping[str, tuple[str, ...]]

    @property
    def label(self) -> str:
        """Prefix of messages: ``line 12, PART/2``."""
        return label_of(self.line, self.keyword, self.id)

    def refusal(self, reason: str) -> DeckError:
        """Return an error that names the statement."""
        return DeckError(f"{self.label}: {reason}")

    def require_one_of(self, *words: str) -> None:
        """Check that at most one of some arguments and flags is given; raises DeckError."""
        present = [word for word in words if word in self.values or word in self.flags]
        if len(present) > 1:
            raise self.refusal(f"{' and '.join(present)} exclude each other; give one of them")

    def text(self, key: str) -> str | None:
        """Return a name or a function."""
        return self.values[key][0] if key in self.values else None

    def words(self, key: str, known: Collection[str]) -> tuple[str, ...]:
        """Return the words of an argument by their full names, which may be abbreviated.

        Words are separated by colons or commas, with or without parentheses.

        Raises
        ------
        DeckError
            If one is unknown or means several; names the allowed words.
        """
        typed = filter(None, re.split(r"[:,()\s]+", ",".join(self.values.get(key, ()))))
        return tuple(self._word(key, word, known) for word in typed)

    def word(self, key: str, known: Sequence[str]) -> str:
        """Return the word of an argument by its full name, by default the first of `known`."""
        text = (self.text(key) or known[0]).strip()
        return self._word(key, text, known)

    def _word(self, key: str, word: str, known: Collection[str]) -> str:
        if full := _full_name(word, known):
            return full
        near = [one for one in known if one.startswith(word.upper())]
        near = near or difflib.get_close_matches(word.upper(), known, 1)
        hint = f" (did you mean {' or '.join(near)}?)" if near else ""
        raise self.refusal(f"{key} = {word}: choose one of {', '.join(known)}{hint}")

    def numbers(self, key: str, size: int | None = None) -> Array | None:
        """Return values in the deck's units, ``90D`` in radians; None if missing.

        Raises
        ------
        DeckError
            If one is not a number, or there are not `size`.
        """
        if key not in self.values:
            return None
        items = self.values[key]
        matches = [_NUMBER.fullmatch(item) for item in items]
        if not all(matches) or (size is not None and len(matches) != size):
            expected = "numbers" if size is None else ("a number", "two", "three numbers")[size - 1]
            raise self.refusal(f"{key} = {', '.join(items)}: it takes {expected}")
        values = [
            float(re.sub("[dD]", "e", m[1])) * (math.pi / 180 if m[2] else 1.0)
            for m in matches
            if m
        ]
        if not np.isfinite(values).all():
            raise self.refusal(f"{key} = {', '.join(items)}: it is too large")
        return frozen(values, (len(values),))

    def number(self, key: str, default: float = 0.0) -> float:
        """Return one value in the deck's units."""
        numbers = self.numbers(key, 1)
        return default if numbers is None else float(numbers[0])

    def reference(self, key: str) -> int | None:
        """Return the id of another statement; None if missing."""
        if key not in self.values:
            return None
        (text,) = self.values[key]
        if not (text.isascii() and text.isdigit()):
            raise self.refusal(f"{key} = {text}: it requires the number of another statement")
        return int(text)


def label_of(line: int, keyword: str, id: int = 0) -> str:
    """Return the label of a statement in messages."""
    return f"line {line}, {keyword}/{id or ''}"


def read_statements(text: str) -> tuple[str, tuple[Statement, ...], tuple[str, ...]]:
    """Return title, statements, and a line on each kind of ignored statement.

    Raises
    ------
    DeckError
        If a statement is unknown, malformed, truncated, repeated or unsupported. Names line and
        statement.
    """
    lines = text.lstrip("\ufeff").splitlines() or [""]
    pieces = list(statement_texts(lines))
    statements: dict[tuple[str, int], Statement] = {}
    skipped: dict[str, int] = {}
    pictures: dict[int, tuple[int, str, str]] = {}
    for line, name, body in pieces:
        if _ENDLESS.search(body):
            raise DeckError(f"line {line}: a number of this statement has {MOST_DIGITS} digits")
        keyword, id, rest = _head(line, body)
        _require_id(line, keyword, body)
        if keyword in REFUSED:
            raise DeckError(f"{label_of(line, keyword, id)}: {REFUSED[keyword]}")
        if keyword in SKIPPED:
            skipped[keyword] = skipped.get(keyword, 0) + 1
            if keyword == "GRAPHICS":
                pictures[id] = line, name, rest
            continue
        one = _statement(keyword, id, line, name, rest)
        other = statements.setdefault((keyword, id), one)
        if other is not one:
            raise one.refusal(f"it is defined twice, in line {other.line} too")
    shapes = _shapes(statements.values(), pictures)
    statements |= shapes
    if shapes:
        skipped["GRAPHICS"] -= len(shapes)
    words = (
        f"{keyword} ({count}): {SKIPPED[keyword]}" for keyword, count in skipped.items() if count
    )
    return lines[0].strip(), tuple(statements.values()), (*words, *remarks(lines))


def _shapes(
    statements: Iterable[Statement], pictures: Mapping[int, tuple[int, str, str]]
) -> dict[tuple[str, int], Statement]:
    """Return the GRAPHICS that a CONTACT refers to."""
    contacts = [one for one in statements if one.keyword == "CONTACT"]
    ids = {
        int(id) for one in contacts for key in ("IGEOM", "JGEOM") for id in one.values.get(key, ())
    }
    return {
        ("GRAPHICS", id): _statement("GRAPHICS", id, *pictures[id])
        for id in sorted(ids & pictures.keys())
    }


def _require_id(line: int, keyword: str, body: str) -> None:
    """Check that a statement that is read has an id."""
    if keyword not in FORMS or keyword in WITHOUT_ID:
        return
    match = _TYPED_ID.match(body, body.index("/") + 1)
    typed = match[1] if match else ""
    if not _IDS.fullmatch(typed) or ":" in typed:
        what = f"not {typed[:40]}" if typed[:1] in {*"+-.0123456789"} else "and none is given"
        raise DeckError(f"line {line}, {keyword}/: the id must be an integer above 0, {what}")


def _head(line: int, body: str) -> tuple[str, int, str]:
    match = HEAD.match(body)
    if match is None:
        raise DeckError(
            f"line {line}: {body.partition(chr(10))[0][:40]!r} is not a statement; "
            "a statement begins with KEYWORD/"
        )
    known = (*FORMS, *SKIPPED, *REFUSED)
    keyword = _full_name(match[1], known, SHORTEST)
    if keyword is None:
        near = difflib.get_close_matches(match[1].upper(), known, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise DeckError(
            f"{label_of(line, match[1].upper(), int(match[2] or 0))}: {match[1].upper()} is not "
            f"supported{hint}; supported statements: {', '.join(FORMS)}"
        )
    return keyword, int(match[2] or 0), body[match.end() :]


def _statement(keyword: str, id: int, line: int, name: str, rest: str) -> Statement:
    form, label = form_of(keyword), label_of(line, keyword, id)
    flags: set[str] = set()
    values: dict[str, tuple[str, ...]] = {}
    key, at = "", _BETWEEN.match(rest).end()  # type: ignore[union-attr]
    while at < len(rest):
        if match := _KEY.match(rest, at):
            word = match[1].upper()
            known = form.abbreviations.get(word) or _full_name(word, form.keys)
            known = known or (LABEL if word == LABEL else None)
            if known is None:
                raise DeckError(f"{label}: unknown argument {match[1]}{_known_words(form, word)}")
            if known in values and known not in form.repeated.split():
                raise DeckError(f"{label}: {known} is given twice")
            key = known
            row, at = _value(label, form, key, rest, match.end())
            values[key] = (*values.get(key, ()), *row)
        else:
            item = _ITEM.match(rest, at)
            word = item[0].strip() if item else ""
            flag = _full_name(word, form.flags.split())
            if flag is not None:
                flags.add(flag)
            elif key in form.remarks.split():
                values[key] = (f"{values[key][0]}, {word}",)
            else:
                raise DeckError(f"{label}: {word[:40]!r} is unknown{_known_words(form, word)}")
            at = item.end() if item else len(rest)
        at = _BETWEEN.match(rest, at).end()  # type: ignore[union-attr]
    if LABEL in values:
        name = name or values[LABEL][0].strip("\"'")
    return Statement(keyword, id, line, name, frozenset(flags), values)


def _value(label: str, form: Form, key: str, rest: str, at: int) -> tuple[tuple[str, ...], int]:
    """Return the value of an argument, and the position after it."""
    items, end = (_function if key in form.functions.split() else _items)(form, key, rest, at)
    if key in form.texts.split():
        items = [item.strip("\"'") for item in items]
    if not items and not (key == "FUNCTION" and form.may_be_empty):
        raise DeckError(f"{label}: {key} = has no value; is the statement cut off?")
    if key in form.series.split():
        items = _series(label, key, items)
    return tuple(items) or ("",), end


def _function(form: Form, key: str, rest: str, at: int) -> tuple[list[str], int]:
    """Parse an expression up to its backslash, the next argument, or the end of its statement."""
    end = rest.find("\\", at)
    end = len(rest) if end < 0 else end
    if another := _NEXT_KEY.search(rest, at, end):  # expressions have no equals sign
        end = another.start()
    first, *more = rest[at:end].splitlines() or [""]
    lines = [first.strip(), *(line.strip().lstrip(", \t") for line in more)]
    value = " ".join(filter(None, lines)).rstrip(",")
    return [value] if value else [], end


def _items(form: Form, key: str, rest: str, at: int) -> tuple[list[str], int]:
    """Parse a text, or a row of numbers or texts as long as it continues."""
    items, end = list[str](), at
    is_list = key in form.lists.split()  # items of a list may be omitted
    if is_list:
        at = _BETWEEN.match(rest, end).end()  # type: ignore[union-attr]
    omitted = _GOES_ON.sub("", rest[end:at], count=1).count(",")
    while match := _ITEM.match(rest, at):
        item = match[0].strip()
        is_number = key in form.numbers.split() and _NUMBER.fullmatch(item)
        is_number = is_number or (key in form.series.split() and _IDS.fullmatch(item))
        is_text = is_list and not _KEY.match(rest, at)
        if items and not (is_number or is_text):
            break
        if item:
            items += [""] * (omitted * is_list) + [item]
        end = match.end()
        at = _BETWEEN.match(rest, end).end()  # type: ignore[union-attr]
        omitted = _WRAPPED.sub(",", rest[end:at]).count(",") - 1
        if not item or at >= len(rest) or at == end:
            break
    return items, end


def _series(label: str, key: str, items: list[str]) -> list[str]:
    """Return the ids of a row in which 2:5 stands for 2, 3, 4 and 5."""
    labels: list[str] = []
    for item in items:
        match = _IDS.fullmatch(item)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not first <= last < first + MOST_IDS:
            raise DeckError(
                f"{label}: {key} = {item}: it requires ids of statements, such as 1, 2:5"
            )
        labels += map(str, range(first, last + 1))
    return labels


def _full_name(word: str, known: Collection[str], shortest: int = 1) -> str | None:
    """Return the name equal to a word or abbreviated by it; None if none or several.

    Of a name and longer ones that begin with it, an abbreviation means the name itself.
    """
    word = word.upper()
    if word in known:
        return word
    near = [name for name in known if len(word) >= shortest and name.startswith(word) and word]
    least = min(near, key=len, default="")
    return least if near and all(name.startswith(least) for name in near) else None


def _known_words(form: Form, word: str) -> str:
    """The words of a statement that another may mean; all of them where none is like it."""
    word, flags = word.upper(), form.flags.split()
    known = list(dict.fromkeys([*form.keys, *flags]))
    begun = [one for one in known if word and one.startswith(word)]
    if near := begun or difflib.get_close_matches(word, known, 1):
        return f" (did you mean {' or '.join(near)}?)"
    of_flags = f"; flags {', '.join(flags)}" if flags else ""
    return f"; arguments {', '.join(form.keys)}{of_flags}"
