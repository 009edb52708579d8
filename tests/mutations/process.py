"""The process in which mutations run: it has the heavy packages ready and forks for each.

A child takes `sim` from the copy that it is told of, solves a scenario or judges a run, and says
what was said. It is a script: JSON requests on stdin, one a line, JSON answers on stdout.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

HEAVY = (
    "numpy",
    "pandas",
    "pyarrow.parquet",
    "lxml.etree",
    "msgspec",
    "scipy.interpolate",
    "scipy.integrate",
    "scipy.optimize",
    "pybullet",
    "mujoco",
    "pytest",
)
LONGEST = 60  # s of a processor; what takes longer does not end
PATIENCE = 600.0  # s, for what waits


def solved(request: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Solve a scenario, write the run into `folder`, judge what is there, and compare it."""
    from sim.checks import check, judge_recording
    from sim.comparison import compare
    from sim.recording import Recording
    from sim.simulation import run

    scenario, method = request["run"].split()
    spec = importlib.util.spec_from_file_location(scenario, f"scenarios/{scenario}.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    made = judge_recording(run(script.scenario(), method=method, name=scenario))
    made.write(folder)
    read = Recording.read(folder)
    failing = [(one.name, one.channel) for one in check(read) if not one.ok]
    if request["against"] is None:
        return {"failing": failing}
    found = compare(read, Recording.read(Path(request["against"])))
    return {"failing": failing, "differing": differing(found)}


def differing(found: Any) -> list[str]:
    """What stands against "the same" in a comparison."""
    channels = [one.channel for one in found.differences if not one.ok]
    return [] if found.ok else [*channels, *found.missing, *found.new, *found.notes]


def judged_again(request: dict[str, Any]) -> dict[str, Any]:
    """Judge a run that is there."""
    from sim.checks import check
    from sim.recording import Recording

    read = Recording.read(Path(request["check"]))
    return {"failing": [(one.name, one.channel) for one in check(read) if not one.ok]}


def compared(request: dict[str, Any]) -> dict[str, Any]:
    """Accept a run as a baseline, if it is told of one, and compare another with that."""
    from sim.comparison import accept, compare, find_baseline, read_rules
    from sim.recording import Recording

    root = Path(request["root"])
    if request["accept"] is not None:
        accept(Recording.read(Path(request["accept"])), "it is sound", root)
    read = Recording.read(Path(request["compare"]))
    rules = read_rules(root / "tolerances.toml")
    found = compare(read, find_baseline(read.run.scenario, root), rules)
    shift = () if found.shift is None else (found.shift.text,)
    return {"differing": differing(found), "words": [found.level, *shift, *found.changes]}


def tested(request: dict[str, Any]) -> dict[str, Any]:
    """Whether a test of the repository fails with the program of the copy."""
    import pytest

    importlib.import_module("sim")  # before pytest puts the repository's own in front
    tests = Path(request["tests"])
    words = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", f"--rootdir={tests.parent}")
    said = Path(tempfile.mkstemp(dir=request["copy"])[1])
    os.dup2(os.open(said, os.O_WRONLY), sys.stdout.fileno())  # our own is for answers
    where = ("-c", f"{tests.parent}/pyproject.toml", f"{tests}/{request['test']}")
    status = pytest.main([*words, *where])
    if status == pytest.ExitCode.TESTS_FAILED:
        return {"failing": [("test", request["test"])]}
    why = said.read_text("utf-8")[-2000:]
    return {} if status == pytest.ExitCode.OK else {"error": f"Traceback: {status!r}\n{why}"}


def answer(request: dict[str, Any], file: Path) -> None:
    """What is said of a request, into a file; the engine has stdout to itself."""
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
    os.chdir(request["copy"])
    sys.path.insert(0, request["copy"])
    sys.dont_write_bytecode = not request["compile"]
    try:
        with tempfile.TemporaryDirectory(dir=request["copy"]) as nowhere:
            folder = Path(request.get("out") or nowhere)
            if "test" in request:
                said = tested(request)
            elif "check" in request:
                said = judged_again(request)
            elif "compare" in request:
                said = compared(request)
            else:
                said = solved(request, folder)
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        trace = "" if "SimError" in kinds else f"\n{traceback.format_exc()}"
        said = {"error": f"{type(error).__name__}: {error}{trace}"}
    import sim

    said["program"] = str(sim.__file__)
    file.write_text(json.dumps(said))


def forked(request: dict[str, Any], file: Path) -> dict[str, Any]:
    """The answer of a child; one that dies or does not end is an error too."""
    file.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        try:
            answer(request, file)
        finally:
            os._exit(0)
    end = time.monotonic() + PATIENCE
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return {"error": f"Traceback: no answer in {PATIENCE:g} s"}
        time.sleep(0.005)
    if not file.is_file():
        return {"error": f"Traceback: the process died, or took more than {LONGEST} s"}
    said: dict[str, Any] = json.loads(file.read_text())
    return said


def main() -> None:
    """Answer until stdin ends."""
    for name in HEAVY:
        importlib.import_module(name)
    assert "sim" not in sys.modules
    gc.freeze()  # else each child looks through all of it, 0.1 s
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            said = forked(json.loads(line), Path(folder) / "said.json")
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
