"""ABB IRB 460, in motion: tool pose and velocity reproduced to every printed digit (paper 002).

The joints turn uniformly at (-30, -80, -20) degrees per second and pass the pose with the same
angles after half a second (tasks 1 and 2). The group's ADAMS model ran at a tenth of these rates:
its velocities are multiplied by ten here. The torques printed in the paper belong to other poses
(`irb460_static`, `irb460_dynamic`); those of this run are for assumed masses, or with
``--set robot=irb460_paper`` for the paper's.
"""

import math

import sim

ANGLES = {"swing_joint": -30, "lower_arm_joint": -80, "crank_joint": -20}  # degrees, and deg/s
PASSED = 0.5  # s
HALF_YAW = math.radians(-30) / 2  # the rotation in figure 8 is about Z
PRINTED = {  # figure 8 [m], its rotation as a quaternion, and figure 10 [m/s]
    "figure 8": {"x": 1.1869, "y": 2.0558, "z": 0.3385}
    | {"qx": 0.0, "qy": 0.0, "qz": math.sin(HALF_YAW), "qw": math.cos(HALF_YAW)},
    "figure 10": {"vx": 1.1298, "vy": -0.5290, "vz": -1.6356},
}
HALF_DIGIT = 5e-5  # for four printed decimals
IN_ADAMS = {  # [m], [m/s], and half a unit of the last legible digit; in the paper's axes
    "figure 9": {"y": (2.056, 5e-4), "x": (1.187, 5e-4), "z": (0.3385, 5e-5)},
    "figure 11": {"vy": (-0.5290, 5e-5), "vx": (1.130, 5e-4), "vz": (-1.636, 5e-4)},
}


def scenario(payload: float = 0.0, robot: str = "irb460") -> sim.Scenario:
    """Turn uniformly through the printed pose with `payload` [kg] at the tool."""
    rates = {joint: math.radians(angle) for joint, angle in ANGLES.items()}
    start = {joint: rate * (1 - PASSED) for joint, rate in rates.items()}
    printed = (
        tool("tool pose and velocity as printed", source, component, value, HALF_DIGIT)
        for source, values in PRINTED.items()
        for component, value in values.items()
    )
    in_adams = (
        tool("tool pose and velocity as in ADAMS", source, component, *seen)
        for source, values in IN_ADAMS.items()
        for component, seen in values.items()
    )
    return sim.Scenario(
        sim.load_robot(robot).with_payload(mass=payload),
        sim.JointMotion.velocity(rates, q0=start),
        duration=0.55,
        method="ideal",
        claims=(*printed, *in_adams),
    )


def tool(text: str, source: str, component: str, value: float, within: float) -> sim.Claim:
    """Return a claim on the tool's position or velocity as it passes the pose."""
    return sim.Claim(
        text=text,
        source=f"paper 002, {source}",
        channel=f"tool.{component}",
        statistic="value_at",
        time=PASSED,
        value=value,
        within=within,
    )


if __name__ == "__main__":
    sim.main(scenario)
