"""UR10: effect of joint friction and a 10 kg load on each motor (paper 001, sections 3.2 and 3.3).

The paper has friction in all six joints and a load at the wrist, but prints no values of either.
The friction here is assumed: bearing friction that follows the joint reaction, and a preload for
the gears. Compare with ``--set friction=0`` or ``--set payload=0``.
"""

import numpy as np

import sim

DRIVES = {  # rate [rad/s]; section 3.2
    "shoulder_pan_joint": "STEP(time,0,0,0.5,72d)+STEP(time,0.5,0,5.5,0)+STEP(time,5.5,0,6,-72d)",
    "shoulder_lift_joint": "STEP(time,0,0,1,40d)+STEP(time,1,0,9,0)+STEP(time,9,0,10,-40d)",
    "elbow_joint": "STEP(time,0,0,1,40d)+STEP(time,1,0,9,0)+STEP(time,9,0,10,-40d)",
    "wrist_1_joint": "STEP(time,0,0,1,50d)+STEP(time,1,0,7,0)+STEP(time,7,0,8,-50d)",
    "wrist_2_joint": "STEP(time,0,0,1,60d)+STEP(time,1,0,6,0)+STEP(time,6,0,7,-60d)",
    "wrist_3_joint": "STEP(time,0,0,1,80d)+STEP(time,1,0,5,0)+STEP(time,5,0,6,-80d)",
}

# Assumed: radius of the bearing [m] and friction of the gear without load [N·m], by joint size.
SIZES = {"shoulder": (0.060, 10.0), "elbow": (0.050, 6.0), "wrist": (0.035, 2.0)}


def law(joint: str) -> sim.JointFriction:
    """Return the friction of a joint by its size; all numbers are assumed."""
    radius, gear = SIZES[joint.partition("_")[0]]
    return sim.JointFriction(
        mu_static=0.02,
        mu_dynamic=0.015,
        stiction_velocity=0.001,  # m/s at the bearing
        pin_radius=radius,
        friction_arm=radius,
        bending_arm=2 * radius,
        preload=gear,
    )


def scenario(payload: float = 10.0, friction: bool = True) -> sim.Scenario:
    """Drive the arm with `payload` [kg] 0.1 m in front of the flange, with or without friction."""
    bare = sim.load_robot("ur10")
    loaded = bare.with_payload(mass=payload, com=(0, 0, 0.1))
    robot = loaded.with_friction({j: law(j) for j in bare.joint_names}) if friction else loaded
    motion = sim.JointMotion.velocity(DRIVES, q0=bare.pose("upright"))
    claims = (
        sim.Claim(
            text="torques within the joints' ratings",
            source="paper 001, section 3.3, and table 2",
            channel="tau.*",
            statistic="peak_within_rating",
        ),
    )
    share = _load_share(bare, loaded, motion, payload)
    return sim.Scenario(robot, motion, duration=10.0, claims=claims, notes=(*share, ASSUMED))


ASSUMED = "The friction values are assumed; the paper prints none. The load is its rated payload."


def _load_share(
    bare: sim.Robot, loaded: sim.Robot, motion: sim.JointMotion, payload: float
) -> list[str]:
    """Return notes on the effect of the load alone on the peak torques, by the analytic model."""
    path = motion.on(bare, 10.0).at(np.linspace(0.0, 10.0, 2001))
    peaks = [
        np.abs(sim.inverse_dynamics(robot, path.q, path.qd, path.qdd)).max(axis=1)
        for robot in (bare, loaded)
    ]
    return [
        f"{joint}: without friction a load of {payload:g} kg changes the peak torque from "
        f"{before:.4g} to {after:.4g} N·m"
        for joint, before, after in zip(bare.joint_names, *peaks, strict=True)
    ]


if __name__ == "__main__":
    sim.main(scenario)
