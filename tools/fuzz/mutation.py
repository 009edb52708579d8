"""Mutations of a valid input: of text, of bytes, of numbers in text."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

NUMBERS = (
    *("0", "-0", "1", "-1", "2", "0.5", "1e-9", "1e-300", "5e-324", "1e300", "1e308", "1.8e308"),
    *("nan", "NaN", "inf", "-inf", "1e400", "-1e9", "1e9", "4294967296", "9223372036854775808"),
    *("0x10", "1_0", "1,5", "1.", ".5", "+3", "1e", "--1", "1d", "٣", "1" * 400, "1e-1000"),
    *("3.141592653589793", "0.1", "100", "1e5", "1e-5", "1e16", "1e-16", "0.0000", "1e99999999999"),
)
WORDS = (
    *("", " ", "\t", "\n", "\r", "\0", "\x1b[2J", "\u2028", "\x85", "\u202e", "\ufeff", "a" * 300),
    *"x é 关节 ../x / \\ %s {0} ${x} < &amp; &#0; ' \" null None true".split(),
    *("$(find y)", *"; , = # ! - -- : | [] {} .".split()),
)

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"\w+")

TextChange = Callable[[str, random.Random], str]


def another_number(text: str, chance: random.Random) -> str:
    """Replace a number."""
    return _replaced(text, _NUMBER, chance.choice(NUMBERS), chance)


def another_word(text: str, chance: random.Random) -> str:
    """Replace a word by another of the text, or by an odd one."""
    words = _WORD.findall(text)
    return _replaced(text, _WORD, chance.choice([*words[:200], *WORDS]), chance)


def _replaced(text: str, pattern: re.Pattern[str], new: str, chance: random.Random) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text + new
    one = chance.choice(found)
    return text[: one.start()] + new + text[one.end() :]


def cut(text: str, chance: random.Random) -> str:
    """Remove a part."""
    start = chance.randrange(len(text) + 1)
    return text[:start] + text[start + int(chance.expovariate(0.1)) + 1 :]


def ended(text: str, chance: random.Random) -> str:
    """Remove the end."""
    return text[: chance.randrange(len(text) + 1)]


def inserted(text: str, chance: random.Random) -> str:
    """Insert an odd word or number."""
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice(WORDS + NUMBERS) + text[place:]


def moved(text: str, chance: random.Random) -> str:
    """Copy a part to another place, perhaps many times."""
    start, place = (chance.randrange(len(text) + 1) for _ in range(2))
    stretch = text[start : start + int(chance.expovariate(0.03)) + 1]
    return text[:place] + stretch * chance.choice([1, 1, 2, 10]) + text[place:]


def lines_changed(text: str, chance: random.Random) -> str:
    """Remove, duplicate or swap lines."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return text
    i, j = (chance.randrange(len(lines)) for _ in range(2))
    how = chance.randrange(3)
    if how == 0:
        del lines[i]
    elif how == 1:
        lines.insert(j, lines[i])
    else:
        lines[i], lines[j] = lines[j], lines[i]
    return "".join(lines)


def character(text: str, chance: random.Random) -> str:
    """Replace a character."""
    if not text:
        return text
    place = chance.randrange(len(text))
    new = chr(chance.choice([chance.randrange(32, 127), chance.randrange(0x300), 0x1F916]))
    return text[:place] + new + text[place + 1 :]


TEXT_CHANGES: Sequence[TextChange] = (
    *(another_number, another_number, another_word, another_word, cut, ended),
    *(inserted, moved, lines_changed, character),
)


def text_mutated(
    data: bytes, chance: random.Random, changes: Sequence[TextChange], longest: int
) -> bytes:
    """Mutate the bytes of a text by one to four changes, sometimes with a byte that is not text."""
    text = data.decode("utf-8", "surrogateescape")
    for _ in range(chance.choice([1, 1, 1, 2, 2, 4])):
        text = chance.choice(changes)(text, chance)[:longest]
    made = text.encode("utf-8", "surrogateescape")
    return bytes_mutated(made, chance) if chance.random() < 0.03 else made


def bytes_mutated(data: bytes, chance: random.Random) -> bytes:
    """Change one to four bytes, remove the end, or repeat a part."""
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 4])):
        place = chance.randrange(len(changed) + 1)
        how = chance.randrange(5)
        if how == 0 and place < len(changed):
            changed[place] ^= 1 << chance.randrange(8)
        elif how == 1:
            count = chance.choice([1, 2, 4, 8, 64])
            changed[place : place + count] = chance.randbytes(count)
        elif how == 2:
            odd = chance.choice([b"\0" * 4, b"\xff" * 4, b"\xff\xff\xff\x7f", b"\x80", b"\xfe\xff"])
            changed[place : place + len(odd)] = odd
        elif how == 3:
            del changed[place : place + chance.choice([1, 4, 100])]
        elif chance.random() < 0.2:
            del changed[place:]
        else:
            changed[place:place] = changed[place : place + chance.choice([4, 40])]
    return bytes(changed)
