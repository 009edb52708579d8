"""Six-axis Manutec r3 with motors, elastic gears, friction and controllers, by Dymola.

The shipped scenario r3_robot, its first 48 ms: current loops and P-PI cascades break six axes
away from rest and accelerate them with 15 kg; the gears of three of them give way.
"""

import numpy as np

import sim
from sim import shipped

END, STEP = 0.048, 4e-4  # s
RATIOS = (-105, 210, 60)  # of the gears that give way
WITHIN = 1e-5
QUANTITIES = {  # of axis k: as printed, and our channel
    "angles": ("mechanics.r{}.phi", "q.axis_{}"),
    "speeds": ("mechanics.r{}.w", "qd.axis_{}"),
    "twists of gears": ("axis{}.gear.spring.phi_rel", "twist.axis_{}"),
    "speeds across gears": ("axis{}.gear.spring.w_rel", "request.w_rel.axis_{}"),
    "sums of controllers": ("axis{}.controller.PI.x", "dif.x{}"),
    "voltages": ("axis{}.motor.C.v", "dif.v{}"),
    "currents": ("axis{}.motor.La.i", "dif.i{}"),
}


def scenario():
    """As it ships, for longer."""
    return sim.load_script("r3_robot").build({"duration": END})[0]


def printed():
    """Times, and the quantities of the axes that have them, (axes, N) each, with their sizes."""
    path = shipped.scenarios() / "r3_robot_dymola.csv"
    first, *rows = path.read_text("utf-8").replace("b2.body.w_a[1]", "r2.w").split()
    t, *columns = np.array([row.split(",") for row in rows], float).T
    curves = dict(zip(first.replace('"', "").split(",")[1:], columns, strict=True))
    found = {
        quantity: np.stack([curves[x] for k in range(1, 7) if (x := theirs.format(k)) in curves])
        for quantity, (theirs, _) in QUANTITIES.items()
    }
    sizes = {quantity: np.abs(rows).max(axis=1) for quantity, rows in found.items()}
    reached = t <= END
    return t[reached], {quantity: rows[:, reached] for quantity, rows in found.items()}, sizes


def expected():
    """Five of the published instants, each curve over its largest printed value."""
    t, found, sizes = printed()
    why = "of the largest printed: DASSL held a step to 1e-6, and is seen to be off by 7e-6"
    return {
        quantity: sim.Expected(rows / sizes[quantity][:, None], "1", WITHIN, why, t)
        for quantity, rows in found.items()
    }


def read(table):
    """The same instants and curves; a twist is printed at the motor, with the other sign."""
    t, _, sizes = printed()
    k = np.rint(t / STEP).astype(int)
    found = {
        quantity: np.stack([table[ours.format(axis)][k] for axis in range(1, 1 + size.size)])
        for (quantity, size), (_, ours) in zip(sizes.items(), QUANTITIES.values(), strict=True)
    }
    found["twists of gears"] *= -np.array(RATIOS)[:, None]
    return {quantity: rows / sizes[quantity][:, None] for quantity, rows in found.items()}


CASE = sim.Case(
    source=sim.Source(
        "Modelica Association",
        2020,
        "Modelica Standard Library 4.0.0, RobotR3.FullRobot, as solved by Dymola",
        "https://github.com/modelica/MAP-LIB_ReferenceResults, RobotR3/FullRobot/FullRobot.csv",
    ),
    equation="M q̈ + C q̇ + g = τ,  J θ̈ = K i − R(θ̇) − τ/N,  L di/dt = −5 v − R i − K θ̇",
    scenario=scenario,
    read=read,
    expected=expected,
)
