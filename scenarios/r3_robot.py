"""Manutec r3, all six axes: motors, elastic gears, stiction, controllers, against Dymola.

The robot of the Modelica Standard Library's RobotR3.FullRobot. Each axis has a current loop, a P-PI
cascade for angle and speed, and a motor with stiction; the gears of axes 1 to 3 are elastic.
It moves 15 kg from start to end pose, all axes at once, in 1.36 s.

Dymola's solution, by DASSL at a tolerance of 1e-6, is published. r3_robot_dymola.csv has 18 of its
instants, and the run is compared with them: each channel within 1e-5 of its largest printed value.
By default the first 20 ms are simulated, in which all axes break away; the complete motion takes
about a minute:

    sim run r3_robot --set duration=1.856
"""

from pathlib import Path

import numpy as np
import pandas as pd

import sim

ROBOT = Path(__file__).with_name("r3_robot.urdf")
PRINTED = Path(__file__).with_name("r3_robot_dymola.csv")
SOURCE = "Dymola, modelica/MAP-LIB_ReferenceResults, RobotR3/FullRobot/FullRobot.csv (BSD-3-Clause)"
WITHIN = 1e-5  # of the largest printed value: ten times the tolerance of DASSL

# Constants of the motors: torque [N·m/A], frequency [1/s] and damping of the current loop.
K = (1.1616, 1.1616, 1.1616, 0.2365, 0.2608, 0.0842)
W0 = (4590.0, 5500.0, 5500.0, 6250.0, 6250.0, 7400.0)
D = (0.6, 0.6, 0.6, 0.55, 0.55, 0.27)
# Of each motor: winding [Ω], gain of the amplifier, resistance before its integrator [Ω]; of each
# controller: gain of the angle [1/s], gain [A·s/rad] and time [s] of the speed.
RA, GAIN, RI = 250.0, 5.0, 10.0
KP, KS, TS = 5.0, 0.5, 0.05

SPEED = (3.0, 1.5, 5.0, 3.1, 3.1, 4.1)  # largest reference speed of the joints [rad/s]
ACCELERATION = (15.0, 15.0, 15.0, 60.0, 60.0, 60.0)  # [rad/s²]
ABOUT = "YXXYXY"  # axes of the joints

LOAD, LOAD_AT, LOAD_TENSOR = 15.0, (0.1, 0.25, 0.1), 1e-3 * np.eye(3)  # kg, m, kg·m²
STEP = 4e-4  # s, the output step of the published table


def reference(way: np.ndarray) -> dict[str, str]:
    """Return the fraction of the travel `way` (6,) [rad] and its rate, as fast as joints allow."""
    rate, growth = 1 / np.max(np.abs(way) / SPEED), 1 / np.max(np.abs(way) / ACCELERATION)
    rise, fall = rate / growth, 1 / rate
    faster, slower = f"MIN(time, {rise})", f"MAX(0, MIN(time, {fall + rise}) - {fall})"
    evenly = f"MAX(0, MIN(time, {fall}) - {rise})"
    return {
        "s": f"{growth / 2}*({faster}**2 - {slower}**2) + {rate}*({evenly} + {slower})",
        "sd": f"{growth}*({faster} - {slower})",
    }


def law(robot: sim.Robot) -> sim.Names:
    """Return the motors and controllers, with their published equations; start at rest."""
    rows = [robot.row_names.index(name) for name in robot.card.joints]
    begin, end = robot.pose("start")[rows], robot.pose("end")[rows]
    held = sim.gravity(robot, robot.pose("start")[:, None])[rows, 0]
    variables, states, start = reference(end - begin), {}, {}
    for k, (name, q, way, torque) in enumerate(
        zip(robot.card.joints, begin, end - begin, held, strict=True), 1
    ):
        drive, K_k, D_k, w0 = robot.joint(name).drive, K[k - 1], D[k - 1], W0[k - 1]
        N, C, la = drive.ratio, 0.004 * D_k / w0, RA / (2 * D_k * w0)
        angle, speed, twist = f"AZ(rotor_{k}, base)", f"WZ(rotor_{k}, base)", 0.0
        if drive.is_elastic:
            twist = N * torque / drive.stiffness
        else:
            ends = f"{ABOUT[k - 1]}(link_{k}, link_{k - 1}"
            angle, speed = f"{N}*A{ends})", f"{N}*W{ends}, link_{k - 1})"
        variables |= {
            f"w{k}": speed,
            f"u{k}": f"{N * way}*VARVAL(sd) + {KP}*({N * q} + {N * way}*VARVAL(s) - {angle})"
            f" - VARVAL(w{k})",
        }
        states |= {
            f"x{k}": f"VARVAL(u{k})/{TS}",
            f"v{k}": f"(DIF(i{k}) - {KS}*(DIF(x{k}) + VARVAL(u{k})))/{RI * C}",
            f"i{k}": f"(-{GAIN}*DIF(v{k}) - {RA}*DIF(i{k}) - {K_k}*VARVAL(w{k}))/{la}",
        }
        current = torque / (N * K_k)
        start |= {f"x{k}": current / KS + KP * twist, f"v{k}": -RA / GAIN * current}
        start[f"i{k}"] = current
    markers = [sim.Marker("base", "base")]
    markers += [sim.Marker(f"link_{k}", f"link_{k}") for k in range(7)]
    markers += [sim.Marker(f"rotor_{k}", f"rotor_of_axis_{k}") for k in range(1, 4)]
    return sim.Names(markers=markers, variables=variables, states=states, start=start)


def at_rest(robot: sim.Robot) -> dict[str, float]:
    """Return the start of joints and motors, each gear twisted by its gravity torque [rad]."""
    q = robot.pose("start").copy()
    held = sim.gravity(robot, q[:, None])[:, 0]
    for row, (motor, ratio) in robot.motor_rows.items():
        q[motor] += ratio * held[row] / robot.joint(robot.row_names[row]).drive.stiffness
    return dict(zip(robot.row_names, q.tolist(), strict=True))


def dymola(robot: sim.Robot, duration: float) -> sim.Reference:
    """Return the published values up to `duration` [s], by channel."""
    printed = pd.read_csv(PRINTED, index_col="time")
    columns = {"mechanics.b2.body.w_a[1]": ("qd.axis_2", 1.0)}  # about the axis of joint 2
    for k, name in enumerate(robot.card.joints, 1):
        theirs, ratio = f"axis{k}", robot.joint(name).drive.ratio
        columns |= {
            f"{theirs}.controller.PI.x": (f"dif.x{k}", 1.0),
            f"{theirs}.motor.C.v": (f"dif.v{k}", 1.0),
            f"{theirs}.motor.La.i": (f"dif.i{k}", 1.0),
            f"{theirs}.gear.spring.phi_rel": (f"twist.{name}", -1.0 / ratio),
            f"{theirs}.gear.spring.w_rel": (f"request.w_rel.{name}", 1.0),
            f"mechanics.r{k}.phi": (f"q.{name}", 1.0),
            f"mechanics.r{k}.w": (f"qd.{name}", 1.0),
        }
    ours = {columns[name][0]: columns[name][1] * column for name, column in printed.items()}
    table = pd.DataFrame(ours)
    tolerances = {name: WITHIN * size for name, size in table.abs().max().items()}
    reached = table[table.index <= duration + 1e-9]
    return sim.Reference(SOURCE, reached, 15, tolerances, "Dymola", tolerances)


def scenario(duration: float = 0.02) -> sim.Scenario:
    """Move the load by the motors, for `duration` [s] of the published 1.856 s."""
    robot = sim.load_robot(ROBOT).with_payload(LOAD, LOAD_AT, LOAD_TENSOR)
    names = law(robot)
    drives = {name: robot.joint(name).drive for name in robot.card.joints}
    torques = {
        name: f"{drive.ratio * K[k - 1]}*DIF(i{k})"
        for k, (name, drive) in enumerate(drives.items(), 1)
    }
    slips = {
        name: f"{drive.ratio}*W{ABOUT[k - 1]}(link_{k}, link_{k - 1}, link_{k - 1}) - WZ(rotor_{k})"
        for k, (name, drive) in enumerate(drives.items(), 1)
        if drive.is_elastic
    }
    return sim.Scenario(
        robot,
        sim.JointMotion.torque(torques, q0=at_rest(robot), names=names),
        duration=duration,
        dt=STEP,
        method="adaptive",
        reference=dymola(robot, duration),
        requests=(sim.Request("w_rel", slips, names=sim.Names(names.markers)),),
    )


if __name__ == "__main__":
    sim.main(scenario)
