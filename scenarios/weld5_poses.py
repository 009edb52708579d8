"""Welding robot: the two printed test poses and all branches of one pose (paper 004, chapter 3).

The paper checks its forward kinematics at the joint angles (0, 0, 0, 0, 0) and (0, -90, 90, 180, 0)
degrees with all lengths set to one; here the robot has its real lengths, and the tool position must
follow from the same formulas. Then the robot visits every solution of the inverse kinematics of one
pose; the paper's own formulas lose the signs of two angles and fail for their own example. Masses
are assumed.
"""

import math

import numpy as np

import sim

A1, A2, A3, D5 = 0.085, 0.560, 0.630, 0.240  # m, table 1
TESTS = ((0, 0, 0, 0, 0), (0, -90, 90, 180, 0))  # degrees, section 3.2
PRINTED = ((A1 + A2 + A3, 0.0, D5), (A1 + A3, 0.0, A2 - D5))  # m, the printed results' formulas
BRANCHED = (-20, -80, 50, -10, 20)  # degrees; a pose with four solutions inside the ranges

MOVE, HOLD = 3.5, 0.5  # s; no joint exceeds its assumed speed


def scenario(payload: float = 2.0) -> sim.Scenario:
    """Visit the poses with `payload` [kg] at the torch."""
    robot = sim.load_robot("weld5").with_payload(mass=payload)
    q = np.radians(BRANCHED)
    T = sim.frame_pose(robot, q[:, None])[..., 0]
    found = [s for s in sim.inverse_kinematics(robot, T).solutions if s.inside_limits]
    poses = [[math.radians(angle) for angle in test] for test in TESTS]
    poses += [solution.q.tolist() for solution in found]
    ends = [k * (MOVE + HOLD) + HOLD for k in range(len(poses))]  # time of reaching each pose
    places = [*PRINTED, *[tuple(T[:3, 3])] * len(found)]
    labels = ["the first test", "the second test", *(f"branch '{s.branch}'" for s in found)]
    claims = tuple(
        sim.Claim(
            text=f"tool position in {label}",
            source="paper 004, section 3.2",
            channel=f"tool.{axis}",
            statistic="value_at",
            time=end - HOLD / 2,
            value=value,
            within=1e-9,
        )
        for label, end, place in zip(labels, ends, places, strict=True)
        for axis, value in zip("xyz", place, strict=True)
    )
    motion = sim.JointMotion.displacement(
        {
            name: _visits([pose[k] for pose in poses], ends)
            for k, name in enumerate(robot.joint_names)
        }
    )
    return sim.Scenario(robot, motion, duration=ends[-1], claims=claims)


def _visits(values: list[float], ends: list[float]) -> str:
    """Return an expression that rests at each value for HOLD seconds before the next move."""
    moves = [
        f"STEP5(time, {end - MOVE - HOLD!r}, 0, {end - HOLD!r}, {after - before!r})"
        for before, after, end in zip(values, values[1:], ends[1:], strict=False)
    ]
    return " + ".join([repr(values[0]), *moves])


if __name__ == "__main__":
    sim.main(scenario)
