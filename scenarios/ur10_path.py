"""UR10: a straight tool path on the branch of shortest joint travel (paper 001, figure 2).

The paper computes eight solutions for the next pose and eliminates "the largest". Here, for all
solutions including whole turns inside the joint limits, the one with the least sum of joint travels
from the current position is selected; the smallest single travel decides ties. The path then stays
on this branch.
"""

import sim

DOWN = {"b1": "180d", "b2": 0, "b3": 0}  # Body 1-2-3 angles of a tool that points down


def scenario(
    begin: tuple[float, float, float] = (0.7, -0.4, 0.3),
    end: tuple[float, float, float] = (0.7, 0.4, 0.6),
    time: float = 3.0,
    payload: float = 5.0,
    start: str = "home",
) -> sim.Scenario:
    """Move the tool from `begin` to `end` [m] in `time` [s], on the branch nearest to `start`."""
    robot = sim.load_robot("ur10").with_payload(mass=payload)
    line = {
        axis: f"STEP5(time, 0, {p0}, {time}, {p1})"
        for axis, p0, p1 in zip("xyz", begin, end, strict=True)
    }
    motion = sim.PointMotion({**line, **DOWN}, start=robot.pose(start))
    return sim.Scenario(robot, motion, duration=time)


if __name__ == "__main__":
    sim.main(scenario)
