"""Two links: the example to copy for a robot and a motion of your own.

Copy this file and `two_link.urdf`, change them, and run

    sim run my_scenario.py --set load=0.7
"""

from pathlib import Path

import sim

ROBOT = Path(__file__).with_name("two_link.urdf")

DRIVES = {  # joint angle [rad] over time [s]; `d` after a number means degrees
    "shoulder": "STEP5(time, 0, 0, 1.5, 90d) - STEP5(time, 2, 0, 3.5, 45d)",
    "elbow": "30d * SIN(PI * time)**2",
}


def scenario(load: float = 0.5) -> sim.Scenario:
    """Swing the arm with `load` [kg] at its tip."""
    robot = sim.load_robot(ROBOT).with_payload(mass=load)
    motion = sim.JointMotion.displacement(DRIVES)
    return sim.Scenario(robot, motion, duration=4.0)  # s


if __name__ == "__main__":
    sim.main(scenario)
