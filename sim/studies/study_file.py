"""``study.json``: the description of a study in its folder, and its answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from sim.errors import RecordingError, in_one_line, unreadable
from sim.recording.files.whole_files import json_text, refusal, write_bytes
from sim.recording.schema.facts import Provenance
from sim.studies.optimisation.answer import OptimumAnswer
from sim.studies.optimisation.goal_options import GoalOptions
from sim.studies.request import StudyRequest
from sim.studies.sensitivity import Effect
from sim.studies.variation import decimal_places

FILE = "study.json"
FORMAT = 1


class SearchAnswer(msgspec.Struct, frozen=True, kw_only=True, tag="search"):
    """The optimum of one parameter.

    Parameters
    ----------
    parameter, direction, limit : str
    ends : tuple of float
        The range that was searched.
    holds, fails : float or None
        The value that satisfies the limit and the nearest beyond that violates it.
    value : float or None
        The answer: a value between both, rounded to the precision.
    precision : float
        How far they may differ.
    binds : str
        What violates the limit at `fails`, such as ``elbow_joint torque``; if nothing satisfies it
        or nothing violates it, what is nearest to the limit.
    tried : int
        How many values.
    """

    parameter: str
    direction: str
    limit: str
    ends: tuple[float, float]
    holds: float | None
    fails: float | None
    value: float | None = None
    precision: float = 0.0
    binds: str = ""
    tried: int = 0

    @property
    def words(self) -> str:
        """The answer in a sentence."""
        low, high = self.ends
        asked = f"{self.direction} {self.parameter} with {self.limit}"
        why = f": {self.binds}" if self.binds else ""
        if self.holds is None:
            return f"{asked}: no value between {low:g} and {high:g}"
        if self.fails is None:
            return f"{asked}: {self.holds:.12g}; limit not reached within the range"
        value = self.text_of(self.holds if self.value is None else self.value)
        kept = f"{self.holds:.12g} satisfies it, {self.fails:.12g} violates it{why}"
        return f"{asked}: {value} ({kept})"

    @property
    def note(self) -> str:
        """Number of values tried and the assumption of the answer."""
        tried = f"{self.tried} values tried"
        if self.holds is None:
            return f"{tried}; limiting at the closest value: {self.binds}"
        if self.fails is None:
            return f"{tried}; closest to limit at that value: {self.binds}"
        end = self.ends[1] if self.direction == "largest" else self.ends[0]
        if end == self.fails:
            return tried
        between = f"{self.fails:.12g} and {end:g}"
        return f"{tried}; one crossing is assumed: no value between {between} satisfies the limit"

    def text_of(self, value: float) -> str:
        """A value with as many digits as the precision has."""
        if self.precision <= 0:
            return f"{value:.6g}"
        return f"{value:.{max(decimal_places(self.precision), 0)}f}"


class EffectsAnswer(msgspec.Struct, frozen=True, kw_only=True, tag="effects"):
    """Sensitivities, of each response the strongest first.

    Parameters
    ----------
    design : str
    effects : list of Effect
    """

    design: str
    effects: list[Effect]


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """Analytic model compared with simulations of some cases.

    Parameters
    ----------
    cases : list of int
        Numbers of the cases, from 1, that were simulated.
    response : str
        The one that is farthest off.
    off : float
        How far, as a share of the largest size of that response in the study.
    limit : float
    ok : bool
    speed : float
        Cases a second of the model alone; 0 where none was computed now.
    """

    cases: list[int]
    response: str
    off: float
    limit: float
    ok: bool
    speed: float = 0.0


Answer = SearchAnswer | EffectsAnswer | OptimumAnswer


class StudyFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A study.

    Parameters
    ----------
    format : int
    scenario, script : str
        Its name, and the path of its script.
    request : StudyRequest
        Its options, with which it is resumed.
    goals : GoalOptions or None
        What an optimisation minimises and how; None of other studies.
    identity : dict
        What decides the result of a case but its values.
    design : str
    varied : dict of str to str
        The values of each parameter, as a text.
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
        The answer beyond its rows.
    proof : Proof or None
        How the model alone was proved, in a study by the model alone.
    files : dict of str to str
        Hashes of the tables, when it is done.
    """

    format: int = FORMAT
    scenario: str
    script: str
    request: StudyRequest
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
    goals: GoalOptions | None = None

    @property
    def command(self) -> tuple[str, ...]:
        """The command that computes the study."""
        return self.request.command if self.goals is None else self.goals.command(self.request)

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
    """The description of the study in a folder.

    Raises
    ------
    RecordingError
        If it is no study's.
    """
    path = folder / FILE
    try:
        facts = msgspec.json.decode(path.read_bytes(), type=StudyFacts)
    except OSError as error:
        raise RecordingError(f"{folder} is not a study: {unreadable(path, error)}") from None
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise RecordingError(f"{path} is not a description of a study: {error}") from None
    if facts.format != FORMAT:
        raise RecordingError(
            f"{path} has format {facts.format}; this version of sim reads format {FORMAT}"
        )
    return facts


def require_same_study(folder: Path, facts: StudyFacts) -> StudyFacts | None:
    """Check that a folder is free, or holds the same study; returns its description if it does.

    The values of its parameters may be others: cases that are finished are taken over. The robot
    may have changed: they are computed again.

    Raises
    ------
    RecordingError
        With what differs, in the folder and in the request.
    """
    if not folder.exists():
        return None
    if not folder.is_dir():
        raise RecordingError(f"Cannot write the study to {folder}: it is a file")
    if not (folder / FILE).is_file():
        if any(folder.iterdir()):
            raise RecordingError(
                f"{folder} contains other files and no {FILE}; choose an empty or a new folder"
            )
        return None
    there = read_facts(folder)
    old, new = _comparable(there), _comparable(facts)
    for name in dict.fromkeys((*old, *new)):  # what describes most of the difference comes first
        if old.get(name) != new.get(name):
            raise RecordingError(
                f"{folder} is a different study: its {name} is {_quote(old.get(name))}, not "
                f"{_quote(new.get(name))}; choose another --out"
            )
    return there


def _comparable(facts: StudyFacts) -> dict[str, object]:
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


def _quote(value: object) -> str:
    return in_one_line(json_text(value))[:200]
