"""Growth with joints: driven chains of 6, 12, 30 and 60, as whole processes and kernel by kernel.

Target: 0.7 s at 1 ms of 60 joints, with its page, in at most 10 s of CPU and 500 MB. Run with
``python benchmarks/long_chains.py [ROUNDS]`` in an environment where the project is installed; the
first column is CPU time, which other programs on the machine disturb least.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sim.dynamics import lagrange, newton_euler
from sim.dynamics.cut_open import cut_reactions
from sim.robots import load_robot
from sim.robots.robot import Robot

SIM = str(Path(sys.executable).with_name("sim"))
JOINTS = (6, 12, 30, 60)
SAMPLES = 701
AXES = ("0 0 1", "0 1 0", "1 0 0")

SCENARIO = '''"""A chain of {n} joints, each driven by a STEP."""

import sim

DRIVES = {{f"j{{k}}": f"STEP(time, 0, 0, 0.6, {{(-1) ** k * (5 + k % 7)}}d)" for k in range({n})}}


def scenario():
    robot = sim.load_robot({urdf!r})
    return sim.Scenario(robot, sim.JointMotion.displacement(DRIVES), duration=0.7, dt=1e-3)
'''


def urdf(n: int) -> str:
    """Links of 0.1 to 0.3 m and 3 kg/m, axes along z, y and x in turn."""
    lengths = np.random.default_rng(n).uniform(0.1, 0.3, n)
    rows = ['<robot name="chain"><link name="base"/>']
    for k, length in enumerate(lengths):
        mass, origin = 3 * length, lengths[k - 1] if k else 0.0
        across, along = mass * length**2 / 12 + 4e-4 * mass, 4e-4 * mass
        parent = f"l{k - 1}" if k else "base"
        rows.append(
            f'<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="l{k}"/>'
            f'<origin xyz="0 0 {origin:.6g}"/><axis xyz="{AXES[k % 3]}"/>'
            '<limit lower="-6" upper="6" effort="1e5" velocity="100"/></joint>'
            f'<link name="l{k}"><inertial><origin xyz="0 0 {length / 2:.6g}"/>'
            f'<mass value="{mass:.6g}"/><inertia ixx="{across:.8g}" iyy="{across:.8g}" '
            f'izz="{along:.8g}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )
    return "\n".join([*rows, "</robot>"])


def process(script: Path, *options: str) -> tuple[float, float]:
    """CPU time [s] and peak memory [MB] of a run."""
    words = [SIM, "run", str(script), "--out", str(script.with_suffix("")), *options]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    running = subprocess.Popen(
        words, env=one_thread, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(running.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):  # 1: a verdict, which is not timed
        raise SystemExit(f"{' '.join(words)} ended with status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def cpu(kernel: Callable[[], object]) -> float:
    """CPU time of a call [ms]."""
    begin = time.process_time()
    kernel()
    return 1e3 * (time.process_time() - begin)


def kernels(robot: Robot) -> dict[str, Callable[[], object]]:
    """What is done with the samples of a run, and M and C once more, which it needs no longer."""
    n = len(robot.joint_names)
    state = np.random.default_rng(0).uniform(-1, 1, (3, n, SAMPLES))
    few = state[:, :, :: SAMPLES // 64]
    return {
        "virtual work": lambda: lagrange.inverse_dynamics(robot, *state),
        "energies": lambda: lagrange.energies(robot, *state[:2]),
        "M, C, g of 64 samples": lambda: lagrange.terms(robot, *few[:2]),
        "Newton-Euler": lambda: newton_euler.wrenches(robot, *state),
        "cut open, 64 samples": lambda: cut_reactions(robot, *few),
    }


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scripts = {}
        for n in JOINTS:
            (folder / f"chain_{n}.urdf").write_text(urdf(n))
            scripts[n] = folder / f"chain_{n}.py"
            text = SCENARIO.format(n=n, urdf=str(folder / f"chain_{n}.urdf"))
            scripts[n].write_text(text)
        print(f"whole runs, 0.7 s at 1 ms, median of {rounds}; load {os.getloadavg()[0]:.1f}")
        for options in (["--no-report"], [], ["--method", "ideal"]):
            for n in JOINTS:
                told = [process(scripts[n], *options) for _ in range(rounds)]
                seconds, memory = statistics.median(s for s, _ in told), max(m for _, m in told)
                words = " ".join(options)
                print(f"{n:3} joints {words:16} {seconds:6.2f} s CPU, {memory:4.0f} MB")
        print(f"kernels, {SAMPLES} samples, median of {rounds} [ms CPU]")
        for n in JOINTS:
            robot = load_robot(folder / f"chain_{n}.urdf")
            each = kernels(robot)
            for kernel in each.values():
                kernel()  # what is kept for a robot
            told_each = {
                what: statistics.median(cpu(kernel) for _ in range(rounds))
                for what, kernel in each.items()
            }
            print(f"{n:3} joints  " + ", ".join(f"{k} {v:.1f}" for k, v in told_each.items()))


if __name__ == "__main__":
    main()
