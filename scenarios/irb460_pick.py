"""ABB IRB 460, palletizing: a box is picked up, moved and set down.

An example of payload events: the torques jump when the box is picked up and set down, and the
energy balance includes the energy that the box adds and removes. The masses of the robot and the
box are assumed.
"""

import numpy as np

import sim

PICKED, PLACED = 1.4, 4.2  # s
SIDES = (0.40, 0.30, 0.25)  # m, of the box

DRIVES = {  # rad; down, up, aside, down, and back
    "swing_joint": "STEP5(time,2.0,0,3.4,90d) - STEP5(time,4.8,0,6.2,90d)",
    "lower_arm_joint": "-STEP5(time,0,0,1.2,60d) + STEP5(time,1.6,0,2.6,35d)"
    " - STEP5(time,3.0,0,4.0,35d) + STEP5(time,4.4,0,5.6,60d)",
    "crank_joint": "-STEP5(time,0,0,1.2,40d) + STEP5(time,1.6,0,2.6,30d)"
    " - STEP5(time,3.0,0,4.0,30d) + STEP5(time,4.4,0,5.6,40d)",
}


def scenario(mass: float = 30.0) -> sim.Scenario:
    """Carry a box of `mass` [kg] hanging below the flange."""
    a, b, c = SIDES
    inertia = mass / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    box = sim.Payload(mass, com=(0, 0, -c / 2), inertia=inertia)
    return sim.Scenario(
        sim.load_robot("irb460"),
        sim.JointMotion.displacement(DRIVES),
        duration=6.4,
        method="ideal",
        events=(sim.PickUp(PICKED, box, "box"), sim.SetDown(PLACED, "box")),
    )


if __name__ == "__main__":
    sim.main(scenario)
