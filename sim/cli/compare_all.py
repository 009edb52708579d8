"""`sim compare --all`: every scenario with its baseline, on one page."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from sim.cli.arguments import add_flag
from sim.cli.exit_status import WANTING, WELL
from sim.cli.runs import COMPARISONS, folder_of_run, stamp
from sim.errors import RecordingError, SimError, missing
from sim.recording.files.run_folders import RUNS, newest_runs

if TYPE_CHECKING:
    from sim.comparison import Baseline, ComparisonStatus, Rule
    from sim.recording.recording import Recording
    from sim.reports.page.comparisons import ComparedRow
    from sim.reports.page.glb_scene import GlbScene


MOST = 3  # changes and channels listed per scenario
MARKER = "comparisons.json"  # marks a folder as written by this command
WORKERS = 2  # worker processes
WORTH_IT = 4  # runs; for fewer, starting processes takes longer than they save


def add_all_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of a comparison of all scenarios."""
    add_flag(
        command,
        "--all",
        "compare every scenario with a run, or with a baseline in results/baselines",
    )
    command.add_argument(
        "--runs", metavar="DIR", help=f"with --all: folder of the runs (default: {RUNS})"
    )
    command.add_argument(
        "--run",
        action="store_true",
        dest="fresh",
        help="with --all: run every shipped scenario first",
    )
    command.add_argument(
        "--out",
        metavar="DIR",
        help=f"with --all: output folder of the page (default: {COMPARISONS}/TIME)",
    )
    command.add_argument(
        "--junit", metavar="FILE", help="with --all: also write the checks as JUnit XML"
    )


def asks_for_all(options: argparse.Namespace) -> bool:
    """Whether all scenarios are to be compared, and not one run.

    Raises
    ------
    RecordingError
        If an argument is valid for neither.
    """
    if options.all and options.run is not None:
        raise RecordingError(f"--all compares every scenario; leave {options.run!r} out")
    if not options.all:
        values = {"--runs": options.runs, "--run": options.fresh or None}
        values |= {"--out": options.out, "--junit": options.junit}
        if alone := [name for name, value in values.items() if value is not None]:
            raise RecordingError(f"{alone[0]} requires --all")
        if options.run is None:
            raise RecordingError("Name a run to compare with its baseline, or --all for all")
    return bool(options.all)


def compare_all(options: argparse.Namespace) -> int:
    """Compare every scenario with a run or a baseline; status 1 if one fails."""
    from sim.cli.output import console, print_json
    from sim.comparison import default_rule, find_rules, sort_by_urgency, summary
    from sim.recording.files.staging import staging
    from sim.reports.comparison_suite import write_comparison_suite
    from sim.reports.page.comparisons import FILE, write_comparisons
    from sim.reports.terminal.many_runs import standings_shown
    from sim.reports.terminal.printing import show

    above = _folder_of_runs(options)
    folder = COMPARISONS / stamp() if options.out is None else Path(options.out)
    junit = _file_to_write(options.junit, folder)
    rules, default = find_rules(options.tolerances), default_rule(options.rtol)
    with staging(folder, MARKER) as stage:
        broken = _make_runs(options.runs) if options.fresh else {}
        rows = {
            row.standing.scenario: row for row in compare_rows(above, broken, stage, rules, default)
        }
        listed = [
            rows[one.scenario] for one in sort_by_urgency([r.standing for r in rows.values()])
        ]
        standings = [row.standing for row in listed]
        write_comparisons(stage / FILE, listed)
        document = {
            "scenarios": [_document(row, folder) for row in listed],
            "ok": all(one.ok for one in standings),
            "summary": summary(standings),
            # parts of the folder that a later comparison may replace
            "files": sorted(
                path.relative_to(stage).as_posix() for path in stage.rglob("*") if path.is_file()
            ),
        }
        _write_document(stage / MARKER, document)
    if junit is not None:
        way = Path(os.path.relpath(folder.resolve(), junit.parent.resolve()))
        write_comparison_suite(junit, [(row.standing, _page(row, way)) for row in listed])
    if options.json:
        print_json(document)
    else:
        show(console(), standings_shown(standings, str(folder / FILE), options.limit or MOST))
    return WELL if document["ok"] else WANTING


def _folder_of_runs(options: argparse.Namespace) -> Path:
    above = RUNS if options.runs is None else Path(options.runs)
    if options.runs is not None and not options.fresh and not above.is_dir():
        raise RecordingError(f"--runs: {missing(above)}")
    return above


def _file_to_write(name: str | None, folder: Path) -> Path | None:
    """Return the file to write, checked in advance, also if it is inside the new folder."""
    if name is None:
        return None
    path = Path(name)
    from sim.recording.files.named_file import require_place
    from sim.reports.junit import KIND

    if path.parent.resolve() == folder.resolve():
        return path
    require_place(path, KIND)
    return path


def _make_runs(out: str | None) -> dict[str, str]:
    """Run the shipped scenarios; return reasons for those that could not be run."""
    from sim.cli.run_scripts import Job, run_into
    from sim.scenario.script import load_script
    from sim.shipped import scenario_names

    plainly = argparse.Namespace(
        method=None, dt=None, no_report=True, figures=False, reference=None, keep=False
    )
    broken = {}
    for name in scenario_names():
        try:
            script = load_script(name)
            folder = folder_of_run(out, name, several=True)
            run_into(folder, Job(script, *script.build({})), plainly)
        except SimError as error:
            broken[name] = str(error)
    return broken


def _document(row: ComparedRow, folder: Path) -> dict[str, object]:
    """Return the report of a scenario as plain values."""
    from dataclasses import asdict

    one: ComparisonStatus = row.standing
    first = one.first
    return {
        "scenario": one.scenario,
        "word": one.word,
        "reason": one.reason,
        "ok": one.ok,
        "used": None if one.comparison is None else one.used,
        "diverges": None if first is None else first.diverges,
        "first": None if first is None else first.channel,
        "changes": list(one.changes),
        "worst": None if one.worst is None else asdict(one.worst),
        "page": _page(row, folder) or None,
    }


def _page(row: ComparedRow, folder: Path) -> str:
    return f"{folder.as_posix()}/{row.href}" if row.href else ""


def _write_document(path: Path, document: dict[str, object]) -> None:
    from sim.recording.files.whole_files import json_text

    path.write_text(json_text(document, indent=1) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class _Task:
    """One scenario to compare, and the folder for its page."""

    scenario: str
    run: Path
    folder: Path
    rules: Sequence[Rule]
    default: Rule


def compare_rows(
    above: Path, broken: Mapping[str, str], stage: Path, rules: Sequence[Rule], default: Rule
) -> Iterator[ComparedRow]:
    """Yield a row for each scenario, in order of completion.

    Raises
    ------
    RecordingError
        If there is no run and no baseline.
    """
    from sim.comparison import ComparisonStatus, baselines_in
    from sim.comparison.baseline import ROOT
    from sim.reports.page.comparisons import ComparedRow

    runs, tasks = newest_runs(above), []
    if not (names := {*runs, *baselines_in(), *broken}):
        raise RecordingError(
            f"No run in {above} and no baseline in {ROOT}; run a script, or all shipped ones with "
            "sim compare --all --run"
        )
    for name in sorted(names):
        if name in broken:
            yield ComparedRow(ComparisonStatus(name, missing="cannot be run", reason=broken[name]))
        elif name in runs:
            tasks.append(_Task(name, runs[name], stage / name, rules, default))
        else:
            reason = f"none in {above}; run its script, or sim run NAME if it is shipped"
            yield ComparedRow(ComparisonStatus(name, missing="no run", reason=reason))
    yield from _compare_in_processes(tasks)


def _compare_in_processes(tasks: Sequence[_Task]) -> Iterator[ComparedRow]:
    """Yield rows of runs, in worker processes if that is faster."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    from sim.cli.output import progress

    with progress("comparing") as tick:
        if len(tasks) < WORTH_IT:
            yield from _count_rows(map(_row, tasks), len(tasks), tick)
            return
        # A spawned process, since this one may have threads of its own by now.
        context = multiprocessing.get_context("spawn")
        try:
            with ProcessPoolExecutor(WORKERS, mp_context=context) as pool:
                yield from _count_rows(pool.map(_row, tasks), len(tasks), tick)
        except BrokenProcessPool:
            raise RecordingError(
                "A worker process was terminated externally, possibly for lack of memory"
            ) from None


def _count_rows(
    rows: Iterable[ComparedRow], count: int, tick: Callable[[int, int], None]
) -> Iterator[ComparedRow]:
    for done, row in enumerate(rows, 1):
        tick(done, count)
        yield row


def _row(task: _Task) -> ComparedRow:
    """Compare one scenario and write its page; an error of what is read is stored in its row."""
    from sim.comparison import ComparisonStatus, compare
    from sim.reports.page.comparisons import ComparedRow, comparison_row, write_compared
    from sim.reports.page.page import FILE

    def missing(word: str, error: object = "") -> ComparedRow:
        return ComparedRow(ComparisonStatus(task.scenario, missing=word, reason=str(error)))

    try:
        recording = _recording(task)
    except (SimError, OSError) as error:
        return missing("cannot be read", error)
    try:
        baseline = _baseline(task.scenario)
    except (SimError, OSError) as error:
        return missing("baseline cannot be read", error)
    if baseline is None:
        return missing("no baseline", "accept a run with `sim accept RUN --reason TEXT`")
    try:
        comparison = compare(recording, baseline, task.rules, task.default)
        scene = _scene(task.run, recording)
    except (SimError, OSError) as error:
        return missing("cannot be compared", error)
    task.folder.mkdir(parents=True, exist_ok=True)
    write_compared(task.folder / FILE, recording, baseline, comparison, scene)
    status = ComparisonStatus(task.scenario, comparison)
    return comparison_row(status, recording, baseline, scene, f"{quote(task.scenario)}/{FILE}")


def _recording(task: _Task) -> Recording:
    from sim.cli.judge_run_again import judge_run_again

    recording = judge_run_again(task.run)
    if recording.run.scenario != task.scenario:
        raise RecordingError(
            f"{task.run} is a run of {recording.run.scenario!r} in the folder for runs of "
            f"{task.scenario!r}"
        )
    return recording


def _baseline(name: str) -> Baseline | None:
    """Return the baseline of a scenario, None if it has none."""
    from sim import shipped
    from sim.comparison import baselines_in, find_baseline

    if name not in {*baselines_in(), *baselines_in(shipped.baselines())}:
        return None
    return find_baseline(name)


def _scene(folder: Path, recording: Recording) -> GlbScene:
    """Return the scene stored with the run, or a new one, which is not stored there."""
    from sim.recording.recorded_robot import robot_of, with_kept_loops
    from sim.reports.page.glb_scene import GlbScene, scene_of

    if (scene := GlbScene.beside(folder)) is not None:
        return scene
    return GlbScene.read(scene_of(with_kept_loops(robot_of(recording), recording)))
