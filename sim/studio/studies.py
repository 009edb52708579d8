"""Studies of the window: requests for `sim sweep` and `sim optimise`, and results in the folder."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from sim.studio.folder import Folder
from sim.studio.refusal import RefusalError
from sim.studio.robot_source import deck_path
from sim.studio.setup import DECK, NAME, Word

STUDIES = "results/studies"
PAGE, DESCRIPTION, CASES = "study.html", "study.json", "cases.jsonl"
MOST = 100  # studies that are listed
_PARAMETER = re.compile(r"[A-Za-z_]\w{0,59}", re.ASCII)
# No colon: FILE.py:FUNCTION would be executed.
_RESPONSE = re.compile(r"[A-Za-z][\w .*+/()^-]{0,199}", re.ASCII)
_ID = re.compile(r"[a-z][a-z0-9_]{0,39}-\d{8}T\d{6}", re.ASCII)


class Range(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Range of a parameter, and its number of values in a grid."""

    parameter: Word
    low: float
    high: float
    count: Annotated[int, msgspec.Meta(ge=2, le=1000)] = 5


class StudyRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A study of a script or of a deck.

    Parameters
    ----------
    script : str
        Name of a script, or a deck.
    kind : str
        ``sweep`` over a grid; the ``largest`` value within a limit; ``minimise`` or ``maximise`` a
        response within it.
    vary : list of Range
    response : str
        Response that is recorded, or optimised.
    limit : str
        Response of the limit; empty for none.
    relation, value
        Of the limit.
    analytic : bool
        Whether the analytic model alone is evaluated, and some cases simulated as a check.
    sha256 : str
        Of the script, as saved by the window; empty to request only the command.
    """

    script: Word
    kind: Literal["sweep", "largest", "minimise", "maximise"]
    vary: Annotated[list[Range], msgspec.Meta(min_length=1, max_length=4)]
    response: Word = ""
    limit: Word = ""
    relation: Literal[">=", "<="] = ">="
    value: float = 0.0
    analytic: bool = False
    sha256: str = ""

    @property
    def file(self) -> str:
        """File of the script, as typed in the folder."""
        return self.script if DECK.fullmatch(self.script) else f"{self.script}.py"

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return Path(self.file).stem


def require_studied(folder: Folder, study: StudyRequest) -> None:
    """Check that a study's script is the window's and unchanged, or that its deck is in the folder.

    Meshes of its robot may be missing: a study draws nothing.

    Raises
    ------
    RefusalError
        If it cannot be studied.
    """
    if DECK.fullmatch(study.script):
        deck_path(folder, study.script)
    else:
        folder.require_saved(study.script, study.sha256)


def study_command(study: StudyRequest) -> list[str]:
    """Return the command line of a study, without the folder that it writes.

    Raises
    ------
    RefusalError
        If a word or number of it is invalid.
    """
    _require_words(study)
    if study.kind == "sweep":
        vary = [f"--vary={_range(one)}:{one.count}" for one in study.vary]
        return [
            "sweep",
            study.file,
            *vary,
            *_write_response("response", study),
            *_analytic_option(study),
        ]
    limit = f"{study.limit}{study.relation}{study.value!r}" if study.limit else ""
    if study.kind == "largest":
        if len(study.vary) != 1:
            raise RefusalError(422, "the largest value is that of one parameter")
        within = [f"--within={limit}"] if limit else []
        return ["sweep", study.file, f"--largest={_range(study.vary[0])}", *within]
    subject = [f"--subject-to={limit}"] if limit else []
    vary = [f"--vary={_range(one)}" for one in study.vary]
    return ["optimise", study.file, *vary, *_write_response(study.kind, study), *subject]


def _require_words(study: StudyRequest) -> None:
    if not (NAME.fullmatch(study.script) or DECK.fullmatch(study.script)):
        raise RefusalError(422, f"{study.script} is neither a script nor a deck of the folder")
    for one in study.vary:
        if not _PARAMETER.fullmatch(one.parameter):
            raise RefusalError(422, f"{one.parameter!r} is no parameter")
        if not (np.isfinite([one.low, one.high]).all() and one.low < one.high):
            raise RefusalError(422, f"{one.parameter}: the range must go up, between finite ends")
    for text in filter(None, (study.response, study.limit)):
        if not _RESPONSE.fullmatch(text):
            raise RefusalError(422, f"{text!r} is no response, such as margin or peak tau.elbow")
    if not np.isfinite(study.value):
        raise RefusalError(422, "the limit must be finite")
    if study.kind in ("minimise", "maximise") and not study.response:
        raise RefusalError(422, f"state what to {study.kind}")


def _range(one: Range) -> str:
    return f"{one.parameter}={one.low!r}:{one.high!r}"


def _write_response(option: str, study: StudyRequest) -> list[str]:
    return [f"--{option}={study.response}"] if study.response else []


def _analytic_option(study: StudyRequest) -> list[str]:
    return ["--analytic"] if study.analytic else []


def new_study(folder: Folder, study: StudyRequest) -> str:
    """Return the path in the folder of a study that begins now."""
    inside = f"{STUDIES}/{study.name}-{time.strftime('%Y%m%dT%H%M%S')}"
    path = folder.below(inside)
    if path.exists():
        raise RefusalError(409, f"{inside} is there already; start again in a second")
    path.parent.mkdir(parents=True, exist_ok=True)
    return inside


def list_studies(folder: Folder) -> list[dict[str, Any]]:
    """Return the newest studies of the folder, newest first."""
    return list(_rows(folder))


def study_page(folder: Folder, identifier: str) -> Path:
    """Return the page of a study.

    Raises
    ------
    RefusalError
        If there is none.
    """
    if not _ID.fullmatch(identifier):
        raise RefusalError(404, "no such study")
    path = folder.below(f"{STUDIES}/{identifier}/{PAGE}")
    if not path.is_file():
        raise RefusalError(404, "no such page")
    return path


class _Study(msgspec.Struct):
    scenario: str
    design: str
    varied: dict[str, str]
    cases: int
    state: str


def _rows(folder: Folder) -> Iterator[dict[str, Any]]:
    files = (folder.path / STUDIES).glob(f"*/{DESCRIPTION}")
    named = [file for file in files if _ID.fullmatch(file.parent.name)]
    for file in sorted(named, key=lambda one: one.parent.name[-15:], reverse=True)[:MOST]:
        try:
            study = msgspec.json.decode(file.read_bytes(), type=_Study)
        except (OSError, msgspec.DecodeError):
            continue  # still being written, or damaged
        has_page = (file.parent / PAGE).is_file()
        yield {"id": file.parent.name, "page": has_page, **msgspec.to_builtins(study)}
