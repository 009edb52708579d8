"""ABB IRB-460 in motion: tool velocity and dynamic torques (paper 002, tasks 2 and 4).

The joints turn evenly with (-30, -80, -20) degrees per second and pass the pose of the same angles
after half a second. The tool's velocity there comes out to every printed digit. The printed torques
do not follow from any masses without acceleration (docs/errata.md); those here are of the assumed
mass model in ``urdf/irb460.urdf``.
"""

import math

import sim

ANGLES = {"swing_joint": -30, "lower_arm_joint": -80, "crank_joint": -20}  # degrees, and deg/s
PASSED = 0.5  # s
PRINTED_VELOCITY = {"vx": 1.1298, "vy": -0.5290, "vz": -1.6356}  # m/s, figure 10
PRINTED_TORQUES = {  # N·m, "dynamic torque"
    "swing_joint": 0.0,
    "lower_arm_joint": -73.6535281003,
    "crank_joint": 66.4966158426,
}
HALF_DIGIT = 5e-5  # of four printed decimals

NOTE = (
    "The printed torques cannot be reproduced: at constant rates the velocity terms of the two arm "
    "motors must be in the ratio -(rate 3 / rate 2)^2 = -1/16 in any such machine, the printed "
    "differences are in the ratio -0.0748, and the swing motor cannot be without load. The masses "
    "here are assumed."
)


def scenario(payload: float = 0.0, robot: str = "irb460") -> sim.Scenario:
    """Turn evenly through the printed pose with `payload` [kg] at the tool."""
    arm = sim.load_robot(robot).with_payload(mass=payload)
    rates = {joint: math.radians(angle) for joint, angle in ANGLES.items()}
    start = {joint: rate * (1 - PASSED) for joint, rate in rates.items()}
    claims = [
        sim.Claim(
            text=text,
            source=source,
            channel=channel,
            statistic="value_at",
            time=PASSED,
            value=value,
            within=within,
        )
        for text, source, channel, value, within in (
            *(
                ("the tool moves as printed", "paper 002, figure 10", f"tool.{c}", v, HALF_DIGIT)
                for c, v in PRINTED_VELOCITY.items()
            ),
            *(
                (
                    "the dynamic torque is as printed (not reproducible, see the note)",
                    "paper 002, task 4",
                    f"tau.{joint}",
                    torque,
                    0.01,
                )
                for joint, torque in PRINTED_TORQUES.items()
            ),
        )
    ]
    return sim.Scenario(
        arm,
        sim.JointMotion.velocity(rates, q0=start),
        duration=0.55,
        method="ideal",
        claims=tuple(claims),
        notes=(NOTE,),
    )


if __name__ == "__main__":
    sim.main(scenario)
