"""Gripper: a cube is grasped, lifted, and shaken until it slips."""

from pathlib import Path

import sim

CUBE = 0.06  # m
SHAKE = 8.0  # Hz


def scenario(
    force: float = 20.0,
    mu: float = 0.4,
    amplitude: float = 0.012,
    stiction_velocity: float = 1e-3,
) -> sim.Scenario:
    """Two fingers press with `force` [N] each; the shaking grows to an `amplitude` [m] in 0.7 s.

    The cube of 0.5 kg slips where the hand's acceleration passes 2 mu force / mass - g.
    """
    robot = sim.load_robot(Path(__file__).with_name("gripper.urdf"))
    cube = sim.ContactShape.box("cube", (CUBE, CUBE, CUBE))
    pad = sim.ContactLaw.impact(stiffness=2e5, exponent=1.0, damping=100.0, depth=1e-4)
    fingers = [
        sim.Contact(
            sim.ContactShape.box(f"{side}_finger", (0.02, 0.03, 0.04), at=(0.01 * sign, 0, 0)),
            cube, pad, name=side, mu_static=mu, stiction_velocity=stiction_velocity,
        )
        for side, sign in (("left", -1), ("right", 1))
    ]  # fmt: skip
    table = sim.Contact(cube, sim.ContactShape.plane(), pad, name="table", mu_static=0.3)
    hand = (
        f"STEP5(time,0.1,0,0.5,0.1) + STEP5(time,0.5,0,1.2,{amplitude!r})*SIN({SHAKE!r}*2*PI*time)"
    )
    motion = sim.JointMotion.displacement(
        {"lift": hand}, free=["cube_x", "cube_z", "cube_turn"]
    ) | sim.JointMotion.torque({"left": force, "right": force})
    return sim.Scenario(
        robot, motion, duration=1.3, dt=1e-3, method="adaptive", contacts=(*fingers, table)
    )
