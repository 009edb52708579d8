"""Folder of a study: a new one, or that of a study to resume with its stored request."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec

from sim.errors import ScenarioError
from sim.robots.local_code import Permission
from sim.scenario.trusted_script import permission_for, require_same_text
from sim.studies.optimisation.goal_options import GoalOptions
from sim.studies.request import FolderOptions, StudyRequest, option_of
from sim.studies.study_file import StudyFacts, read_facts

STUDIES = Path("results/studies")  # default


def new_study_folder(scenario: str) -> Path:
    """Return a new folder for a study of a scenario, named by the current time."""
    now = datetime.now().astimezone().strftime("%Y%m%dT%H%M%S.%f")[:-3]
    return STUDIES / f"{Path(scenario).stem}-{now}"


class PlacedStudy(msgspec.Struct, frozen=True, kw_only=True):
    """A new or resumed study.

    Parameters
    ----------
    request : StudyRequest
    folder : Path
    goals : GoalOptions or None
        Goals of an optimisation; None for other studies.
    code : Permission or None
        Local code that a resumed study may execute.
    """

    request: StudyRequest
    folder: Path
    goals: GoalOptions | None = None
    code: Permission | None = None


def place_study(
    request: StudyRequest, place: FolderOptions, goals: GoalOptions | None = None
) -> PlacedStudy:
    """Return a study in its folder; a resumed one as stored.

    Nothing is executed. A resumed study has its stored options; `no_report` and `no_require` may be
    added.

    Parameters
    ----------
    goals : GoalOptions, optional
        Goals of an optimisation (default: another study).

    Raises
    ------
    RecordingError
        If the folder to resume is not a study.
    ScenarioError
        If it is of the other kind, an option that defines a study is combined with `resume`, or
        the script or a response function must not be executed.
    """
    if place.resume is None:
        folder = Path(place.out) if place.out else new_study_folder(request.scenario)
        return PlacedStudy(request=request, folder=folder, goals=goals)
    added = _require_nothing_new(request, place)
    folder = Path(place.resume)
    facts = read_facts(folder)
    if goals is None and facts.goals is not None:
        raise ScenarioError(f"{folder} is an optimisation: sim optimise --resume {folder}")
    if goals is not None and facts.goals is None:
        raise ScenarioError(f"{folder} is no optimisation: sim sweep --resume {folder}")
    if goals not in (None, GoalOptions()):
        raise ScenarioError(
            "--resume continues an optimisation with its stored goals; give no others"
        )
    stored, code = _stored_request(facts, trust=place.trust)
    request = msgspec.structs.replace(stored, **added)
    return PlacedStudy(request=request, folder=folder, goals=facts.goals, code=code)


def _require_nothing_new(request: StudyRequest, place: FolderOptions) -> dict[str, bool]:
    """Return the options that a resumed study may add; others are refused by name."""
    added = {name: True for name in ("no_report", "no_require") if getattr(request, name)}
    refused = ["the scenario"] if request.scenario else []
    refused += [option_of(name) for name in request.changed_options if name not in added]
    refused += ["--out"] if place.out is not None else []
    if refused:
        raise ScenarioError(
            "--resume continues a study with its stored options; remove what would define another "
            f"one: {', '.join(refused)}"
        )
    return added


def _stored_request(facts: StudyFacts, *, trust: bool) -> tuple[StudyRequest, Permission]:
    script = require_same_text(facts.script, facts.identity.get("script"))
    functions = facts.identity.get("functions")
    files = [script]
    of_goals = [] if facts.goals is None else facts.goals.function_files
    for file in (*facts.request.function_files, *of_goals):
        digest = functions.get(str(file)) if isinstance(functions, dict) else None
        files.append(require_same_text(file, digest))
    request = msgspec.structs.replace(facts.request, scenario=str(script))
    return request, permission_for(files, trust=trust)
