"""A short run under a controller, for tests that read it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import sim
from tests.helpers.small_robots import cylindrical


def pushing(x: sim.Sensed, state: Any) -> tuple[Any, Any]:
    """PD that is cut off at the start of the slide's motion."""
    return np.array([3.0, 400.0]) * (x.q_ref - x.q) - np.array([0.9, 30.0]) * x.qd, state


@cache
def controlled() -> sim.Recording:
    """A body that turns and slides at 100 Hz, by MuJoCo; the slide's force is cut off."""
    drives = {"turn": "0.3*SIN(4*time)", "slide": "STEP(time,0,0,0.2,0.1)"}
    motion = sim.JointMotion.displacement(drives)
    controller = sim.Controller(pushing, 0.01, delay=2, limits={"slide": 12.0})
    given = {"dt": 0.01, "method": "adaptive", "engine": "mujoco", "controller": controller}
    scenario = sim.Scenario(cylindrical(), motion, 0.5, **given)
    return sim.run(scenario)
