"""An arm in which everything there is acts at once: for changes of the program that must be seen.

Joints that turn and slide about slanting axes, drives of every kind, friction, a stop, a spring, a
force, the ground, a box that comes and goes. Quick to solve; nothing in it is meant.
"""

from pathlib import Path

import sim
from sim.dynamics import Measure
from sim.scenario import (
    Force,
    GroundContact,
    JointFriction,
    JointSpring,
    Payload,
    PickUp,
    SetDown,
    Stop,
)

ROBOT = Path(__file__).with_name("arm.urdf")

TIMES = (0.0, 0.1, 0.2, 0.3)  # s, of the points that `reach` goes through
POINTS = (0.05, 0.06, 0.09, 0.1)  # m

LAW = JointFriction(
    mu_static=0.3,
    mu_dynamic=0.2,
    stiction_velocity=0.01,
    pin_radius=0.02,
    friction_arm=0.03,
    bending_arm=0.2,
    preload=0.4,
)
WRIST_LAW = JointFriction(0.3, 0.2, stiction_velocity=0.008, pin_radius=0.02, bending_arm=0.2)


def scenario() -> sim.Scenario:
    """The arm for 0.3 s."""
    robot = (
        sim.load_robot(ROBOT)
        .with_payload(mass=0.4, com=(0.01, 0.02, 0.03))
        .with_friction({"lift": LAW, "wrist": WRIST_LAW})
        .with_springs({"wrist": JointSpring(6.0, 0.05, 0.3, preload=0.2)})
        .with_stops({"reach": Stop(3e4, 1.5, damping=20.0, depth=0.06, lower=-0.2, upper=0.02)})
    )
    velocity = sim.JointMotion.velocity(
        {"turn": "1.2 + STEP(time, -0.1, 0, 0.4, 2)"}, q0={"turn": 0.3}
    )
    displacement = sim.JointMotion.displacement(
        {"lift": "0.2 - 0.3*time - STEP5(time, -0.1, 0, 0.5, 40d) + 0.3*time*SIN(9*time*time)"}
    )
    points = sim.JointMotion.displacement({"reach": POINTS}, times=TIMES)
    acceleration = sim.JointMotion.acceleration({"wrist": "20*COS(15*time)*EXP(-2*time)"})
    box = Payload(
        1.5,
        com=(0.02, 0.05, 0.1),
        inertia=((0.004, 0.0, 0.0), (0.0, 0.005, 0.0), (0.0, 0.0, 0.003)),
        frame="flange",
    )
    return sim.Scenario(
        robot,
        velocity | displacement | points | acceleration,
        duration=0.3,
        dt=5e-4,
        method="ideal",
        gravity=(0.4, -0.3, -9.7),
        forces=(
            Force(
                "ram",
                force=("20*SIN(10*time)", 5, -8),
                torque=(0.5, "2*time", 0.3),
                at=(0.1, 0.05, 0.02),
                axes="hand",
            ),
        ),
        contacts=(
            GroundContact("hand", stiffness=2e3, radius=0.05, damping=5.0, depth=0.01, height=0.9),
        ),
        measures=(Measure("held", "flange_joint", on="parent", axes="column", at="beam"),),
        events=(PickUp(0.1, box, "box"), SetDown(0.2, "box")),
    )


if __name__ == "__main__":
    sim.main(scenario)
