"""``study.json``: description of a study in its folder, and its answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from sim.errors import RecordingError, in_one_line, unreadable
from sim.recording.files.whole_files import json_text, refusal, write_bytes
from sim.recording.schema.facts import Provenance
from sim.showing.one_line import count_text
from sim.studies.optimisation.answer import OptimumAnswer
from sim.studies.optimisation.goal_options import GoalOptions
from sim.studies.request import StudyRequest
from sim.studies.sensitivity import Effect
from sim.studies.variation import decimal_places

FILE = "study.json"
FORMAT = 1


class SearchAnswer(msgspec.Struct, frozen=True, kw_only=True, tag="search"):
    """Optimum of one parameter.

    Parameters
    ----------
    parameter, direction, limit : str
    ends : tuple of float
        Searched range.
    holds, fails : float or None
        Value that satisfies the limit, and the closest beyond that violates it.
    value : float or None
        Answer: a value between both, rounded to the precision.
    precision : float
        Largest difference between both.
    binds : str
        Response that violates the limit at `fails`, such as ``elbow_joint torque``; if nothing
        satisfies or nothing violates it, the closest to the limit.
    tried : int
        Number of values tried.
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
        """The answer as a sentence."""
        low, high = self.ends
        question = f"{self.direction} {self.parameter} with {self.limit}"
        why = f": {self.binds}" if self.binds else ""
        if self.holds is None:
            return f"{question}: no value between {low:g} and {high:g}"
        if self.fails is None:
            return f"{question}: {self.holds:.12g}; limit not reached within the range"
        value = self.text_of(self.holds if self.value is None else self.value)
        bounds = f"{self.holds:.12g} satisfies it, {self.fails:.12g} violates it{why}"
        return f"{question}: {value} ({bounds})"

    @property
    def note(self) -> str:
        """Number of values tried and the assumption of the answer."""
        count = f"{count_text(self.tried, 'value')} tried"
        if self.holds is None:
            return f"{count}; limiting at the closest value: {self.binds}"
        if self.fails is None:
            return f"{count}; closest to limit at that value: {self.binds}"
        end = self.ends[1] if self.direction == "largest" else self.ends[0]
        if end == self.fails:
            return count
        between = f"{self.fails:.12g} and {end:g}"
        return f"{count}; one crossing is assumed: no value between {between} satisfies the limit"

    def text_of(self, value: float) -> str:
        """Return a value with the digits of the precision."""
        if self.precision <= 0:
            return f"{value:.6g}"
        return f"{value:.{max(decimal_places(self.precision), 0)}f}"


class EffectsAnswer(msgspec.Struct, frozen=True, kw_only=True, tag="effects"):
    """Sensitivities, the strongest of each response first.

    Parameters
    ----------
    design : str
    effects : list of Effect
    """

    design: str
    effects: list[Effect]


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """Comparison of the analytic model with simulations of some cases.

    Parameters
    ----------
    cases : list of int
        Numbers of the simulated cases, from 1.
    response : str
        Response with the largest difference.
    off : float
        Difference relative to the largest magnitude of that response in the study.
    limit : float
    ok : bool
    speed : float
        Cases per second of the model only; 0 if none was computed now.
    """

    cases: list[int]
    response: str
    off: float
    limit: float
    ok: bool
    speed: float = 0.0


Answer = SearchAnswer | EffectsAnswer | OptimumAnswer


class StudyFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Description of a study.

    Parameters
    ----------
    format : int
    scenario, script : str
        Name of the scenario, and path of its script.
    request : StudyRequest
        Options for resuming it.
    goals : GoalOptions or None
        Goals of an optimisation; None for other studies.
    identity : dict
        Everything that determines the result of a case, except its values.
    design : str
    varied : dict of str to str
        Values of each parameter, as text.
    units : dict of str to str
        Units of the varied parameters, if given in the script.
    cases : int
    state : str
        ``running`` also after an interruption.
    provenance : Provenance
    notes : list of str
        Remarks on design and step for the reader.
    counts : dict of str to int
        Cases by their status, once finished.
    answer : Answer or None
        Answer besides its rows.
    proof : Proof or None
        Verification of the model, in a study by the model only.
    files : dict of str to str
        Hashes of the tables, once finished.
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
        """Write it to the folder, which is created if necessary.

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
    """Read the description of the study in a folder.

    Raises
    ------
    RecordingError
        If it is not a study.
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
    """Check that a folder is free, or has the same study; return its description if so.

    Parameter values may differ: finished cases are reused. The robot may have changed: they are
    computed again.

    Raises
    ------
    RecordingError
        With the differences between folder and request.
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
    old, new = _comparable_facts(there), _comparable_facts(facts)
    for name in dict.fromkeys((*old, *new)):  # most explanatory differences first
        if old.get(name) != new.get(name):
            raise RecordingError(
                f"{folder} is a different study: its {name} is {_quote(old.get(name))}, not "
                f"{_quote(new.get(name))}; choose another --out"
            )
    return there


def _comparable_facts(facts: StudyFacts) -> dict[str, object]:
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
