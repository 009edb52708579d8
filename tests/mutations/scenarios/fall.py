"""The arm let go: every joint is free and most rub by a law that follows their load."""

from pathlib import Path

import sim
from sim.scenario import JointFriction

ROBOT = Path(__file__).with_name("arm.urdf")

LAW = JointFriction(
    mu_static=0.03,
    mu_dynamic=0.02,
    stiction_velocity=0.01,
    pin_radius=0.02,
    friction_arm=0.03,
    bending_arm=0.2,
    preload=0.02,
)


def scenario() -> sim.Scenario:
    """The fall for 0.05 s."""
    robot = sim.load_robot(ROBOT).with_friction({"lift": LAW, "reach": LAW, "wrist": LAW})
    return sim.Scenario(
        robot,
        sim.JointMotion.acceleration(
            {},
            q0={"turn": 0.3, "lift": 0.2, "reach": 0.05},
            qd0={"turn": 1.0, "lift": -0.6, "reach": 0.5, "wrist": 2.0},
            free=["turn", "lift", "reach", "wrist"],
        ),
        duration=0.05,
        dt=1e-3,
        method="adaptive",
        gravity=(0.4, -0.3, -9.7),
    )


if __name__ == "__main__":
    sim.main(scenario)
