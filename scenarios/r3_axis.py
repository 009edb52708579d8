"""Manutec r3, one axis: motor, elastic gear, stiction and controllers, against Dymola.

The axis of the Modelica Standard Library's RobotR3.OneAxis: a current loop, a P-PI cascade for
angle and speed, a motor with stiction, and an elastic gear. It turns by 120° in 1 s.
Dymola's solution, by DASSL at a tolerance of 1e-6, is published; each claim is one of its printed
numbers, within 1e-6 of the largest printed value of the channel. By default the first 34 ms are
simulated; the complete motion takes about a minute:

    sim run r3_axis --set duration=1.49504
"""

import math
from pathlib import Path

import sim

ROBOT = Path(__file__).with_name("r3_axis.urdf")
SOURCE = "Dymola, modelica/MAP-LIB_ReferenceResults, RobotR3/oneAxis/oneAxis.csv (BSD-3-Clause)"

# Constants of the motor: torque [N·m/A], resistance [Ω], frequency [1/s] and damping of the current
# loop; of the controllers: gain of the angle [1/s], gain [A·s/rad] and time [s] of the speed.
K, RA, W0, D = 1.1616, 250.0, 5500.0, 0.6
KP, KS, TS = 5.0, 0.5, 0.05
C, LA = 0.004 * D / W0, RA / (2 * D * W0)
N = 210

# The reference, a trapezoidal speed profile: 120° at 3 rad/s and 10 rad/s².
SPEED, ACCELERATION, ANGLE = 3.0, 10.0, math.radians(120)
RISE = SPEED / ACCELERATION
FALL = ANGLE / SPEED  # start of deceleration

STEP = 3.2e-4  # s, the output step of the published table

# t, then PI.x, phi_rel and w_rel of the gear, q, qd, C.v and the current, as published
DYMOLA = """
0.00032 0.0021515476770808 0 0 0 0 -10.332140401658 0.0971096205819714
0.00096 0.019284408106044 -4.99685395837094e-06 -0.0484729135170849 4.35350128547168e-11 5.71314141452513e-07 -47.1565957665899 0.779962456166086
0.0048 0.32283086559004 -0.00785110521583833 -4.81666000693483 1.65051494338161e-06 0.00161848996912035 -133.735586221538 2.62181157332668
0.01024 0.907385350450592 -0.0555090782165959 -11.9135473477819 4.85043243117257e-05 0.0200676930711079 -165.984594216695 3.23123139271758
0.02016 2.08201858237268 -0.174416834198975 -8.62331038863943 0.000727384647837434 0.133606957064026 -214.078220063281 4.10078468664391
0.03008 3.25358903062246 -0.191888262614224 4.80720452794678 0.00288704955120835 0.301791618778766 -228.893471878708 4.30983122470923
0.0336 3.60871098024644 -0.169286505608341 7.73676402868049 0.00404426513923361 0.35438402036452 -223.528083801083 4.16849693940041
1.488 0.838218298297511 1.24100886266499e-05 -0.00357058210492101 2.0941702351031 0.00100620434674731 -21.5378219893865 0.429754701004465
1.49504 0.841027260178746 2.49099859380494e-06 0.000812022694782306 2.09417731064714 0.00100433768967616 -21.5394257510031 0.429813321282805
"""  # noqa: E501

CHANNELS = {  # printed channels, and their factors
    "dif.x": 1.0,
    "twist.axis": -1.0 / N,  # phi_rel is the joint's angle minus the motor's, at the motor
    "request.w_rel.value": 1.0,
    "q.axis": 1.0,
    "qd.axis": 1.0,
    "dif.cv": 1.0,
    "dif.i": 1.0,
}


def law() -> sim.Names:
    """Return the motor and its controllers, with their published equations."""
    faster, slower = f"MIN(time, {RISE})", f"MAX(0, MIN(time, {FALL + RISE}) - {FALL})"
    evenly = f"MAX(0, MIN(time, {FALL}) - {RISE})"
    half = 0.5 * ACCELERATION
    wanted = f"{half}*{faster}**2 + {SPEED}*({evenly} + {slower}) - {half}*{slower}**2"
    return sim.Names(
        markers=(
            sim.Marker("rotor", "rotor_of_axis"),
            sim.Marker("arm", "arm"),
            sim.Marker("base", "base"),
        ),
        variables={
            "q_ref": wanted,
            "qd_ref": f"{ACCELERATION}*({faster} - {slower})",
            "u": f"{N}*VARVAL(qd_ref) + {KP}*({N}*VARVAL(q_ref) - AZ(rotor, base)) - WZ(rotor)",
            "i_ref": f"{KS}*(DIF(x) + VARVAL(u))",
        },
        states={
            "x": f"VARVAL(u)/{TS}",
            "cv": f"(DIF(i) - VARVAL(i_ref))/{10 * C}",
            "i": f"(-5*DIF(cv) - {RA}*DIF(i) - {K}*WZ(rotor))/{LA}",
        },
    )


def claims(duration: float) -> tuple[sim.Claim, ...]:
    """Return one claim per printed number, for the instants within the run."""
    rows = [[float(word) for word in row.split()] for row in DYMOLA.strip().splitlines()]
    sizes = [max(abs(row[column]) for row in rows) for column in range(1, 8)]
    return tuple(
        sim.Claim(
            text=f"{channel} at {t} s as in Dymola",
            source=SOURCE,
            channel=channel,
            statistic="value_at",
            time=t,
            value=value * scale,
            within=1e-6 * size * abs(scale),
        )
        for t, *values in rows
        if t <= duration + 1e-9
        for (channel, scale), value, size in zip(CHANNELS.items(), values, sizes, strict=True)
    )


def scenario(duration: float = 0.0336) -> sim.Scenario:
    """Turn the axis by its motor, for `duration` [s] of the published 1.5 s."""
    names = law()
    slip = sim.Request(
        "w_rel", {"value": f"{N}*WZ(arm) - WZ(rotor)"}, names=sim.Names(names.markers)
    )
    return sim.Scenario(
        sim.load_robot(ROBOT),
        sim.JointMotion.torque({"axis": f"{N * K}*DIF(i)"}, names=names),
        duration=duration,
        dt=STEP,
        method="adaptive",
        gravity=(0, 0, 0),
        claims=claims(duration),
        requests=(slip,),
    )


if __name__ == "__main__":
    sim.main(scenario)
