"""The regular expressions of `sim/`, and texts made to keep each of them busy."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from re import _constants as kind  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import sim

METHODS = frozenset({"match", "fullmatch", "search", "sub", "findall", "finditer", "split"})
CHARACTERS = "a0 <-[(.,\n/xµ:;=\"'>]){}#!?+eE_Z9$|\\" + "".join(map(chr, range(33, 127)))
# A name and what is asked of it: read from the text, for a tree of every file takes seconds.
ASKED = re.compile(rf"\b(\w+)\.({'|'.join(sorted(METHODS))})\b")
OF_RE = re.compile(rf"\bre\.({'|'.join(sorted(METHODS | {'compile'}))})\b")
MOST_WORDS = 8  # of which an expression's attacks are put together


@dataclass(frozen=True)
class Pattern:
    """A regular expression, where it stands, and what is asked of it."""

    place: str
    text: str
    flags: int
    methods: frozenset[str]
    is_bytes: bool = False

    def asked(self, method: str, text: str) -> None:
        """Ask it of a text."""
        form = re.compile(self.text.encode("latin-1") if self.is_bytes else self.text, self.flags)
        given: Any = text.encode("latin-1", "replace") if self.is_bytes else text
        if method == "sub":
            form.sub(b"" if self.is_bytes else "", given)  # type: ignore[arg-type]
        elif method == "finditer":
            for _ in form.finditer(given):
                pass
        else:
            getattr(form, method)(given)


def patterns(tables: Mapping[str, Sequence[str]]) -> Iterator[Pattern]:
    """The expression of each call of `re` in `sim/`.

    A call whose expression is no constant takes those that `tables` has for its file.
    """
    root = Path(sim.__file__).parent
    files = {path: path.read_text(encoding="utf-8") for path in root.rglob("*.py")}
    used: dict[str, set[str]] = {}
    for name, method in chain.from_iterable(map(ASKED.findall, files.values())):
        used.setdefault(name, set()).add(method)
    for path in sorted(path for path, text in files.items() if OF_RE.search(text)):
        nodes = tuple(ast.walk(ast.parse(files[path])))
        names = {
            id(node.value): ast.unparse(node.targets[0])
            for node in nodes
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        }
        for call in nodes:
            if _is_of_re(call):
                asked = {call.func.attr} & METHODS or used.get(names.get(id(call), ""), set())
                known = frozenset(asked) & METHODS or METHODS
                yield from _patterns(path.relative_to(root), call, known, tables)


def _is_of_re(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    module = node.func.value
    is_re = isinstance(module, ast.Name) and module.id == "re"
    return is_re and node.func.attr in METHODS | {"compile"}


def _patterns(
    path: Path, call: ast.Call, methods: frozenset[str], tables: Mapping[str, Sequence[str]]
) -> Iterator[Pattern]:
    try:
        names = vars(importlib.import_module(".".join(("sim", *path.with_suffix("").parts))))
        told = [eval(ast.unparse(call.args[0]), dict(names))]  # our own code
    except NameError:
        told = list(tables[path.as_posix()])
    flags = 0
    for node in (part for each in (*call.args[1:], *call.keywords) for part in ast.walk(each)):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "re":
            flags |= getattr(re, node.attr)
    place = f"{path.as_posix()}:{call.lineno}"
    for said in told:
        text = said.decode("latin-1") if isinstance(said, bytes) else said
        yield Pattern(place, text, flags, methods, isinstance(said, bytes))


def attacks(pattern: Pattern) -> Iterator[tuple[str, str, str]]:
    """Beginning, what is repeated, and end of texts that nearly match in many ways."""
    items: Sequence[Any] = list(parser.parse(pattern.text, pattern.flags))
    words = sorted({*_words(items), " "}, key=lambda word: (len(word), word))[:MOST_WORDS]
    starts = {"", *(_sample(items[: k + 1], pick) for k in range(len(items)) for pick in (0, 1))}
    repeated = {*words, *(one + other for one in words for other in words), *starts} - {""}
    for start in sorted(starts, key=len):
        for each in sorted(repeated):
            yield from ((start, each, end) for end in ("", "\x01"))


def grown(attack: tuple[str, str, str], length: int) -> str:
    """An attack as a text of about so many characters."""
    start, repeated, end = attack
    return start + repeated * max(1, length // len(repeated)) + end


def _sample(items: Sequence[Any], pick: int) -> str:
    return "".join(_one(item, pick) for item in items)


def _one(item: Any, pick: int) -> str:
    """A text that one part of an expression matches."""
    sort, value = item
    if sort is kind.LITERAL:
        return chr(value)
    if sort in (kind.ANY, kind.IN, kind.NOT_LITERAL):
        form = "." if sort is kind.ANY else _class([item] if sort is kind.NOT_LITERAL else value)
        fitting = [c for c in CHARACTERS if re.fullmatch(form, c)]
        return fitting[pick % len(fitting)] if fitting else ""
    if sort in (kind.MAX_REPEAT, kind.MIN_REPEAT, kind.POSSESSIVE_REPEAT):
        return _sample(value[2], pick) * max(1, value[0])
    if sort is kind.BRANCH:
        return _sample(value[1][pick % len(value[1])], pick)
    inner = _inside(item)
    return _sample(inner[0], pick) if inner else ""


def _inside(item: Any) -> list[Any]:
    """The expressions within a part of an expression."""
    sort, value = item
    if sort in (kind.MAX_REPEAT, kind.MIN_REPEAT, kind.POSSESSIVE_REPEAT):
        return [value[2]]
    if sort is kind.SUBPATTERN:
        return [value[3]]
    if sort is kind.BRANCH:
        return list(value[1])
    return [value] if sort is kind.ATOMIC_GROUP else []


def _words(items: Sequence[Any]) -> set[str]:
    """Runs of letters that stand in an expression, and letters that its classes match."""
    words, run = set(), ""
    for item in (*items, (None, None)):
        if item[0] is kind.LITERAL:
            run += chr(item[1])
            continue
        words |= {run, run[:1]}
        run = ""
        if item[0] is not None:
            words |= {_one(item, pick) for pick in range(3)}
        for inner in _inside(item):
            words |= _words(inner)
    return words - {""}


_CATEGORIES = {
    kind.CATEGORY_SPACE: r"\s", kind.CATEGORY_NOT_SPACE: r"\S",
    kind.CATEGORY_DIGIT: r"\d", kind.CATEGORY_NOT_DIGIT: r"\D",
    kind.CATEGORY_WORD: r"\w", kind.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip


def _class(parts: Sequence[Any]) -> str:
    written = "["
    for sort, value in parts:
        if sort is kind.NEGATE:
            written += "^"
        elif sort in (kind.LITERAL, kind.NOT_LITERAL):
            written += "^" * (sort is kind.NOT_LITERAL) + re.escape(chr(value))
        elif sort is kind.RANGE:
            written += "-".join(re.escape(chr(end)) for end in value)
        else:
            written += _CATEGORIES[value]
    return written + "]"
