"""``python -m benchmarks.contacts [PAIRS]``: cost of contacts that never touch, in whole runs.

A released UR10 runs for 2 s with `sim.run`: engine, analytic model, checks and tables. Each contact
is of the wrist with a shape of the world that the arm cannot reach, so that the motion is the same
with and without it. Both runs follow each other in pairs of alternating order; printed is the
median of the ratios of their CPU times, with its 95 % interval by the bootstrap. It should be at
most 1.05.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Sequence

import numpy as np

import sim

PAIRS = 60
WRIST, PLACE = "wrist_3_link", (0.0, 0.0, 2.5)
SPHERE = sim.ContactShape.sphere(WRIST, 0.05)
SHAPES = {
    "sphere and plane": (SPHERE, sim.ContactShape.plane(at=(0.0, 0.0, -2.5))),
    "sphere and box": (SPHERE, sim.ContactShape.box("world", (0.2, 0.2, 0.2), PLACE)),
    "capsule and capsule": (
        sim.ContactShape.capsule(WRIST, 0.05, 0.1),
        sim.ContactShape.capsule("world", 0.05, 0.1, PLACE),
    ),
}


def main(pairs: int) -> None:
    """Print the ratio of each pair of shapes."""
    for name, shapes in SHAPES.items():
        middle, low, high = median_with_interval(ratios(shapes, pairs))
        print(
            f"{name}: {middle:.3f} ({low:.3f} to {high:.3f}) times the run without, {pairs} pairs"
        )


def ratios(
    shapes: tuple[sim.ContactShape, sim.ContactShape], pairs: int, duration: float = 2.0
) -> list[float]:
    """Return CPU times of runs with a contact by those without, one of each pair of runs."""
    contact = sim.Contact(*shapes, sim.ContactLaw.impact(1e6, 1.5, 1e3), name="far")
    both = scenario(duration), scenario(duration, contact)
    for one in both:
        sim.run(one)  # compiles and caches once
    gc.collect()
    gc.freeze()
    times = np.empty((pairs, 2))
    for pair in range(pairs):
        for which in (0, 1) if pair % 2 else (1, 0):
            begin = time.process_time()
            sim.run(both[which])
            times[pair, which] = time.process_time() - begin
    gc.unfreeze()
    return (times[:, 1] / times[:, 0]).tolist()


def scenario(duration: float, *contacts: sim.Contact) -> sim.Scenario:
    """Return the released UR10."""
    arm = sim.load_robot("ur10")
    start = dict(zip(arm.joint_names, (0.3, -1.0, 0.8, 0.2, 0.5, -0.4), strict=True))
    motion = sim.JointMotion.torque({}, start, free=arm.joint_names)
    return sim.Scenario(arm, motion, duration, method="adaptive", contacts=contacts)


def median_with_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the median, and the bounds of its 95 % interval by the bootstrap."""
    drawn = np.random.default_rng(0).choice(np.asarray(values), (10_000, len(values)))
    low, high = np.quantile(np.median(drawn, axis=1), (0.025, 0.975))
    return float(np.median(values)), float(low), float(high)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS)
