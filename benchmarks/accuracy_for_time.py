"""Torque error against wall time: extrapolated 4 + 2 ms beside one plain 1 ms march, in one run.

Scenario ur10_step, 10 s. Target: an error of at most 1e-5 of the largest torque for no more wall
time than the plain march. The joint whose own error is largest is the last one, which carries
2 mN·m. Run with ``python benchmarks/accuracy_for_time.py``.
"""

from __future__ import annotations

import statistics
import time

import numpy as np

from sim.dynamics.newton_euler import inverse_dynamics
from sim.engines.bullet import Bullet
from sim.engines.contract import March
from sim.engines.stepped import stepped
from sim.scenario.script import load_script

ROUNDS = 7


def main() -> None:
    scenario, _ = load_script("ur10_step").build({})
    robot = scenario.robot
    motion = scenario.motion.on(robot, scenario.duration)
    driven = np.ones(6, dtype=bool)

    def path(t):
        at = motion.at(t)
        return at.q, at.qd, at.qdd

    def error(t, tau):
        exact = inverse_dynamics(robot, *path(t))
        worst = np.max(np.abs(tau - exact), axis=1)
        own = np.max(np.abs(exact), axis=1)
        return worst.max() / own.max(), np.max(worst / own)

    def plain(engine, h=1e-3):
        t = np.arange(0, scenario.duration + h / 2, h)
        q = path(t)[0]
        start = time.perf_counter()
        commands = np.diff(q) / h
        march = March(h, t[1:], q[:, 0], commands[:, 0], driven, commands, places=q[:, 1:])
        tau = engine.march(march)[:, 2]
        return time.perf_counter() - start, error(t[:-1], tau)

    def extrapolated(engine, h=4e-3):
        t = np.arange(0, scenario.duration + h / 2, h)
        start = time.perf_counter()
        tau = stepped(engine, t, path, driven, None).tau
        return time.perf_counter() - start, error(t, tau)

    with Bullet(robot, scenario.gravity) as engine:
        pairs = [(plain(engine), extrapolated(engine)) for _ in range(ROUNDS)]
    for name, k in (("plain 1 ms", 0), ("extrapolated 4 + 2 ms", 1)):
        wall = statistics.median(pair[k][0] for pair in pairs)
        largest, own = pairs[0][k][1]
        print(
            f"{name:22} {1e3 * wall:7.1f} ms   torque error {largest:.1e} of the largest torque, "
            f"{own:.1e} of a joint's own"
        )
    ratio = statistics.median(ours[0] / theirs[0] for theirs, ours in pairs)
    print(f"ratio of wall times    {ratio:7.2f}      (target at most 1)")


if __name__ == "__main__":
    main()
