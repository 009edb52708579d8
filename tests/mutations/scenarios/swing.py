"""A pendulum on a driven cart, stepped: what swings is found by the engine's own integrator."""

from pathlib import Path

import sim

ROBOT = Path(__file__).with_name("swing.urdf")


def scenario() -> sim.Scenario:
    """The cart for 0.3 s."""
    return sim.Scenario(
        sim.load_robot(ROBOT),
        sim.JointMotion.displacement(
            {"slide": "0.1*SIN(5*time)"}, q0={"hinge": 0.6}, free=["hinge"]
        ),
        duration=0.3,
        method="stepped",
    )


if __name__ == "__main__":
    sim.main(scenario)
