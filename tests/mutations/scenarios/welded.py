"""The pendulum on a cart with more small bodies fixed to it than PyBullet takes joints."""

from pathlib import Path

import sim
from sim.robots import read_urdf

BODIES = 130
ROBOT = Path(__file__).with_name("swing.urdf")


def text() -> str:
    """Chains of three bodies each, all about the bob."""
    parts = []
    for k in range(BODIES):
        parent = "bob" if k % 3 == 0 else f"part_{k - 1}"
        parts.append(
            f'<link name="part_{k}"><inertial><origin xyz="0 0.01 0.02"/><mass value="0.01"/>'
            '<inertia ixx="2e-5" iyy="2e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="weld_{k}" type="fixed"><parent link="{parent}"/>'
            f'<child link="part_{k}"/><origin xyz="0.02 {k / 1000} -0.1" rpy="0.3 {k / 50} 0.2"/>'
            "</joint>"
        )
    return ROBOT.read_text("utf-8").replace("</robot>", "\n".join([*parts, "</robot>"]))


def scenario() -> sim.Scenario:
    """Both joints driven for 0.1 s."""
    return sim.Scenario(
        read_urdf(text()),
        sim.JointMotion.displacement({"slide": "0.1*SIN(5*time)", "hinge": "0.6*SIN(4*time)"}),
        duration=0.1,
        dt=0.005,
        method="ideal",
    )


if __name__ == "__main__":
    sim.main(scenario)
