"""Short runs under a controller, for tests that read them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import sim
from tests.helpers.loop_robots import FourBar
from tests.helpers.small_robots import crane, cylindrical


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


@cache
def controlled_crane() -> sim.Recording:
    """A cart at 50 Hz with an encoder and noise, whose load swings on a ball, by MuJoCo."""
    motion = sim.JointMotion.displacement(
        {"slide": "STEP5(time,0,0,0.3,0.1)"}, q0={"swivel": (0.1, 0.2, 0.3)}
    )
    controller = sim.Controller(sim.PDGravity(crane(), 12.0), 0.02, encoder_bits=12, noise=1e-5)
    given = {"dt": 0.02, "method": "adaptive", "engine": "mujoco", "controller": controller}
    return sim.run(sim.Scenario(crane(), motion, 0.3, **given))


@cache
def controlled_four_bar() -> sim.Recording:
    """A four-bar whose crank is controlled at 50 Hz, an encoder in every joint, by PyBullet."""
    robot, start = FourBar().robot(), (0.3, 0.3, 1.0)
    motion = sim.JointMotion.displacement({"crank_joint": "0.3+0.1*SIN(9*time)"}, q0=start)
    law = sim.PDGravity(robot, 15.0, pose=start)
    controller = sim.Controller(law, 0.02, delay=1, encoder_bits=16)
    given = {"dt": 0.02, "method": "adaptive", "controller": controller}
    return sim.run(sim.Scenario(robot, motion, 0.3, **given))
