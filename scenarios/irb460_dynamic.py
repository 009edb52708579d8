"""ABB IRB 460, accelerating: dynamic torques reproduced to every printed digit (paper 002, task 4).

The paper gives neither masses nor pose nor rates. A program published by one of its authors
contains them: nine point masses, no load, the lower arm at 17.5 degrees, 1 degree/s and
1 degree/s², and all other joints at rest. The motion simulated by the group (from 1 degree/s with
1 degree/s², for 5 s) passes 17.5 degrees with 6 degrees/s: ``--set speed=6`` selects this speed and
reproduces the crank torque in ADAMS.
"""

import math

import sim

GRAVITY = (0.0, 0.0, -9.80665)  # m/s²
ANGLE, GROWTH = 17.5, 1.0  # degrees, degrees/s²
AT = 0.5  # s: time at which the lower arm passes it
PRINTED = {  # N·m, figure 14
    "swing_joint": 0.0,
    "lower_arm_joint": -73.65352810028174971,
    "crank_joint": 66.496615842571114285,
}
DIGITS = 1e-10  # relative to a printed number; the masses have ten decimals
IN_ADAMS = {  # N·m, and a unit of the last digit legible in the report's figure
    "swing_joint": (0.0149, 0.0001),
    "lower_arm_joint": (-73.59, 0.01),
    "crank_joint": (66.42, 0.01),
}

NOTE = (
    "The masses are those of the program, 144.8 kg in total: the density is that of water. They "
    "lie in one plane, so that the swing motor torque is zero. ADAMS ran with 6 degrees/s, the "
    "program with 1 (--set speed=6)."
)


def scenario(speed: float = 1.0, robot: str = "irb460_paper") -> sim.Scenario:
    """Pass 17.5 degrees of the lower arm with `speed` [degrees/s], other joints at rest."""
    start = ANGLE - speed * AT + GROWTH * AT**2 / 2
    drive = f"{speed - GROWTH * AT!r}d + {GROWTH!r}d*time"
    return sim.Scenario(
        sim.load_robot(robot),
        sim.JointMotion.velocity(
            {"lower_arm_joint": drive}, q0={"lower_arm_joint": math.radians(start)}
        ),
        duration=2 * AT,
        dt=0.01,
        method="ideal",
        gravity=GRAVITY,
        claims=(
            *(
                torque(
                    "dynamic torque as printed",
                    "paper 002, figure 14",
                    joint,
                    printed,
                    DIGITS * (abs(printed) or 1.0),
                )
                for joint, printed in PRINTED.items()
            ),
            *(
                torque("dynamic torque as in ADAMS", "paper 002, figure 15", joint, *seen)
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
