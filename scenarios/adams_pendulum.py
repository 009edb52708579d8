"""ADAMS revolute case: a body released level with its hinge (Chrono's test_Revolute_Case01).

The deck is from Project Chrono. The body starts level and swings for 5 s without a drive. Give the
folder with the deck and its results to compare the run with ADAMS:

    sim run adams_pendulum --set data=chrono/data/testing/joints
"""

from pathlib import Path

import sim
from sim.reference.adams_results import MEASURE, note_on

ROBOT = Path(__file__).with_name("adams_pendulum.urdf")

GRAVITY = (0.0, 0.0, -9.80665)  # m/s², ACCGRAV/ KGRAV
STEP, END = 0.01, 5.0  # s, as in the files

CHRONO = {  # root mean square accepted by Chrono's test of the revolute joint
    "Pos": 1e-3, "Vel": 1e-4, "Acc": 2e-2, "Quat": 1e-3, "Avel": 1e-2, "Aacc": 1e-2,
    "Rforce": 2e-2, "Rtorque": 1e-2,
}  # fmt: skip


def scenario(start: float = 0.0, data: str = "") -> sim.Scenario:
    """Release the body at `start` [rad] below the level; the results in `data` are for zero."""
    reference = sim.adams_reference("Revolute_Case01", data, CHRONO)
    return sim.Scenario(
        sim.load_robot(ROBOT),
        sim.JointMotion.displacement({}, q0={"hinge": start}, free=["hinge"]),
        duration=END,
        dt=STEP,
        method="adaptive",
        gravity=GRAVITY,
        # JOINT(1, 0, comp, 0)
        measures=(sim.Measure(MEASURE, "hinge", on="parent", axes="world"),),
        reference=reference,
        notes=(note_on(reference),),
    )


if __name__ == "__main__":
    sim.main(scenario)
