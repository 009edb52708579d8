"""ADAMS torsion spring: the pendulum of `adams_pendulum` on a spring and damper at its hinge.

The mechanism is that of Project Chrono's deck test_RotSpring_Case01; its body starts level, where
the spring is relaxed. The published deck gives 1 N·m per degree for the spring and 0.05 N·m·s per
degree for the damper, but its results are those of 200 N·m/rad and 10 N·m·s/rad: with these
numbers, which Chrono's own test uses, the torque in the files follows from their angles and speeds
to 5e-6 N·m (root mean square). This scenario uses them. Give the folder with the results to compare
the run with ADAMS:

    sim run adams_torsion_spring --set data=chrono/data/testing/joints
"""

from pathlib import Path

import sim
from sim.reference.adams_results import MEASURE, note_on

ROBOT = Path(__file__).with_name("adams_pendulum.urdf")

GRAVITY = (0.0, 0.0, -9.80665)  # m/s², ACCGRAV/ KGRAV
STEP, END = 0.01, 5.0  # s, as in the files

CHRONO = {  # root mean square accepted by Chrono's test of the rotational spring
    "Pos": 1e-3, "Vel": 5e-4, "Acc": 2e-2, "Quat": 1e-3, "Avel": 1e-3, "Aacc": 5e-3,
    "Rforce": 5e-3, "Rtorque": 1e-2,
}  # fmt: skip


def scenario(
    stiffness: float = 200.0, damping: float = 10.0, start: float = 0.0, data: str = ""
) -> sim.Scenario:
    """Release the body at `start` [rad] below the level, on a spring [N·m/rad, N·m·s/rad]."""
    reference = sim.adams_reference("RotSpring_Case01", data, CHRONO)
    return sim.Scenario(
        sim.load_robot(ROBOT).with_springs({"hinge": sim.JointSpring(stiffness, damping)}),
        sim.JointMotion.displacement({}, q0={"hinge": start}, free=["hinge"]),
        duration=END,
        dt=STEP,
        method="adaptive",
        gravity=GRAVITY,
        measures=(sim.Measure(MEASURE, "hinge", on="parent", axes="world"),),
        reference=reference,
        notes=(note_on(reference),),
    )


if __name__ == "__main__":
    sim.main(scenario)
