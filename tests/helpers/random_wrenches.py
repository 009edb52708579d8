"""Random forces and torques of the surroundings on the links of a robot."""

from __future__ import annotations

import numpy as np

from sim.dynamics import AppliedWrench
from sim.robots import Robot


def random_wrenches(robot: Robot, samples: int, seed: int) -> tuple[AppliedWrench, ...]:
    """Three wrenches on any links, the base among them; forces within ±50 N, torques ±20 N·m.

    The last one stays the same at all times.
    """
    rng = np.random.default_rng(seed)
    names = [link.name for link in robot.links]
    return tuple(
        AppliedWrench(
            str(rng.choice(names)),
            rng.uniform(-0.5, 0.5, 3),
            rng.uniform(-50, 50, (3, count)),
            rng.uniform(-20, 20, (3, count)),
        )
        for count in (samples, samples, 1)
    )
