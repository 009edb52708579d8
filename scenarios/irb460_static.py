"""ABB IRB 460, at rest: static torques reproduced to every printed digit (paper 002, task 3).

The paper gives neither masses nor the external force. A program published by one of its authors
contains them: nine point masses, the pose (0, 0, 0) instead of the (-30, -80, -20) degrees of the
other tasks, and 800 N downwards at the tool. Its torques are those of gravity and load on the
joints; the motor torques have the opposite sign, as in ADAMS, and so have the printed numbers here.
"""

import sim

GRAVITY = (0.0, 0.0, -9.80665)  # m/s²
AT = 0.5  # s
PRINTED = {  # N·m, figure 12: torques of gravity and load
    "swing_joint": 0.0,
    "lower_arm_joint": -2.3679578993125998791,
    "crank_joint": -886.53111038173242323,
}
DIGITS = 1e-10  # relative to a printed number; the masses have ten decimals
IN_ADAMS = {  # N·m, and a unit of the last digit legible in the report's figure
    "lower_arm_joint": (2.437, 0.001),
    "crank_joint": (886.5, 0.1),
}

NOTE = (
    "The masses are those of the program, 144.8 kg in total: the density is that of water. "
    "The torque of the lower arm in ADAMS is 0.069 N·m larger than the printed one."
)


def scenario(load: float = 800.0, robot: str = "irb460_paper") -> sim.Scenario:
    """Hold the arm upright and level, with `load` [N] downwards at the tool."""
    return sim.Scenario(
        sim.load_robot(robot),
        sim.JointMotion.displacement({}),
        duration=1.0,
        dt=0.01,
        method="ideal",
        gravity=GRAVITY,
        forces=(sim.Force("tool0", force=(0.0, 0.0, -load)),) if load else (),
        claims=(
            *(
                torque(
                    "static torque as printed, with the motor's sign",
                    "paper 002, figure 12",
                    joint,
                    -printed,
                    DIGITS * (abs(printed) or 1.0),
                )
                for joint, printed in PRINTED.items()
            ),
            *(
                torque("static torque as in ADAMS", "paper 002, figure 13", joint, *seen)
                for joint, seen in IN_ADAMS.items()
            ),
        ),
        notes=(NOTE,),
    )


def torque(text: str, source: str, joint: str, value: float, within: float) -> sim.Claim:
    """Return a claim on the torque of a motor."""
    return sim.Claim(
        text=text,
        source=source,
        channel=f"tau.{joint}",
        statistic="value_at",
        time=AT,
        value=value,
        within=within,
    )


if __name__ == "__main__":
    sim.main(scenario)
