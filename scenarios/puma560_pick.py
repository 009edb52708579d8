"""PUMA 560, fast pick and place: the effect of rotors and friction on the motors.

A part of 2 kg is picked up, lifted, moved and set down, and the arm returns, in 2.4 s. Robot and
drive trains are published; the motion and the part are assumed. The motor of joint 1 provides
142 N·m at the joint where the links need 88: sizing by the joint torque misses more than a third.
"""

import numpy as np

import sim

PICKED, PLACED = 0.45, 1.35  # s
SIDE = 0.08  # m, of the cube that is carried
DIP, SWING, TWIST = 14, 80, 90  # degrees


def scenario(mass: float = 2.0) -> sim.Scenario:
    """Carry a cube of `mass` [kg] from one side to the other and come back."""
    robot = sim.load_robot("puma560")
    start = dict(zip(robot.joint_names, robot.pose("nominal").tolist(), strict=True))
    dips = ((0.0, 1), (0.5, -1), (0.9, 1), (1.4, -1))  # start of each, down or up
    dip = "".join(f" {s:+d}*STEP5(time,{t},0,{t + 0.4:g},{DIP}d)" for t, s in dips)
    swing = f"STEP5(time,0.6,0,1.2,{SWING}d) - STEP5(time,1.5,0,2.3,{SWING}d)"
    twist = f"STEP5(time,0.6,0,1.2,{TWIST}d) - STEP5(time,1.5,0,2.3,{TWIST}d)"
    moves = {"joint_1": swing, "joint_2": f"-({dip})", "joint_5": dip, "joint_6": twist}
    motion = sim.JointMotion.displacement(
        {name: f"{angle!r} + {moves.get(name, '0')}" for name, angle in start.items()}
    )
    cube = sim.Payload(mass, com=(0, 0, 0.1), inertia=np.eye(3) * mass * SIDE**2 / 6)
    return sim.Scenario(
        robot,
        motion,
        duration=2.4,
        dt=2e-3,
        method="ideal",
        events=(sim.PickUp(PICKED, cube, "cube"), sim.SetDown(PLACED, "cube")),
    )


if __name__ == "__main__":
    sim.main(scenario)
