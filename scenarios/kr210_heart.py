"""KR 210: the tool follows a heart curve (paper 003, chapter 3).

The paper prescribes a point motion with X and Y functions at the tool, and ADAMS solves for the
joints. Choices where the paper is incomplete or misprinted:

- Its drives lack two factors: `-520*cos(time) - cos(2*time)` is an ellipse with a ripple of 1 mm.
  `variant=corrected` is the curve of its eq. (3-1), entered where the drives enter it;
  `variant=printed` keeps the drives as printed.
- Height, orientation and position are not given: the tool points straight down, the curve is
  level, and `centre` places it far from joint limits and singularities.
- The period is 2π s; the paper's 6.4 s overruns the closed curve by 149 mm.
- `robot=kr210_paper` has the paper's dimensions; `kr210` those of the data sheet. The masses are
  those published for the successor R2700-2, which are not verified: ±20 % of each move the largest
  torque by 13 % (docs/robots.md). The payload is not given.
- A claim compares the joint accelerations with the limits of the successor's controller: on it a
  heart of 0.26 m takes at least 8.6 s.
- The curve starts at a speed of 4 a per second of phase. `ramp` [s] adds acceleration and braking.
"""

import math

import sim

# rad/s²; KUKA's description of the KR 210 R2700-2, kr210_r2700_2_joint_limits.yaml
ACCELERATIONS = (1.98271, 1.26288, 2.56508, 7.03857, 1.76397, 1.87268)

DOWN = {"b1": "180d", "b2": 0, "b3": 0}  # Body 1-2-3 angles of a tool that points down


def scenario(
    robot: str = "kr210_paper",
    a: float = 0.26,
    centre: tuple[float, float, float] = (2.0, 0.0, 0.8),
    period: float = 2 * math.pi,
    payload: float = 100.0,
    variant: str = "corrected",
    ramp: float = 0.0,
) -> sim.Scenario:
    """Follow the heart of size `a` [m] around `centre` [m] in `period` [s] with `payload` [kg]."""
    arm = sim.load_robot(robot).with_payload(mass=payload)
    curve = sim.heart(a, centre, period=period, variant=variant, ramp=ramp)
    motion = sim.PointMotion({**curve, **DOWN})
    duration = period + ramp
    claims = tuple(
        sim.Claim(
            text="joint accelerations within the limits of the successor's controller",
            source="KR 210 R2700-2",
            channel=f"qdd.{joint}",
            statistic="peak_below",
            value=limit,
        )
        for joint, limit in zip(arm.joint_names, ACCELERATIONS, strict=True)
    )
    dt = duration / round(duration / 1e-3)
    return sim.Scenario(arm, motion, duration=duration, dt=dt, claims=claims)


if __name__ == "__main__":
    sim.main(scenario)
