"""The recorded stepping loop against the leanest hand-written PyBullet loop, in one run.

Both set the motors, step once and read the same joint states, 10 000 times on the UR10. Target:
at most 1.15 times the lean loop. Run with ``python benchmarks/stepping_loop.py``.
"""

from __future__ import annotations

import statistics
import time

import numpy as np

import sim
from sim.engines.bullet import Bullet
from sim.engines.bullet.stepping import UNLIMITED_EFFORT
from sim.engines.contract import March

STEPS, ROUNDS, H = 10_000, 9, 1e-3


def lean(engine: Bullet, commands: list[list[float]], q: list[float]) -> float:
    """Seconds of the loop anyone would write by hand, without keeping what it reads."""
    p, body, joints, client = engine.bullet, engine.body, engine.joints, engine.client
    forces = [UNLIMITED_EFFORT] * len(joints)
    engine.reset(q, commands[0])
    start = time.perf_counter()
    for command in commands:
        p.setJointMotorControlArray(
            body,
            joints,
            p.VELOCITY_CONTROL,
            targetVelocities=command,
            forces=forces,
            physicsClientId=client,
        )
        p.stepSimulation(client)
        p.getJointStates(body, joints, client)
    return time.perf_counter() - start


def recorded(engine: Bullet, t: np.ndarray, commands: np.ndarray, q: np.ndarray) -> float:
    """Seconds of the same steps through the engine's march."""
    driven = np.ones(len(engine.joints), dtype=bool)
    march = March(H, t, q[:, 0], commands[:, 0], driven, commands, places=q[:, 1:])
    start = time.perf_counter()
    engine.march(march)
    return time.perf_counter() - start


def main() -> None:
    robot = sim.load_robot("ur10").with_payload(10.0, (0, 0, 0.1))
    t = H * np.arange(STEPS + 1)
    q = np.sin(np.outer(np.arange(1, 7) / 3, t))
    commands = np.diff(q) / H
    with Bullet(robot, (0, 0, -9.81)) as engine:
        engine.set_step(H)
        rows = commands.T.tolist()
        pairs = [
            (lean(engine, rows, q[:, 0].tolist()), recorded(engine, t[1:], commands, q))
            for _ in range(ROUNDS)
        ]
    ratios = [ours / theirs for theirs, ours in pairs]
    print(f"lean loop      {1e6 * statistics.median(a for a, _ in pairs) / STEPS:6.2f} µs a step")
    print(f"recorded loop  {1e6 * statistics.median(b for _, b in pairs) / STEPS:6.2f} µs a step")
    print(f"ratio          {statistics.median(ratios):6.3f} (target at most 1.15)")


if __name__ == "__main__":
    main()
