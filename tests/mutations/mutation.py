"""Mutation: one small change, the run that it is tried on, and what must be said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from sim.recording import Recording
from tests.mutations.code_change import CodeChange, StaleError


@dataclass(frozen=True)
class Outcome:
    """What was said of a run.

    Parameters
    ----------
    failing : tuple of (str, str)
        Name and channel of each check that failed.
    differing : tuple of str
        Channels in which it differs from the baseline, or which only one of them has; and where it
        differs at all, the settings that do.
    error : str
        Kind and message of what was raised; empty where nothing was.
    words : tuple of str
        What else a comparison says: its level, a shift in time, and what changed in the inputs.
    """

    failing: tuple[tuple[str, str], ...] = ()
    differing: tuple[str, ...] = ()
    error: str = ""
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        checks = ", ".join(f"{name} ({channel})" for name, channel in self.failing)
        lines = (
            f"checks that fail: {checks or 'none'}",
            f"channels that differ: {', '.join(self.differing) or 'none'}",
            f"error: {self.error or 'none'}",
            f"words: {'; '.join(self.words) or 'none'}",
        )
        return "\n".join(lines)


@dataclass(frozen=True)
class Fails:
    """A check must fail, on a channel; both may be patterns."""

    check: str
    channel: str = "*"

    def is_in(self, outcome: Outcome) -> bool:
        """Whether it was said."""
        return any(
            fnmatchcase(name, self.check) and fnmatchcase(channel, self.channel)
            for name, channel in outcome.failing
        )


@dataclass(frozen=True)
class Refuses:
    """An error of the package must contain a phrase: the command stops with status 2."""

    phrase: str

    def is_in(self, outcome: Outcome) -> bool:
        """Whether it was said."""
        kind, _, message = outcome.error.partition(": ")
        return kind.endswith("Error") and self.phrase in message and "Traceback" not in message


@dataclass(frozen=True)
class Differs:
    """The comparison with the baseline must name a channel, which may be a pattern."""

    channel: str

    def is_in(self, outcome: Outcome) -> bool:
        """Whether it was said."""
        return any(fnmatchcase(channel, self.channel) for channel in outcome.differing)


@dataclass(frozen=True)
class Says:
    """The comparison must say something, whether the two differ or not; may be a pattern."""

    words: str

    def is_in(self, outcome: Outcome) -> bool:
        """Whether it was said."""
        return any(fnmatchcase(words, self.words) for words in outcome.words)


@dataclass(frozen=True)
class Stops:
    """Whoever says it: a check must fail, or an error be raised."""

    def is_in(self, outcome: Outcome) -> bool:
        """Whether it was said."""
        return bool(outcome.failing or outcome.error)


Expected = Fails | Refuses | Differs | Says | Stops


@dataclass(frozen=True)
class TextChange:
    """A text that occurs once in a file of the scenarios, and what stands there instead."""

    file: str
    old: str
    new: str

    def apply(self, top: Path) -> tuple[Path, str]:
        """File below the top of the copy, and its changed text.

        Raises
        ------
        StaleError
            If the text is not there just once.
        """
        path = top / "scenarios" / self.file
        if not path.is_file():
            raise StaleError(f"{self.file} is not there")
        text = path.read_text("utf-8")
        if (count := text.count(self.old)) != 1 or self.old == self.new:
            raise StaleError(f"{self.file} has {count} times what is changed:\n{self.old}")
        return path, text.replace(self.old, self.new)


# A change of what a run recorded, of which the files are then written and sealed anew, as somebody
# would who wants to be believed.
Lie = Callable[[Recording], Recording]
# A change of the files of a run, or of its baseline, as they lie there.
Damage = Callable[[Path], None]


@dataclass(frozen=True)
class Mutation:
    """One row of the table.

    Parameters
    ----------
    kind : str
        ``code``, ``input``, ``file``, ``baseline``, ``limit``, ``comparison`` or ``test``.
    name : str
        What is changed, in a few words.
    run : str
        Scenario of `tests/mutations/scenarios`, and method; of a ``test`` its file and name.
    expected : tuple of Expected
        All must be said.
    change : CodeChange or TextChange, optional
        Of program or scenario; for a ``limit`` or a ``comparison``, the program that is blind.
    lie : Lie, optional
    damage : Damage, optional
        Of the run's folder; of the baseline's for a ``baseline`` or a ``comparison``.
    rules : str
        Text of the file of rules for a ``comparison``.
    command : str
        What looks at the changed files: ``check``, ``compare`` or ``accept``.
    """

    kind: str
    name: str
    run: str
    expected: tuple[Expected, ...]
    change: CodeChange | TextChange | None = None
    lie: Lie | None = None
    damage: Damage | None = None
    rules: str = ""
    command: str = "check"

    def __str__(self) -> str:
        return f"{self.kind}: {self.name} [{self.run}]"


def lie(name: str, run: str, change: Lie, *expected: Expected, command: str = "check") -> Mutation:
    """A change of what a run recorded, written and sealed anew."""
    return Mutation("file", name, run, expected, lie=change, command=command)


def damage(
    name: str, run: str, change: Damage, *expected: Expected, command: str = "check"
) -> Mutation:
    """A change of the files of a run."""
    return Mutation("file", name, run, expected, damage=change, command=command)


def baseline(
    name: str,
    run: str,
    change: Damage,
    *expected: Expected,
    lie: Lie | None = None,
    command: str = "compare",
) -> Mutation:
    """A change of the files of a baseline, to which the run is then compared."""
    return Mutation("baseline", name, run, expected, damage=change, lie=lie, command=command)


def limit(
    name: str, place: str, old: str, new: str, run: str, lie: Lie, *expected: Expected
) -> Mutation:
    """A limit so wide that a lie, which is found today, passes."""
    change = CodeChange(place, old, new)
    return Mutation("limit", name, run, expected, change=change, lie=lie)


def comparison(
    name: str,
    place: str,
    old: str,
    new: str,
    run: str,
    lie: Lie,
    *expected: Expected,
    damage: Damage | None = None,
    rules: str = "",
) -> Mutation:
    """A change of what compares: what it says today of a lie or a baseline, it does not say."""
    change = CodeChange(place, old, new)
    return Mutation(
        "comparison", name, run, expected, change=change, lie=lie, damage=damage, rules=rules
    )
