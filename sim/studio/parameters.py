"""Numbers of the forms that a study can vary, each a named parameter of the script."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from sim.studio.setup import Setup

FLOOR = ("height", "stiffness", "damping", "friction")
SPRING = ("stiffness", "damping", "free_length")
LONGEST = 60  # characters of a name
BESIDE = 24  # context shown before and after a number in a function
_NUMBER = re.compile(r"(?<![\w.$])(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?(?=[dD]?(?![\w.]))", re.ASCII)


class Parameter(float):
    """A number that is a parameter of the script: its repr is the name."""

    name: str

    def __repr__(self) -> str:
        return self.name


class Template(str):
    """A function of time with names of parameters in braces, as in an f-string."""


def numbers_of(setup: Setup) -> dict[str, tuple[str, str]]:
    """Return the numbers of a setup by name, except payload and duration: literal and context."""
    names = _Names(())
    _visit(setup, names)
    return {name: (one, names.places[name]) for name, one in names.literals.items()}


def with_parameters(setup: Setup) -> tuple[Setup, dict[str, str]]:
    """Return a setup with parameters for its varied numbers, and their literals by name."""
    names = _Names(setup.varied)
    changed = _visit(setup, names)
    return changed, {name: names.literals[name] for name in names.varied if name in names.literals}


class _Names:
    """Names of the visited numbers, and the varied ones."""

    def __init__(self, varied: Iterable[str]) -> None:
        self.varied = dict.fromkeys(varied)
        self.literals: dict[str, str] = {}
        self.places: dict[str, str] = {}

    def number(self, value: float, *words: str) -> float:
        """Return the number, or its parameter."""
        name = self._note(repr(value), words)
        return value if name is None else _parameter(value, name)

    def text(self, text: str, owner: str) -> str:
        """Return the function, with parameters among its numbers."""
        parts, end = list[str](), 0
        for k, match in enumerate(_NUMBER.finditer(text), 1):
            place = f"{text[max(0, match.start() - BESIDE) : match.start()]}‹{match[0]}›"
            place += text[match.end() : match.end() + BESIDE]
            if name := self._note(repr(float(match[0])), (owner, str(k)), place):
                parts += [_escape(text[end : match.start()]), f"{{{name}}}"]
                end = match.end()
        return Template("".join(parts) + _escape(text[end:])) if parts else text

    def _note(self, literal: str, words: tuple[str, ...], place: str = "") -> str | None:
        name = re.sub(r"\W", "_", "_".join(words), flags=re.ASCII)
        is_usable = name[:1].isalpha() and name.isascii() and len(name) <= LONGEST
        if not is_usable or name in self.literals:
            return None
        self.literals[name] = literal
        self.places[name] = place
        return name if name in self.varied else None


def _visit(setup: Setup, names: _Names) -> Setup:
    number, text = names.number, names.text
    floor = setup.floor
    x, y, z = (number(value, "com", axis) for value, axis in zip(setup.com, "xyz", strict=True))
    gravity = zip(setup.gravity, "xyz", strict=True)
    g_x, g_y, g_z = (number(value, "gravity", axis) for value, axis in gravity)
    return replace(
        setup,
        drives={j: replace(one, text=text(one.text, j)) for j, one in setup.drives.items()},
        path=None if setup.path is None else {c: text(one, c) for c, one in setup.path.items()},
        friction={j: number(value, "friction", j) for j, value in setup.friction.items()},
        positions={j: number(value, "start", j) for j, value in setup.positions.items()},
        drive_trains={
            j: {key: number(value, j, key) for key, value in train.items()}
            for j, train in setup.drive_trains.items()
        },
        springs=[
            replace(one, **{key: number(getattr(one, key), one.name, key) for key in SPRING})
            for one in setup.springs
        ],
        floor=None
        if floor is None
        else replace(floor, **{key: number(getattr(floor, key), "floor", key) for key in FLOOR}),
        com=(x, y, z),
        gravity=(g_x, g_y, g_z),
    )


def _parameter(value: float, name: str) -> Parameter:
    one = Parameter(value)
    one.name = name
    return one


def _escape(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
