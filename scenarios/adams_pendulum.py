"""ADAMS revolute case: a body let go beside a hinge swings (Chrono's test_Revolute_Case01).

The deck is Project Chrono's. The body starts level and swings for 5 s; nothing drives it. Where the
folder with the deck and its results is given, the run is compared with what ADAMS computed:

    sim run adams_pendulum --set data=chrono/data/testing/joints
"""

from pathlib import Path

import sim
from sim.reference.adams_results import MEASURE, note_on

ROBOT = Path(__file__).with_name("adams_pendulum.urdf")

GRAVITY = (0.0, 0.0, -9.80665)  # m/s², ACCGRAV/ KGRAV
STEP, END = 0.01, 5.0  # s, of the files

CHRONO = {  # root mean square that Chrono's test of the revolute joint accepts
    "Pos": 1e-3, "Vel": 1e-4, "Acc": 2e-2, "Quat": 1e-3, "Avel": 1e-2, "Aacc": 1e-2,
    "Rforce": 2e-2, "Rtorque": 1e-2,
}  # fmt: skip


def scenario(start: float = 0.0, data: str = "") -> sim.Scenario:
    """Let the body go at `start` [rad] below the level; files of a folder `data` are the deck's."""
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
