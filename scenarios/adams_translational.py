"""ADAMS translational case: a body on a vertical slide falls (Chrono's test_Prismatic_Case01).

The deck is from Project Chrono. The body falls freely for 5 s and the joint reaction is zero. Give
the folder with the deck and its results to compare the run with ADAMS:

    sim run adams_translational --set data=chrono/data/testing/joints
"""

from pathlib import Path

import sim
from sim.reference.adams_results import MEASURE, note_on

ROBOT = Path(__file__).with_name("adams_translational.urdf")

GRAVITY = (0.0, 0.0, -9.80665)  # m/s², ACCGRAV/ KGRAV
STEP, END = 0.01, 5.0  # s, as in the files

CHRONO = {  # root mean square accepted by Chrono's test of the prismatic joint
    "Pos": 1e-2, "Vel": 1e-4, "Acc": 2e-2, "Quat": 1e-3, "Avel": 2e-2, "Aacc": 2e-2,
    "Rforce": 1e-6, "Rtorque": 1e-6,
}  # fmt: skip


def scenario(speed: float = 0.0, data: str = "") -> sim.Scenario:
    """Throw the body up at `speed` [m/s]; the results in a folder `data` are for zero speed."""
    reference = sim.adams_reference("Prismatic_Case01", data, CHRONO)
    return sim.Scenario(
        sim.load_robot(ROBOT),
        sim.JointMotion.acceleration({}, qd0={"slide": speed}, free=["slide"]),
        duration=END,
        dt=STEP,
        method="adaptive",
        gravity=GRAVITY,
        # JOINT(1, 0, comp, 0)
        measures=(sim.Measure(MEASURE, "slide", on="parent", axes="world"),),
        reference=reference,
        notes=(note_on(reference),),
    )


if __name__ == "__main__":
    sim.main(scenario)
