"""Rows of `sim compare --all`: each scenario compared, or the reason why not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from sim.errors import RecordingError, SimError
from sim.recording.files.run_folders import newest_runs

if TYPE_CHECKING:
    from sim.comparison import Baseline, Rule
    from sim.recording.recording import Recording
    from sim.reports.page.comparisons import ComparedRow
    from sim.reports.page.glb_scene import GlbScene

WORKERS = 2  # worker processes
WORTH_IT = 4  # runs; for fewer, starting processes takes longer than they save


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
    """Yield a row for each scenario, in order of completion."""
    from sim.comparison import ComparisonStatus, baselines_in
    from sim.reports.page.comparisons import ComparedRow
    from sim.shipped import scenario_names

    runs, baselines, known = newest_runs(above), baselines_in(), scenario_names()
    tasks = []
    for name in sorted({*runs, *baselines, *known}):
        if name in broken:
            yield ComparedRow(ComparisonStatus(name, missing="cannot be run", reason=broken[name]))
        elif name in runs:
            tasks.append(_Task(name, runs[name], stage / name, rules, default))
        elif name in known:
            reason = (
                f"none in {above}; create one with sim run NAME, all with sim compare --all --run"
            )
            yield ComparedRow(ComparisonStatus(name, missing="no run", reason=reason))
        else:
            reason = f"no scenario of this name is shipped or has a run in {above}"
            yield ComparedRow(
                ComparisonStatus(name, missing="baseline without a scenario", reason=reason)
            )
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
    """Compare one scenario and write its page; an error is stored in its row."""
    from sim.comparison import ComparisonStatus
    from sim.reports.page.comparisons import ComparedRow

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
        return _compare_row(task, recording, baseline)
    except (SimError, OSError) as error:
        return missing("cannot be compared", error)


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


def _compare_row(task: _Task, recording: Recording, baseline: Baseline) -> ComparedRow:
    from sim.comparison import ComparisonStatus, compare
    from sim.reports.page.comparisons import comparison_row, write_compared
    from sim.reports.page.page import FILE

    comparison = compare(recording, baseline, task.rules, task.default)
    scene = _scene(task.run, recording)
    task.folder.mkdir(parents=True, exist_ok=True)
    write_compared(task.folder / FILE, recording, baseline, comparison, scene)
    standing = ComparisonStatus(task.scenario, comparison)
    return comparison_row(standing, recording, baseline, scene, f"{quote(task.scenario)}/{FILE}")


def _scene(folder: Path, recording: Recording) -> GlbScene:
    """Return the scene stored with the run, or a new one, which is not stored there."""
    from sim.recording.recorded_robot import robot_of, with_kept_loops
    from sim.reports.page.glb_scene import GlbScene, scene_of

    if (scene := GlbScene.beside(folder)) is not None:
        return scene
    return GlbScene.read(scene_of(with_kept_loops(robot_of(recording), recording)))
