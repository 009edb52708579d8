"""A lever that follows a wheel by a gear."""

from pathlib import Path

import sim

ROBOT = Path(__file__).with_name("gear.urdf")


def scenario() -> sim.Scenario:
    """The wheel for 0.3 s."""
    return sim.Scenario(
        sim.load_robot(ROBOT),
        sim.JointMotion.displacement({"input": "0.4*SIN(6*time + 0.5)"}),
        duration=0.3,
        method="ideal",
    )


if __name__ == "__main__":
    sim.main(scenario)
