"""PUMA 560, start of a motion: motor torques including rotors, against printed numbers.

The arm starts in its nominal pose and all joints accelerate at once. At the first instant nothing
moves, so that each motor torque is the printed gravity load plus the printed inertia torque, rotors
included, divided by the gear ratio. Then the arm swings there and back; the motors' Coulomb
friction depends on the direction.

Both numbers are printed with four decimals of N·m at the joint; each claim allows 1e-4 N·m there.
"""

import sim

RATIOS = (-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686)
ACCELERATIONS = (1, 2, 3, 1, 2, 3)  # rad/s², those of the printed inertia torques
GRAVITY = (0, 31.6399, 6.0351, 0, 0.0283, 0)  # N·m, printed
INERTIA = (3.1500, 9.4805, 3.6189, 0.1901, 0.3519, 0.5823)  # N·m, printed

SOURCE = "Robotics Toolbox for Python, tests of its PUMA 560 (gravload and itorque at qn)"


def scenario() -> sim.Scenario:
    """Swing all joints from the nominal pose and back in two seconds."""
    robot = sim.load_robot("puma560")
    names = robot.joint_names
    drives = zip(names, robot.pose("nominal").tolist(), ACCELERATIONS, strict=True)
    motion = sim.JointMotion.displacement(
        {name: f"{start!r} + {size}*(1 - COS(PI*time))/PI**2" for name, start, size in drives}
    )
    claims = tuple(
        sim.Claim(
            text=f"motor torque of {name} at the start as printed",
            source=SOURCE,
            channel=f"motor_tau.{name}",
            statistic="value_at",
            time=0.0,
            value=(weight + inertia) / ratio,
            within=1e-4 / abs(ratio),
        )
        for name, ratio, weight, inertia in zip(names, RATIOS, GRAVITY, INERTIA, strict=True)
    )
    return sim.Scenario(
        robot, motion, duration=2.0, dt=2e-3, method="ideal", gravity=(0, 0, -9.81), claims=claims
    )


if __name__ == "__main__":
    sim.main(scenario)
