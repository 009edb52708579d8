"""Cases of the manual: a folder per chapter, a file per case; user cases are files too."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from sim.errors import ScenarioError, missing
from sim.shipped import verification
from sim.verification.case import Case

OWN = "own"  # chapter of a user's file
CHAPTERS = MappingProxyType(
    {
        "closed_forms": "Closed forms",
        "textbooks": "Textbooks",
        "iftomm": "IFToMM benchmarks",
        "adams": "ADAMS",
        "other_codes": "Other codes",
        "papers": "The four papers",
        "machine": "A real machine",
    }
)


@dataclass(frozen=True, eq=False)
class FiledCase:
    """A case and its file.

    Parameters
    ----------
    name : str
        File name without ``.py``.
    chapter : str
        Its folder; ``own`` for a user's file.
    title, problem : str
        First line and the rest of the file's docstring.
    case : Case
    path : Path
    """

    name: str
    chapter: str
    title: str
    problem: str
    case: Case
    path: Path

    @property
    def command(self) -> str:
        """Command that verifies the case."""
        return f"sim verify {self.path.as_posix() if self.chapter == OWN else self.name}"


@cache
def case_names() -> dict[str, str]:
    """Return the chapter by name of each case, in the order of the manual, without loading them."""
    return {
        path.stem: chapter
        for chapter in CHAPTERS
        for path in sorted((verification() / chapter).glob("*.py"))
    }


def find_cases(words: Iterable[str] = ()) -> list[FiledCase]:
    """Return cases by names of cases and chapters, files and folders, each once (default: all).

    Raises
    ------
    ScenarioError
        If a word is none of them, or a file or folder contains no case.
    """
    known = case_names()
    cases: dict[str, FiledCase] = {}
    for word in list(words) or list(known):
        if word in known:
            cases.setdefault(word, load_case(word))
        elif word in CHAPTERS:
            for name in (name for name, chapter in known.items() if chapter == word):
                cases.setdefault(name, load_case(name))
        elif word.endswith(".py"):
            cases[word] = read_case(Path(word))
        elif Path(word).is_dir():
            cases |= {filed.path.as_posix(): filed for filed in _cases_in(Path(word))}
        else:
            raise ScenarioError(_unknown_word(word, known))
    return list(cases.values())


def _unknown_word(word: str, known: dict[str, str]) -> str:
    near = difflib.get_close_matches(word, [*known, *CHAPTERS], 3)
    parts = [name for name in known if word and word.lower() in name]
    hint = list(dict.fromkeys([*near, *parts]))[:4]
    nearest = f"; near it: {', '.join(hint)}" if hint else ""
    return (
        f"There is no case or chapter {word!r}{nearest}; chapters: {', '.join(CHAPTERS)}; "
        "`sim verify --list` names all cases; or give the path of a .py file or a folder"
    )


@cache
def load_case(name: str) -> FiledCase:
    """Return a case of the manual by its name."""
    chapter = case_names()[name]
    filed = _case_in(verification() / chapter / f"{name}.py", chapter)
    assert filed is not None, f"{name} has no CASE"
    return filed


def read_case(path: Path) -> FiledCase:
    """Return the case in a user's file.

    Raises
    ------
    ScenarioError
        If there is no such file, or it does not define a `CASE`.
    """
    if not path.is_file():
        raise ScenarioError(missing(path))
    filed = _case_in(path)
    if filed is None:
        raise ScenarioError(f"{path} defines no case; it has `CASE = sim.Case(source=…, …)`")
    return filed


def _case_in(path: Path, chapter: str = OWN) -> FiledCase | None:
    """Return the case of a file; None for one without `CASE`, such as a shared module."""
    from sim.scenario.script import run_file

    module = run_file(path)
    case = module.__dict__.get("CASE")
    if not isinstance(case, Case):
        return None
    title, _, problem = (inspect.getdoc(module) or path.stem).partition("\n")
    title = title.strip().rstrip(".")
    return FiledCase(path.stem, chapter, title, problem.strip(), case, path)


def _cases_in(folder: Path) -> list[FiledCase]:
    """Return the cases of a user's folder, by name."""
    cases_or_none = [_case_in(path) for path in sorted(folder.glob("*.py"))]
    cases = [filed for filed in cases_or_none if filed is not None]
    if not cases:
        raise ScenarioError(f"Folder {folder} has no .py file with `CASE = sim.Case(source=…, …)`")
    return cases
