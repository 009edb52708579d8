"""A UR10 that folds its forearm towards its shoulder: distances between links are judged."""

import sim


def scenario() -> sim.Scenario:
    """The elbow for 1 s."""
    robot = sim.load_robot("ur10")
    motion = sim.JointMotion.velocity(
        {"elbow_joint": "1.4*SIN(3*time)", "wrist_1_joint": "1.1*COS(2*time)"},
        q0=robot.pose("upright"),
    )
    return sim.Scenario(
        robot,
        motion,
        duration=1.0,
        dt=0.01,
        method="ideal",
        clearance=sim.Clearance(floor=-2.0),
    )


if __name__ == "__main__":
    sim.main(scenario)
