"""Torques, energies and M of 10 000 UR10 samples against Python loops over Pinocchio, in one run.

Both get arrays in the layout they like best, and take turns. Targets: torques at least 3.7 times
faster, energies 4 times; M is only formed by `terms` and its tests, and has none. Run
with ``python benchmarks/inverse_dynamics.py``; ``OMP_NUM_THREADS=1`` in front makes no difference.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import pinocchio as pin

import sim
from sim.dynamics import lagrange, newton_euler

SAMPLES, ROUNDS = 10_000, 25


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    robot = sim.load_robot("ur10").with_payload(10.0, (0, 0, 0.1))
    model = pin.buildModelFromXML(robot.text)
    data = model.createData()
    q, qd, qdd = np.random.default_rng(0).uniform(-3, 3, (3, 6, SAMPLES))
    rows = [np.ascontiguousarray(x.T) for x in (q, qd, qdd)]

    def rnea() -> list[np.ndarray]:
        return [pin.rnea(model, data, *state) for state in zip(*rows, strict=True)]

    def sums() -> list[float]:
        return [
            pin.computeKineticEnergy(model, data, *state)
            + pin.computePotentialEnergy(model, data, state[0])
            for state in zip(*rows[:2], strict=True)
        ]

    def crba() -> list[np.ndarray]:
        return [pin.crba(model, data, state).copy() for state in rows[0]]

    def whole() -> np.ndarray:
        _, ke, pe = lagrange.energies(robot, q, qd)
        return ke.sum(axis=0) + pe.sum(axis=0)

    def upper() -> np.ndarray:
        return lagrange.mass_matrix(robot, q).transpose(2, 0, 1)

    for name, ours, theirs, target in (
        (
            "Newton–Euler torques [N·m]",
            lambda: newton_euler.inverse_dynamics(robot, q, qd, qdd).T,
            rnea,
            "3.7",
        ),
        ("energies, summed [J]", whole, sums, "4"),
        ("mass matrix, upper half", upper, crba, "none"),
    ):
        apart = ours() - np.array(theirs())
        error = np.abs(np.triu(apart) if apart.ndim == 3 else apart).max()
        pairs = [(seconds(ours), seconds(theirs)) for _ in range(ROUNDS)]
        mine, loop = (1e3 * statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(slow / fast for fast, slow in pairs)
        print(
            f"{name:28} {mine:6.2f} ms, loop {loop:6.2f} ms: {ratio:5.2f} x (target {target}), ",
            end="",
        )
        print(f"largest difference {error:.1e}")


if __name__ == "__main__":
    main()
