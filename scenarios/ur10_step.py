"""UR10: six velocity STEP drives and a payload at the wrist (paper 001, section 3.2).

The paper prints the six functions and the plots of a run of 10 s. Choices where it is incomplete:

- The functions are interpreted as joint rates: the text describes accelerating, constant and
  braking phases, and figure 4 shows these values as angular velocities.
- The paper states 5 s and 500 steps, but its drives brake until 10 s and its plots end at 10 s.
- Start pose: not given. `start` names a pose of the robot's card; `upright` keeps every joint
  inside its range of 360 degrees to the end.
- Payload: mentioned without a number. `payload` is the rated 10 kg, its mass centre assumed
  0.1 m in front of the flange.
- Friction: mentioned without a number; neglected here.
"""

import sim

DRIVES = {  # rate [rad/s]; as printed
    "shoulder_pan_joint": "STEP(time,0,0,0.5,72d)+STEP(time,0.5,0,5.5,0)+STEP(time,5.5,0,6,-72d)",
    "shoulder_lift_joint": "STEP(time,0,0,1,40d)+STEP(time,1,0,9,0)+STEP(time,9,0,10,-40d)",
    "elbow_joint": "STEP(time,0,0,1,40d)+STEP(time,1,0,9,0)+STEP(time,9,0,10,-40d)",
    "wrist_1_joint": "STEP(time,0,0,1,50d)+STEP(time,1,0,7,0)+STEP(time,7,0,8,-50d)",
    "wrist_2_joint": "STEP(time,0,0,1,60d)+STEP(time,1,0,6,0)+STEP(time,6,0,7,-60d)",
    "wrist_3_joint": "STEP(time,0,0,1,80d)+STEP(time,1,0,5,0)+STEP(time,5,0,6,-80d)",
}

CLAIMS = (
    sim.Claim(
        text="joint torques stay within the rated torques",
        source="paper 001, table 2 and section 4.3",
        channel="tau.*",
        statistic="peak_within_rating",
    ),
    sim.Claim(
        text="each link's kinetic energy is largest at about 1.5 s",
        source="paper 001, section 4.2",
        channel="ke.*_link",
        statistic="time_of_peak",
        value=1.5,
        within=0.3,
    ),
    sim.Claim(
        text="the links do not interfere with each other",
        source="paper 001, section 3.3",
        channel="clearance.links",
        statistic="never_below",
        value=0.0,
    ),
)


def scenario(payload: float = 10.0, start: str = "upright") -> sim.Scenario:
    """Run the drives of paper 001 with `payload` [kg] from the pose `start`."""
    robot = sim.load_robot("ur10").with_payload(mass=payload, com=(0, 0, 0.1))  # m, tool frame
    motion = sim.JointMotion.velocity(DRIVES, q0=robot.pose(start))
    return sim.Scenario(robot, motion, duration=10.0, claims=CLAIMS)  # s


if __name__ == "__main__":
    sim.main(scenario)
