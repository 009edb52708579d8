"""Long runs: a UR10 at 1 ms for 10, 60 and 600 s, CPU time and peak memory with and without report.

Target: 600 s under 600 MB. Run with ``python benchmarks/long_runs.py`` in an environment where the
project is installed; a run of 600 s takes some minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SIM = str(Path(sys.executable).with_name("sim"))
DURATIONS = (10, 60, 600)  # [s]
SCENARIO = '''
import sim

JOINTS = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")


def scenario(duration: float = 10.0) -> sim.Scenario:
    """Every joint of a UR10 swings at a rate of its own."""
    robot = sim.load_robot("ur10").with_payload(mass=5.0, com=(0, 0, 0.1))
    drives = {f"{joint}_joint": f"0.3*SIN({0.3 + 0.2*k}*time)" for k, joint in enumerate(JOINTS)}
    motion = sim.JointMotion.velocity(drives, q0=robot.pose("upright"))
    return sim.Scenario(robot, motion, duration=duration)
'''


def measured(*command: str) -> tuple[float, float]:
    """CPU time [s] and peak memory [MB] of one process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "long_swing.py"
        script.write_text(SCENARIO, encoding="utf-8")
        for duration in DURATIONS:
            for name, options in (("with report", ()), ("without", ("--no-report",))):
                out = ("--set", f"duration={duration}", "--out", f"{folder}/run")
                cpu, memory = measured(SIM, "run", str(script), *out, *options)
                print(f"{duration:4d} s, {name:12} {cpu:7.1f} s of CPU, {memory:4.0f} MB")


if __name__ == "__main__":
    main()
