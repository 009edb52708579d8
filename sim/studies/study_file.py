"""``study.json``: what a study's folder says of itself."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from sim.errors import RecordingError, in_one_line
from sim.recording.facts import Provenance
from sim.recording.files import json_text, refusal, write_bytes
from sim.scenario.trusted_script import require_trusted
from sim.studies.request import Request
from sim.studies.study_answer import Answer, Proof

FILE = "study.json"
FORMAT = 1
STUDIES = Path("results/studies")  # without another folder


class StudyFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A study.

    Parameters
    ----------
    format : int
    scenario, script : str
        Its name, and the path of its script.
    request : Request
        What it was asked for by, and goes on with.
    identity : dict
        What decides the result of a case but its values.
    design : str
    varied : dict of str to str
        The values of each parameter, in words.
    units : dict of str to str
        Of the varied parameters that the script names a unit of.
    cases : int
    state : str
        ``running`` also after it was stopped or killed.
    provenance : Provenance
    notes : list of str
        What a reader should know of design and step.
    counts : dict of str to int
        Cases by their status, when it is done.
    answer : Answer or None
        What it answers beyond its rows.
    proof : Proof or None
        How the model alone was proved, where it is what was asked.
    files : dict of str to str
        Hashes of the tables, when it is done.
    """

    format: int = FORMAT
    scenario: str
    script: str
    request: Request
    identity: dict[str, Any]
    design: str
    varied: dict[str, str]
    cases: int
    state: Literal["running", "done"]
    provenance: Provenance
    units: dict[str, str] = {}
    notes: list[str] = []
    counts: dict[str, int] = {}
    answer: Answer | None = None
    proof: Proof | None = None
    files: dict[str, str] = {}

    def write(self, folder: Path) -> None:
        """Write it into the folder, which is made if there is none.

        Raises
        ------
        RecordingError
            If it cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            text = json_text(msgspec.to_builtins(self, enc_hook=str), indent=2)
            write_bytes(folder / FILE, (text + "\n").encode())
        except OSError as error:
            raise RecordingError(f"Cannot write the study to {folder}: {refusal(error)}") from error


def read_facts(folder: Path) -> StudyFacts:
    """What a study's folder says of itself.

    Raises
    ------
    RecordingError
        If it is no study's.
    """
    path = folder / FILE
    try:
        facts = msgspec.json.decode(path.read_bytes(), type=StudyFacts)
    except OSError as error:
        raise RecordingError(f"{folder} is no study: {path} {refusal(error).lower()}") from None
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise RecordingError(f"{path} is no description of a study: {error}") from None
    if facts.format != FORMAT:
        raise RecordingError(
            f"{path} has format {facts.format}; this version of sim reads format {FORMAT}"
        )
    return facts


def new_folder(scenario: str) -> Path:
    """A folder for a study of a scenario, of the time now."""
    now = datetime.now().astimezone().strftime("%Y%m%dT%H%M%S.%f")[:-3]
    return STUDIES / f"{Path(scenario).stem}-{now}"


def resumed(folder: Path, *, trust: bool = False) -> tuple[Request, Path]:
    """What the study in a folder was asked for by, and the folder; nothing of it is executed yet.

    Parameters
    ----------
    trust : bool
        Its script and functions may be executed wherever they are.

    Raises
    ------
    RecordingError
        If it is no study's.
    ScenarioError
        If its script or a function of a response may not be executed.
    """
    facts = read_facts(folder)
    script = require_trusted(facts.script, facts.identity.get("script"), trust, folder)
    functions = facts.identity.get("functions")
    for file in facts.request.files:
        digest = functions.get(str(file)) if isinstance(functions, dict) else None
        require_trusted(file, digest, trust, folder)
    return msgspec.structs.replace(facts.request, scenario=str(script)), folder


def require_same_study(folder: Path, facts: StudyFacts) -> StudyFacts | None:
    """Check that a folder is free, or holds the same study; what it says of itself if it does.

    The values of its parameters may be others: cases that are finished are taken over. The robot
    may have changed: they are computed again.

    Raises
    ------
    RecordingError
        Names what differs, as it is there and as it is asked for.
    """
    if not folder.exists():
        return None
    if not folder.is_dir():
        raise RecordingError(f"Cannot write the study to {folder}: it is a file")
    if not (folder / FILE).is_file():
        if any(folder.iterdir()):
            raise RecordingError(
                f"{folder} holds other files and no {FILE}; choose an empty or a new folder"
            )
        return None
    there = read_facts(folder)
    old, new = _compared(there), _compared(facts)
    for name in dict.fromkeys((*old, *new)):  # what says most of the difference comes first
        if old.get(name) != new.get(name):
            raise RecordingError(
                f"{folder} is another study: its {name} is {_said(old.get(name))}, and "
                f"{_said(new.get(name))} is asked for; choose another --out"
            )
    return there


def _compared(facts: StudyFacts) -> dict[str, object]:
    identity = dict(facts.identity)
    identity.pop("robot", None)
    versions = {f"version of {k}": v for k, v in identity.pop("versions", {}).items()}
    return {
        "scenario": facts.scenario,
        "design": facts.design,
        "set of varied parameters": sorted(facts.varied),
        **identity,
        **versions,
    }


def _said(value: object) -> str:
    return in_one_line(json_text(value))[:200]
