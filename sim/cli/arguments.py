"""Arguments common to several commands, and a parser with one-line errors."""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, NoReturn

from sim.cli.exit_status import MISUSE
from sim.errors import SimError, in_one_line

RUN_HELP = "run folder, or scenario name for its newest run"
ROBOT_HELP = "shipped robot (sim list), or URDF, MJCF, SDF or xacro file"
SCENARIO_HELP = "shipped scenario (sim list) or scenario script (.py)"
OF_SEVERAL_WORDS = ("--mount", "--tcp")
"""Options whose value is up to six numbers or a word; arguments after it are not part of it."""


class Parser(argparse.ArgumentParser):
    """A parser with one-line errors that reads -1.2e-16 as a number, not an option."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # argparse reads no exponents, but Python writes them: str(-1.2e-16)
        self._negative_number_matcher = re.compile(
            r"-(\d[\d_]*+\.?\d*+|\.\d++)(e[-+]?\d++)?$|-(inf|infinity|nan)$", re.IGNORECASE
        )

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse the arguments; an unknown one is an error of the command itself, under its name."""
        args = _with_joined_numbers(sys.argv[1:] if args is None else list(args))
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._suggest(unknown)}")
        return options, unknown

    def error(self, message: str) -> NoReturn:
        """Print the error with a suggestion, and exit."""
        if match := re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)$", message):
            message += _suggestion(match[1], match[2].replace("'", "").split(", "))
        self.exit(MISUSE, f"{self.prog}: {in_one_line(message)}; see {self.prog} --help\n")

    def _suggest(self, unknown: list[str]) -> str:
        """Suggest an option or a parameter of the scenario for an unknown option."""
        option, _, value = unknown[0].partition("=")
        if not option.startswith("--"):
            return ""
        if near := _suggestion(option, list(self._option_string_actions)):
            return near
        value = value or next((word for word in unknown[1:2] if word[:2] != "--"), "VALUE")
        takes_parameters = "--set" in self._option_string_actions
        return f"; set a parameter with --set {option[2:]}={value}" if takes_parameters else ""


def _with_joined_numbers(words: list[str]) -> list[str]:
    """Join the words of each value of `OF_SEVERAL_WORDS` in a command line to one word."""
    joined: list[str] = []
    k = 0
    while k < len(words):
        word, values = words[k], words[k + 1 : k + 7]
        count = 0
        if word in OF_SEVERAL_WORDS:
            numbers = itertools.takewhile(_is_number, values)
            count = max(len(list(numbers)), int(values[:1] != [] and values[0][:2] != "--"))
        joined.append(f"{word}={' '.join(values[:count])}" if count else word)
        k += 1 + count
    return joined


def _is_number(word: str) -> bool:
    try:
        number(word)
    except argparse.ArgumentTypeError:
        return False
    return True


def _suggestion(word: str, known: list[str]) -> str:
    """Return the end of a sentence that suggests similar options; empty if there is none."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1, 0.7)
    return f"; did you mean {near[0]!r}?" if near else ""


def number(text: str) -> float:
    """Return a number in plain digits; Python also reads ``1_0`` and digits of other scripts."""
    try:
        if text.isascii() and "_" not in text:
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not a number; use the digits 0 to 9")


def joints_and_number(
    option: str, word: str, names: Sequence[str], kind: type[SimError]
) -> tuple[list[str], float]:
    """Return the joints of ``[JOINT=]X``, by name or pattern, all without one, and its number.

    Raises
    ------
    SimError
        Of this kind, if it is not a number.
    """
    pattern, sign, text = word.rpartition("=")
    try:
        value = number(text)
    except argparse.ArgumentTypeError as error:
        raise kind(f"{option} {word}: {error}") from None
    return [name for name in names if fnmatchcase(name, pattern if sign else "*")], value


def add_flag(command: argparse._ActionsContainer, name: str, meaning: str) -> None:
    """Add an option without a value."""
    command.add_argument(name, action="store_true", help=meaning)


def add_number(
    command: argparse._ActionsContainer,
    name: str,
    metavar: str,
    meaning: str,
    default: float | None = None,
    dest: str | None = None,
) -> None:
    """Add an option with one number."""
    command.add_argument(
        name, type=number, metavar=metavar, default=default, dest=dest, help=meaning
    )


def add_repeated(
    command: argparse._ActionsContainer,
    name: str,
    metavar: str,
    meaning: str,
    dest: str | None = None,
) -> None:
    """Add an option that may be repeated; its values are a list."""
    command.add_argument(
        name, action="append", default=[], metavar=metavar, dest=dest, help=meaning
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """Add the option ``--json``."""
    command.add_argument("--json", action="store_true", help="print one JSON document on stdout")


def add_limit(command: argparse.ArgumentParser, usual: str = "all") -> None:
    """Add the option ``--limit``; `usual` is the default number of rows."""
    command.add_argument(
        "--limit",
        type=_rows,
        metavar="N",
        help=f"maximum number of table rows (default: {usual}); --json always has all",
    )


def add_verbose(command: argparse.ArgumentParser) -> None:
    """Add the option ``--verbose``."""
    add_flag(command, "--verbose", "print all tables, checks, published results and assumptions")


def add_junit(command: argparse.ArgumentParser) -> None:
    """Add the option ``--junit``."""
    command.add_argument("--junit", metavar="FILE", help="also write the checks as JUnit XML")


def add_robot(command: argparse.ArgumentParser) -> None:
    """Add the argument ``ROBOT``."""
    command.add_argument("robot", metavar="ROBOT", help=ROBOT_HELP)


def add_set(command: argparse.ArgumentParser) -> None:
    """Add the option ``--set``, whose values are in ``settings``."""
    add_repeated(command, "--set", "K=V", "scenario parameter; repeatable", dest="settings")


def add_method_and_dt(command: argparse.ArgumentParser, methods: Sequence[str]) -> None:
    """Add the options ``--method`` and ``--dt``."""
    command.add_argument(
        "--method", choices=methods, help="solution method (default: the scenario's)"
    )
    add_number(
        command, "--dt", "S", "sampling interval and engine step [s] (default: the scenario's)"
    )


def _rows(text: str) -> int:
    """Return a number of rows."""
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of rows, 1 or more")
    return int(text)
