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
from sim.studies.study_file import read_facts

STUDIES = Path("results/studies")  # default


def new_study_folder(scenario: str) -> Path:
    """Return a new folder for a study of a scenario, named by the current time."""
    now = datetime.now().astimezone().strftime("%Y%m%dT%H%M%S.%f")[:-3]
    return STUDIES / f"{Path(scenario).stem}-{now}"


def place_study(
    request: StudyRequest, place: FolderOptions
) -> tuple[StudyRequest, Path, Permission | None]:
    """Return request and folder of a new or resumed study, and the code a resumed one may execute.

    Nothing is executed. A resumed study has its stored options; `no_report` and `no_require` may be
    added.

    Raises
    ------
    RecordingError
        If the folder to resume is not a study.
    ScenarioError
        If an option that defines a study is combined with `resume`, or the script or a response
        function must not be executed.
    """
    if place.resume is None:
        folder = Path(place.out) if place.out else new_study_folder(request.scenario)
        return request, folder, None
    added = _require_nothing_new(request, place)
    if read_facts(Path(place.resume)).goals is not None:
        raise ScenarioError(
            f"{place.resume} is an optimisation: sim optimise --resume {place.resume}"
        )
    return _place_resumed(place, added)


def place_optimum(
    request: StudyRequest, goals: GoalOptions, place: FolderOptions
) -> tuple[StudyRequest, GoalOptions, Path, Permission | None]:
    """Place an optimisation with its goals, like `place_study` for a study.

    Raises
    ------
    RecordingError, ScenarioError
        As in `place_study`, or if the folder to resume is another study.
    """
    if place.resume is None:
        return (request, goals, *place_study(request, place)[1:])
    added = _require_nothing_new(request, place)
    stored = read_facts(Path(place.resume)).goals
    if stored is None:
        raise ScenarioError(f"{place.resume} is no optimisation: sim sweep --resume {place.resume}")
    if goals != GoalOptions():
        raise ScenarioError(
            "--resume continues an optimisation with its stored goals; give no others"
        )
    request, folder, code = _place_resumed(place, added)
    return request, stored, folder, code


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


def _place_resumed(
    place: FolderOptions, added: dict[str, bool]
) -> tuple[StudyRequest, Path, Permission | None]:
    folder = Path(place.resume or "")
    stored, code = _stored_request(folder, trust=place.trust)
    return msgspec.structs.replace(stored, **added), folder, code


def _stored_request(folder: Path, *, trust: bool) -> tuple[StudyRequest, Permission]:
    facts = read_facts(folder)
    script = require_same_text(facts.script, facts.identity.get("script"))
    functions = facts.identity.get("functions")
    files = [script]
    of_goals = [] if facts.goals is None else facts.goals.function_files
    for file in (*facts.request.function_files, *of_goals):
        digest = functions.get(str(file)) if isinstance(functions, dict) else None
        files.append(require_same_text(file, digest))
    request = msgspec.structs.replace(facts.request, scenario=str(script))
    return request, permission_for(files, trust=trust)
