"""A pendulum on a cart that sticks and slips, with a motor in its hinge.

Both joints are free, so that the solver finds the motion. The pendulum leaves its stop; the cart is
thrown back, sticks, and is pulled off again.
"""

from pathlib import Path

import sim
from sim.scenario import Force, JointSpring, Stop

ROBOT = Path(__file__).with_name("loose.urdf")


def scenario() -> sim.Scenario:
    """The mechanism for 0.1 s."""
    robot = (
        sim.load_robot(ROBOT)
        .with_springs({"slide": JointSpring(200.0, 2.0, 0.06)})
        .with_stops({"hinge": Stop(300.0, 1.5, damping=1.0, depth=0.01, lower=-1.0, upper=0.47)})
    )
    motion = sim.JointMotion.torque(
        {"hinge": "-1.5*SIN(9*time)"}, q0={"slide": 0.05, "hinge": 0.5}, free=["slide"]
    )
    return sim.Scenario(
        robot,
        motion,
        duration=0.1,
        dt=2e-3,
        method="adaptive",
        forces=(Force("bob", force=("150*time", 1, 0), torque=(0, 0, 0.1), at=(0, 0, -0.1)),),
    )


if __name__ == "__main__":
    sim.main(scenario)
