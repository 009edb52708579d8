"""A four-bar of crank, coupler and rocker, driven at its crank."""

from pathlib import Path

import sim
from sim.scenario import Force

ROBOT = Path(__file__).with_name("bars.urdf")


def scenario() -> sim.Scenario:
    """The crank for 0.3 s."""
    return sim.Scenario(
        sim.load_robot(ROBOT),
        sim.JointMotion.velocity({"crank_joint": "4 + 3*SIN(5*time)"}, q0={"crank_joint": 0.5}),
        duration=0.3,
        method="ideal",
        forces=(Force("coupler", force=(2, 0, "5*COS(8*time)"), at=(0, 0, 0.3)),),
    )


if __name__ == "__main__":
    sim.main(scenario)
