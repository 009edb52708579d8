"""UR10 under a sampled controller that tracks the drives of paper 001.

The model in the controller is the bare arm with its rotors, without payload and friction. The run
shows the resulting tracking error; the torques are those commanded by the controller, not those of
the ideal motion. Only the drives are from paper 001; gains, clock, rotors and friction are assumed,
as a note states.
"""

import sim

DRIVES = {  # rate [rad/s]; paper 001, section 3.2
    "shoulder_pan_joint": "STEP(time,0,0,0.5,72d)+STEP(time,0.5,0,5.5,0)+STEP(time,5.5,0,6,-72d)",
    "shoulder_lift_joint": "STEP(time,0,0,1,40d)+STEP(time,1,0,9,0)+STEP(time,9,0,10,-40d)",
    "elbow_joint": "STEP(time,0,0,1,40d)+STEP(time,1,0,9,0)+STEP(time,9,0,10,-40d)",
    "wrist_1_joint": "STEP(time,0,0,1,50d)+STEP(time,1,0,7,0)+STEP(time,7,0,8,-50d)",
    "wrist_2_joint": "STEP(time,0,0,1,60d)+STEP(time,1,0,6,0)+STEP(time,6,0,7,-60d)",
    "wrist_3_joint": "STEP(time,0,0,1,80d)+STEP(time,1,0,5,0)+STEP(time,5,0,6,-80d)",
}

RATIO = 100  # assumed
SIZES = {  # assumed: rotor inertia [kg·m²] and viscous friction [N·m·s/rad], both at the shaft
    "shoulder": (1.2e-4, 2.0e-3),
    "elbow": (1.2e-4, 1.0e-3),
    "wrist": (0.3e-4, 0.3e-3),
}
LAWS = {"pd": sim.PDGravity, "computed_torque": sim.ComputedTorque, "cascade": sim.Cascade}
ASSUMED = (
    "Gains, sample time, delay, gear ratio, rotors and friction are assumed; only the drives are "
    "from paper 001"
)


def trains(robot: sim.Robot, rubs: bool) -> sim.Robot:
    """Return the robot with a rotor in each joint, with or without viscous friction."""
    drives = {}
    for joint in robot.joint_names:
        rotor, viscous = SIZES[joint.partition("_")[0]]
        drives[joint] = sim.DriveTrain(RATIO, rotor_inertia=rotor, viscous=viscous if rubs else 0.0)
    return robot.with_drives(drives)


def scenario(
    law: str = "pd",
    frequency: float = 20.0,
    payload: float = 10.0,
    delay: int = 1,
    encoder_bits: int = 0,
    duration: float = 1.0,
) -> sim.Scenario:
    """Track the drives at 1 kHz with `law`, pd, computed_torque or cascade, of `frequency` [rad/s].

    `payload` [kg] is unknown to the controller; `encoder_bits` per turn, 0 for exact sensors.
    """
    bare = sim.load_robot("ur10")
    known = trains(bare, rubs=False)
    robot = trains(bare, rubs=True).with_payload(mass=payload, com=(0, 0, 0.1))
    start = bare.pose("upright")
    if law not in LAWS:
        raise sim.ScenarioError(f"law {law!r}: choose one of {', '.join(LAWS)}")
    if law == "cascade":  # the inner loop has five times the frequency of the outer one
        chosen = sim.Cascade(known, frequency, 5 * frequency, 4 / frequency, pose=start)
    elif law == "pd":
        chosen = sim.PDGravity(known, frequency, pose=start)
    else:
        chosen = sim.ComputedTorque(known, frequency)
    return sim.Scenario(
        robot,
        sim.JointMotion.velocity(DRIVES, q0=start),
        duration=duration,
        method="adaptive",
        controller=sim.Controller(
            chosen,
            delay=delay,
            encoder_bits=encoder_bits or None,
            rule="DOP853" if encoder_bits else "RK4",  # an encoder amplifies rounding
        ),
        notes=(ASSUMED,),
    )


if __name__ == "__main__":
    sim.main(scenario)
