"""Batched Newton–Euler of 10 000 UR10 samples against a Python loop over `pin.rnea`, in one run.

Both get arrays in the layout they like best, and take turns. Target: at least 3 times faster. Run
with ``python benchmarks/inverse_dynamics.py``; ``OMP_NUM_THREADS=1`` in front makes no difference.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import pinocchio as pin

import sim
from sim.dynamics import newton_euler

SAMPLES, ROUNDS = 10_000, 25


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    robot = sim.load_robot("ur10").with_payload(10.0, (0, 0, 0.1))
    model = pin.buildModelFromXML(robot.text)
    data = model.createData()
    q, qd, qdd = np.random.default_rng(0).uniform(-3, 3, (3, 6, SAMPLES))
    rows = [np.ascontiguousarray(x.T) for x in (q, qd, qdd)]

    def batched() -> np.ndarray:
        return newton_euler.inverse_dynamics(robot, q, qd, qdd)

    def loop() -> None:
        for state in zip(*rows, strict=True):
            pin.rnea(model, data, *state)

    reference = np.array([pin.rnea(model, data, *state) for state in zip(*rows, strict=True)])
    error = np.abs(batched() - reference.T).max()
    pairs = [(seconds(batched), seconds(loop)) for _ in range(ROUNDS)]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(loop_time / our_time for our_time, loop_time in pairs)
    print(f"batched Newton–Euler {1e3 * ours:6.2f} ms   (largest difference {error:.1e} N·m)")
    print(f"pin.rnea in a loop   {1e3 * theirs:6.2f} ms   (its results are not kept)")
    print(f"ratio                {ratio:6.2f}      (target at least 3)")


if __name__ == "__main__":
    main()
