"""`sim run --engine both`: scenarios by both engines, overlaid, with one verdict."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sim.cli.exit_status import WANTING, WELL
from sim.cli.output import console, print_json
from sim.cli.run_scripts import Job, jobs_of, run_into, write_junit_of
from sim.cli.runs import folder_above_runs, folder_of_run
from sim.comparison.between_engines import BetweenEngines, between_engines
from sim.engine_names import ENGINES, EngineName
from sim.errors import ScenarioError
from sim.recording.files.named_file import require_place
from sim.recording.files.whole_files import write_bytes
from sim.recording.recording import Recording
from sim.recording.schema.description import Run, plain_data
from sim.recording.schema.verdicts import Check
from sim.reports.terminal.many_runs import engines_head, engines_row, tally
from sim.reports.terminal.printing import show
from sim.reports.terminal.styled_text import Text
from sim.scenario.script import Script

if TYPE_CHECKING:
    from sim.reports.page.engines_page import EnginesRow

# The engine whose page shows both runs, and the overlaid one. The first is run last, so that it is
# the newest run of its scenario.
FIRST, SECOND, *_ = ENGINES


@dataclass(frozen=True)
class ScenarioByBoth:
    """Results of one scenario by engine name: descriptions and folders."""

    scenario: str
    runs: Mapping[EngineName, Run]
    folders: Mapping[EngineName, Path]
    between: BetweenEngines

    @property
    def passed(self) -> bool:
        """Whether both runs pass and the engines agree."""
        return self.between.ok and all(run.verdict == "pass" for run in self.runs.values())


def run_both(scripts: list[Script], options: argparse.Namespace) -> int:
    """Simulate each scenario with both engines and compare; 1 if one fails or they differ."""
    if options.gui:
        raise ScenarioError("--gui shows one run; choose one engine, or use sim play afterwards")
    jobs = {name: jobs_of(scripts, options, name) for name in (FIRST, SECOND)}
    names = [script.name for script in scripts]
    above, page = folder_above_runs(options.out), None
    if not options.no_report:
        from sim.reports.page.engines_page import FILE

        if (page := above / FILE).exists():
            require_place(page)
    done: list[ScenarioByBoth] = []
    rows: list[EnginesRow] = []
    for first, second in zip(jobs[FIRST], jobs[SECOND], strict=True):
        both, recordings = _run_by_both(
            {SECOND: second, FIRST: first}, options, several=len(names) > 1
        )
        done.append(both)
        if page is not None and len(names) > 1:
            rows.append(_row(both, recordings, above))
        if not options.json:
            head = [engines_head(names, (FIRST, SECOND))] if len(done) == 1 else []
            runs = [both.runs[FIRST], both.runs[SECOND]]
            show(console(), [*head, *engines_row(both.scenario, runs, both.between, names)])
    if page is not None:
        _write_engines_page(page, done, rows)
    write_junit_of([one for both in done for one in _judged_runs(both)], options)
    if options.json:
        documents = [_document(both) for both in done]
        print_json(documents if len(names) > 1 else documents[0])
    else:
        _show_end(done, page or above)
    return WELL if all(both.passed for both in done) else WANTING


def _run_by_both(
    jobs: Mapping[EngineName, Job], options: argparse.Namespace, *, several: bool
) -> tuple[ScenarioByBoth, dict[EngineName, Recording]]:
    """Run a scenario with both engines and compare; the page of the first run shows both."""
    recordings: dict[EngineName, Recording] = {}
    folders: dict[EngineName, Path] = {}
    for name, job in jobs.items():
        out = None if options.out is None else str(Path(options.out) / name)
        folders[name] = folder_of_run(out, job.script.name, several=several)
        recordings[name], _ = run_into(folders[name], job, options)
    between = between_engines(recordings[FIRST], recordings[SECOND])
    if not options.no_report:
        from sim.cli.audit_of_run import audit_of_run
        from sim.reports.page.engine_pair import EnginePair
        from sim.reports.page.overlay import Overlay
        from sim.reports.writing import baseline_of, write_page_into

        first, title = recordings[FIRST], ENGINES[SECOND].title
        other = Overlay.from_comparison(title, recordings[SECOND], between.comparison)
        pair = EnginePair.of(first, recordings[SECOND], between)
        over = (replace(other, pair=pair), *baseline_of(first))
        recordings[FIRST] = write_page_into(first, folders[FIRST], over, audit_of_run(first))
    scenario = jobs[FIRST].script.name
    return ScenarioByBoth(
        scenario, {n: r.run for n, r in recordings.items()}, folders, between
    ), recordings


def _write_engines_page(
    page: Path, done: Sequence[ScenarioByBoth], rows: Sequence[EnginesRow]
) -> None:
    """Write the page of the pair, or a table with links to the pages of several pairs."""
    from sim.reports.page.engines_page import write_engines_page
    from sim.reports.page.page import FILE

    if len(done) == 1:
        write_bytes(page, (done[0].folders[FIRST] / FILE).read_bytes())
    else:
        write_engines_page(page, rows)


def _row(
    both: ScenarioByBoth, recordings: Mapping[EngineName, Recording], above: Path
) -> EnginesRow:
    from sim.reports.page.engines_page import EnginesRow
    from sim.reports.page.glb_scene import GlbScene
    from sim.reports.page.page import FILE

    page = (both.folders[FIRST] / FILE).resolve().relative_to(above.resolve()).as_posix()
    places = {FIRST: page, SECOND: f"{page}#engines"}
    shown = [(recordings[name], places[name]) for name in (FIRST, SECOND)]
    return EnginesRow.of(shown, both.between, GlbScene.beside(both.folders[FIRST]))


def _judged_runs(both: ScenarioByBoth) -> list[tuple[Run, Path]]:
    """Return both runs for JUnit, under engine names; the second is also judged by the first."""
    far = both.between.furthest
    agreement = Check(
        name=f"{ENGINES[SECOND].title} beside {ENGINES[FIRST].title}",
        channel="" if far is None else far.channel,
        worst=None if far is None else far.worst,
        limit=0.0 if far is None else far.limit,
        unit="1" if far is None else far.unit,
        at=0.0 if far is None else far.at,
        ok=both.between.ok,
        plot="" if far is None else far.channel,
    )
    return [
        (
            msgspec.structs.replace(
                both.runs[name],
                scenario=f"{both.scenario} ({ENGINES[name].title})",
                checks=(*both.runs[name].checks, *((agreement,) if name == SECOND else ())),
            ),
            both.folders[name],
        )
        for name in (FIRST, SECOND)
    ]


def _document(both: ScenarioByBoth) -> dict[str, object]:
    return {
        "scenario": both.scenario,
        "verdict": "pass" if both.passed else "fail",
        "engines": {name: plain_data(both.runs[name]) for name in (FIRST, SECOND)},
        "between": {
            "ok": both.between.ok,
            "torque": both.between.torque,
            **asdict(both.between.comparison),
            "word": both.between.comparison.word,
        },
    }


def _show_end(done: list[ScenarioByBoth], place: Path) -> None:
    lines = [Text(f"page     {place}" if place.suffix else f"folder   {place}")]
    if len(done) == 1:
        runs = ((ENGINES[n].title, folder) for n, folder in sorted(done[0].folders.items()))
        lines += [Text(f"{title:8} {folder}") for title, folder in runs]
    passes = [(both.scenario, both.passed) for both in done]
    lines.append(tally(passes, " with both engines"))
    show(console(), lines)
