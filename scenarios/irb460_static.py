"""ABB IRB-460 at rest: pose and static torques (paper 002, tasks 1 and 3).

The pose of the tool comes out to every printed digit. The printed torques cannot: the paper gives
no masses, and no machine of this robot's weight can have them (docs/errata.md). The torques here
are those of the mass model in ``urdf/irb460.urdf``, which is assumed; edit a copy of that file and
name it with ``--set robot=FILE.urdf`` to see yours.
"""

import math

import sim

ANGLES = {"swing_joint": -30, "lower_arm_joint": -80, "crank_joint": -20}  # degrees
PRINTED_PLACE = {"x": 1.1869, "y": 2.0558, "z": 0.3385}  # m, figure 8
PRINTED_YAW = -30  # degrees; figure 8's rotation is one about Z
PRINTED_TORQUES = {  # N·m, "static torque"
    "swing_joint": 0.0,
    "lower_arm_joint": -2.36795789931,
    "crank_joint": -886.531110382,
}
HALF_DIGIT = 5e-5  # of four printed decimals

NOTE = (
    "The printed torques cannot be reproduced: the paper prints neither masses nor gravity nor the "
    "external force. A lower arm that leans 80 degrees and carries the upper arm needs more than "
    "2.4 N·m in any machine of 925 kg. The masses here are assumed."
)


def scenario(payload: float = 0.0, robot: str = "irb460") -> sim.Scenario:
    """Hold the pose (-30, -80, -20) degrees with `payload` [kg] at the tool."""
    arm = sim.load_robot(robot).with_payload(mass=payload)
    start = {joint: math.radians(angle) for joint, angle in ANGLES.items()}
    return sim.Scenario(
        arm,
        sim.JointMotion.displacement({}, q0=start),
        duration=1.0,
        dt=0.01,
        method="ideal",
        claims=(*_pose(), *_torques()),
        notes=(NOTE,),
    )


def _pose() -> list[sim.Claim]:
    half = math.radians(PRINTED_YAW) / 2
    values = {**PRINTED_PLACE, "qx": 0.0, "qy": 0.0, "qz": math.sin(half), "qw": math.cos(half)}
    return [
        sim.Claim(
            text="the tool stands as printed",
            source="paper 002, figure 8",
            channel=f"tool.{component}",
            statistic="value_at",
            time=0.5,
            value=value,
            within=HALF_DIGIT,
        )
        for component, value in values.items()
    ]


def _torques() -> list[sim.Claim]:
    return [
        sim.Claim(
            text="the static torque is as printed (not reproducible, see the note)",
            source="paper 002, task 3",
            channel=f"tau.{joint}",
            statistic="value_at",
            time=0.5,
            value=torque,
            within=0.01,
        )
        for joint, torque in PRINTED_TORQUES.items()
    ]


if __name__ == "__main__":
    sim.main(scenario)
