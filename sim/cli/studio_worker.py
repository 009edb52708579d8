"""Process of `sim studio` that runs one script or deck, as `sim run` does.

It is started in advance, loads the modules of a run, and reads its script from stdin. It reports on
stdout, one JSON document per line. The end of its stdin means the end of the window's server, and
stops it. Its arguments are folders other than the script's from which meshes are read.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from sim.cli.process_setup import Stopped, end_on_signals, prepare, quieten_matplotlib

EVERY = 0.1  # [s] between two reports of progress


Report = Callable[..., None]


def main() -> None:
    """Load the modules, wait for a script, run it, end."""
    prepare()
    quieten_matplotlib()
    report = _reporter(_take_stdout())
    from sim.cli import run_scripts  # noqa: F401 loaded before it is needed
    from sim.engine_names import default_engine

    _load_engine(default_engine())
    if line := sys.stdin.readline():
        with end_on_signals():
            threading.Thread(target=_end_with_stdin, daemon=True).start()
            request = json.loads(line)
            if "study" in request:
                _study(report, request["study"], Path(request["out"]), request["cases"])
            else:
                _attempt(report, Path(request["script"]), request["settings"])


def _attempt(report: Report, script: Path, settings: dict[str, float]) -> None:
    """Run a script or a deck, and report its verdict, or the reason for none."""
    from sim.errors import SimError, in_one_line

    try:
        verdict, folder = _run(report, script, settings)
        report(verdict=verdict, id=folder.name)
    except (Stopped, KeyboardInterrupt):
        report(stopped=True)
    except (SimError, OSError) as error:
        report(error=str(error))
    except Exception as error:
        report(error=in_one_line(f"{type(error).__name__}: {error}"))


def _run(report: Report, path: Path, settings: dict[str, float]) -> tuple[str | None, Path]:
    """Run a script or a deck with the default options of `sim run` and ``--set``."""
    from sim import shipped
    from sim.cli.run_options import add_run_options
    from sim.cli.run_scripts import jobs_of, run_into
    from sim.cli.runs import folder_of_run
    from sim.decks import load_script_or_deck
    from sim.robots.mesh_places import only_meshes_below

    parser = argparse.ArgumentParser()
    add_run_options(parser)
    words = [word for name, value in settings.items() for word in ("--set", f"{name}={value!r}")]
    options = parser.parse_args(words)
    report(phase="model")
    meshes = [shipped.root(), *map(Path, sys.argv[1:])]
    sys.argv = ["sim", "run", os.path.relpath(path), *words]  # what the run's description states
    with only_meshes_below(path.parent, *meshes):
        (job,) = jobs_of([load_script_or_deck(str(path))], options, None)
        folder = folder_of_run(None, job.script.name, several=False)
        recording, _ = run_into(folder, job, options, watch=_Watch(report))
    return recording.run.verdict, folder


def _study(report: Report, arguments: list[str], out: Path, cases: int) -> None:
    """Run a study as its command does, and report its output."""
    from sim.cli.command import status
    from sim.cli.exit_status import SIGNALLED, WANTING, WELL

    watcher = threading.Thread(target=_count_cases, args=(report, out, cases), daemon=True)
    watcher.start()
    printed, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
        code = status(arguments)
    if code in (WELL, WANTING):
        report(study=out.name, text=printed.getvalue())
    elif code > SIGNALLED:
        report(stopped=True)
    else:
        report(error=errors.getvalue().strip().removeprefix("sim: "))


def _count_cases(report: Report, out: Path, cases: int) -> None:
    """Report the number of written cases, until the process ends."""
    while True:
        time.sleep(EVERY)
        with contextlib.suppress(OSError), (out / "cases.jsonl").open("rb") as file:
            done = sum(1 for _ in file)
            known = f" of {cases}" if cases else ""
            report(phase=f"case {done}{known}", share=done / cases if cases else 0.0)


class _Watch:
    """Reports of a run's progress at limited frequency."""

    def __init__(self, report: Report) -> None:
        self.report, self.last = report, 0.0

    def tick(self, done: int, total: int) -> None:
        """Report steps of the engine."""
        if done == total:
            self.report(phase="analytic model", share=1.0)
        elif (now := time.monotonic()) - self.last > EVERY:
            self.last = now
            self.report(phase="engine", share=done / total)

    def phase(self, name: str) -> None:
        """Report the phases after the engine."""
        self.report(phase=name)


def _load_engine(name: str) -> None:
    """Load the modules that a run with an engine needs."""
    import sim.checks
    import sim.reports.writing
    import sim.simulation.run

    with contextlib.suppress(ImportError):
        if name == "bullet":
            import sim.engines.bullet.bullet
        else:
            import sim.engines.mujoco  # noqa: F401


def _take_stdout() -> TextIO:
    """Reserve stdout for reports: output of libraries there goes to stderr."""
    sys.stdout.flush()
    stream = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    return stream


def _reporter(stream: TextIO) -> Report:
    def report(**message: object) -> None:
        with contextlib.suppress(OSError):  # no reader is left
            stream.write(json.dumps(message) + "\n")

    return report


def _end_with_stdin() -> None:
    """Stop when the window's server ends, in whatever way."""
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
