"""An arm of three joints that swings a load from right to left: the scenario to copy."""

import sim

DRIVES = {  # joint angle [rad] over time [s]; `d` after a number means degrees
    "turn": "STEP5(time, 0, -45d, 2, 45d)",
    "shoulder": "STEP5(time, 0, 60d, 1, 90d) - STEP5(time, 1, 0, 2, 30d)",
    "elbow": "-60d",
}


def scenario(load: float = 2.0) -> sim.Scenario:
    """Swing a load [kg]."""
    robot = sim.load_robot("my_arm.urdf").with_payload(mass=load)
    motion = sim.JointMotion.displacement(DRIVES)
    return sim.Scenario(robot, motion, duration=2.5)  # s
