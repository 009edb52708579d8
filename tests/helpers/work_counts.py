"""Counts of work that no clock disturbs: calls, memory and modules of typical tasks.

Calls are those of functions of the package, and those of compiled functions out of it (methods of
arrays, functions of engines; not the operators of NumPy). Comprehensions are left out, which are
functions for Python 3.11 and none from 3.12 on. The peak of memory is that of `tracemalloc`, above
what was there before; NumPy reports its arrays to it, and they are the same everywhere.

Every task is done once before it is counted, so that what is kept for later does not count. All
run in a process of their own: ``python -m tests.helpers.work_counts`` prints them as JSON, with
``--update`` (``make work-bounds``) it writes the bounds that `tests/test_work_counts.py` holds them
against. Python 3.11 and 3.12 count the same, but for a kilobyte. Bounds are written where PyBullet
is, whose steps are among them.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import tracemalloc
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

BOUNDS = Path(__file__).parents[1] / "work_bounds.json"
PACKAGE = str(Path(__file__).parents[2] / "sim") + os.sep
HEAVY = ("lark", "lxml", "matplotlib", "mujoco", "numba", "pandas", "PIL", "pyarrow", "pybullet",
         "scipy")  # fmt: skip

SAMPLES = 2048
SLACK = 0.10  # of a bound; what small changes elsewhere may add before anybody need look
ABSOLUTE = 3  # the same of a small count
Counts = dict[str, int]


def grown(bounds: dict[str, Counts], found: dict[str, Counts]) -> list[str]:
    """In words, every count that is above its bound by more than the slack, or has none."""
    told = []
    for task, counts in found.items():
        for what, count in counts.items():
            bound = bounds.get(task, {}).get(what)
            if bound is None:
                told.append(f"{task}: {what} are {count} and have no bound")
                continue
            most = bound if bound == 0 else max(bound + ABSOLUTE, int(bound * (1 + SLACK)))
            if count > most:
                share = f" (+{100 * (count / bound - 1):.0f} %)" if bound else ""
                told.append(f"{task}: {what} grew from {bound} to {count}{share}; at most {most}")
    return told


class Calls:
    """A profiler that counts; a context manager."""

    def __init__(self) -> None:
        self.own: Counter[str] = Counter()
        self.compiled: Counter[str] = Counter()

    def __enter__(self) -> Calls:
        gc.collect()
        gc.disable()  # a finalizer that runs now or later is no work of the task
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        gc.enable()

    def _see(self, frame: FrameType, event: str, arg: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE):
            return
        if event == "call" and (code.co_name[0] != "<" or code.co_name == "<lambda>"):
            self.own[code.co_name] += 1
        elif event == "c_call":
            self.compiled[str(getattr(arg, "__module__", None))] += 1


def calls(task: Callable[[], object]) -> Calls:
    """What a task calls when it is done for the second time."""
    task()
    with Calls() as seen:
        task()
    return seen


def peak(task: Callable[[], object]) -> int:
    """Peak of memory of a task that was done before [kB]."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        task()
        return (tracemalloc.get_traced_memory()[1] - before) // 1000
    finally:
        tracemalloc.stop()


def kernels() -> dict[str, Counts]:
    """Batched kernels on the samples of a UR10."""
    import numpy as np

    from sim.dynamics import lagrange, newton_euler
    from sim.kinematics import frame_pose
    from sim.kinematics.inverse import follow
    from sim.robots import load_robot

    robot = load_robot("ur10")
    q, qd, qdd = np.random.default_rng(0).uniform(-3, 3, (3, 6, SAMPLES))
    sweep = 0.2 + np.linspace(0.3, 0.9, 6)[:, None] * np.linspace(0, 1, SAMPLES)
    path = frame_pose(robot, sweep)
    tasks: dict[str, Callable[[], object]] = {
        "Newton-Euler": lambda: newton_euler.inverse_dynamics(robot, q, qd, qdd),
        "virtual work": lambda: lagrange.inverse_dynamics(robot, q, qd, qdd),
        "energies": lambda: lagrange.energies(robot, q, qd),
        "path by inverse kinematics": lambda: follow(robot, path, near=sweep[:, 0]),
    }
    found = {}
    for name, task in tasks.items():
        seen = calls(task)
        found[name] = {
            "calls": seen.own.total(),
            "compiled calls": seen.compiled.total(),
            "peak kB": peak(task),
        }
    return found


def free_motion() -> Counts:
    """1 s of a released UR10 by NumPy; right-hand sides, and calls for each of them."""
    import numpy as np

    from sim.dynamics import LagrangianDynamics, integrate
    from sim.robots import load_robot
    from tests.helpers.free_paths import loose

    stages = [(0.0, LagrangianDynamics(load_robot("ur10"), (0.0, 0.0, -9.81)))]
    path, t = loose([0.3, -1.0, 1.3, 0.2, 0.9, 0.4]), np.linspace(0.0, 1.0, 101)
    seen = calls(lambda: integrate(stages, path, t))
    sides = seen.own["at_instant"]
    return {
        "right-hand sides": sides,
        "calls per 100 right-hand sides": 100 * seen.own.total() // sides,
        "compiled calls per 100 right-hand sides": 100 * seen.compiled.total() // sides,
    }


def stepped_run() -> dict[str, Counts]:
    """1 s of two_link by PyBullet's steps, the checks of it, and its page."""
    from sim import shipped
    from sim.checks import check
    from sim.motion import JointMotion
    from sim.reports.page.report import write_report
    from sim.robots import load_robot
    from sim.scenario import Scenario
    from sim.simulation import run

    robot = load_robot(shipped.scenarios() / "two_link.urdf").with_payload(mass=0.5)
    law = {"shoulder": "STEP5(time, 0, 0, 0.9, 15d)", "elbow": "10d * SIN(PI * time)**2"}
    scenario = Scenario(robot, JointMotion.displacement(law), 1.0)
    kept: list[Any] = []

    def simulate() -> None:
        kept[:] = [run(scenario, method="stepped", engine="bullet", name="counted")]

    seen = calls(simulate)
    (recording,) = kept
    steps = recording.t.size - 1
    checks = calls(lambda: check(recording))
    with tempfile.TemporaryDirectory() as folder:

        def show() -> None:
            write_report(Path(folder), recording, robot)

        page = calls(show)
        return {
            "stepped run": {
                "engine calls per 100 steps": 100 * seen.compiled["pybullet"] // steps,
                "calls per 100 steps": 100 * seen.own.total() // steps,
                "compiled calls per 100 steps": 100 * seen.compiled.total() // steps,
                "peak kB": peak(simulate),
            },
            "checks": {
                "calls": checks.own.total(),
                "compiled calls": checks.compiled.total(),
                "peak kB": peak(lambda: check(recording)),
            },
            "page": {"calls": page.own.total(), "peak kB": peak(show)},
        }


def study_case() -> Counts:
    """One case of a study, as a worker of the pool does it."""
    from sim.studies.workers.case_work import compute_rows
    from tests.helpers.studies import swing_study

    with tempfile.TemporaryDirectory() as folder:
        study = swing_study(Path(folder), "load=0.5:1.5:2")
        case = study.design.case(0)
        seen = calls(lambda: compute_rows(study.plan, [case]))
    return {"calls": seen.own.total(), "compiled calls": seen.compiled.total()}


def modules(code: str) -> tuple[Counts, list[str]]:
    """How many modules of the package a process loads, and which heavy packages."""
    code += "\nimport sys\nprint()\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    loaded = done.stdout.splitlines()[-1].split()
    own = sum(name.split(".")[0] == "sim" for name in loaded)
    return {"modules": own}, [name for name in HEAVY if name in loaded]


STARTS = {
    "import sim": "import sim",
    "sim list": "import sim\ntry: sim.main(argv=['list'])\nexcept SystemExit: pass",
    "import sim and Scenario": "from sim import Scenario",
}


def all_counts() -> dict[str, dict[str, Any]]:
    """What every task counts; without PyBullet not of the steps."""
    os.environ["SIM_FAST"] = "0"
    found: dict[str, dict[str, Any]] = {}
    for name, code in STARTS.items():
        counts, heavy = modules(code)
        found[name] = {**counts, "heavy packages": len(heavy)}
    found |= kernels()
    found["free motion"] = free_motion()
    if find_spec("pybullet") is not None:
        found |= stepped_run()
        found["case of a study"] = study_case()
    return found


def main() -> None:
    counts = all_counts()
    text = json.dumps(counts, indent=2) + "\n"
    if "--update" in sys.argv:
        if "stepped run" not in counts:
            raise SystemExit("Bounds are written where PyBullet is installed; nothing was changed")
        BOUNDS.write_text(text, "utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
