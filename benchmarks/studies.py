"""Parameter studies: simulated cases with one and two workers, and cases of the analytic model.

Simulated: 200 runs of 1 s of a UR10 with varying payload, as a whole process of ``sim sweep``.
Analytic model only: scenario ur10_step, 10 s at 1 kHz, with one case simulated as a check. Times
are wall times; two workers should halve them.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.contest import (
    Contender,
    Part,
    Settings,
    Subject,
    Target,
    megabytes_of,
    process,
    ratio,
    seconds_of,
    turns,
)

SIM = (sys.executable, "-m", "sim")
ONE, TWO, MODEL = "one worker", "two workers", "analytic model only"
SCRIPT = '''"""A UR10 whose elbow and wrist swing for a second."""

import sim

DRIVES = {"elbow_joint": "0.4*SIN(3*time)", "wrist_1_joint": "0.3*SIN(5*time)"}


def scenario(payload: float = 5.0) -> sim.Scenario:
    robot = sim.load_robot("ur10").with_payload(mass=payload, com=(0, 0, 0.1))
    motion = sim.JointMotion.displacement(DRIVES, q0=robot.pose("upright"))
    return sim.Scenario(robot, motion, duration=1.0)
'''


def measured(settings: Settings) -> Subject:
    """Return tables of the time per case."""
    with tempfile.TemporaryDirectory() as name:
        script = Path(name) / "second.py"
        script.write_text(SCRIPT, encoding="utf-8")
        cases, many = settings.pick(200, 2), settings.pick(10_000, 20)
        simulated = turns(
            [
                _sweep(label, str(script), cases, "--workers", workers)
                for label, workers in ((ONE, "1"), (TWO, "2"))
            ],
            settings,
        )
        alone = turns(
            [_sweep(MODEL, "ur10_step", many, "--analytic", "--proof", "1")],
            settings,
        )
    per_second = 1 / seconds_of(alone, MODEL)
    return Subject(
        __doc__,
        (
            Part(f"{cases} runs of 1 s", tuple(simulated.values()), "case"),
            Part(f"{many} cases of 10 s, analytic model only", tuple(alone.values()), "case"),
        ),
        (
            Target("two workers, speed-up over one", ratio(simulated, ONE, TWO), 1.8, "x", True),
            Target("analytic model only, cases per second", per_second, 4000, "1/s", True),
            Target("analytic model only, peak memory", megabytes_of(alone, MODEL), 600, "MB"),
        ),
    )


def _sweep(label: str, script: str, cases: int, *options: str) -> Contender:
    """Return a study in a new folder each time, since a finished one would not run."""

    def work() -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as folder:
            out = str(Path(folder) / "study")
            words = ("sweep", script, "--vary", f"payload=0:10:{cases}", *options, "--out", out)
            return run(*words)

    run = partial(process, *SIM, accepted=(0, 1), wall=True)
    return Contender(label, work, cases, is_process=True)
