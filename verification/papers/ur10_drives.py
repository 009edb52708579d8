"""Paper 001, a UR10 under six STEP functions: angles, speeds, rated torques.

The functions are joint rates. Their areas are printed heights times lengths; the largest speeds
and the rated torques stand in the paper.
"""

from dataclasses import replace

import numpy as np

import sim

SPEEDS = (72, 40, 40, 50, 60, 80)  # figure 4 [°/s]
RATED = (330, 330, 150, 56, 56, 56)  # table 2 [N·m]
UPS, DOWNS = (0.5, 1, 1, 1, 1, 1), (5.5, 9, 9, 7, 6, 5)  # ends of rises, begins of falls [s]


def scenario():
    """The shipped run with a coarser step: prescribed motion needs none."""
    return replace(sim.load_script("ur10_step").build({})[0], dt=0.05, method="ideal")


def expected():
    """A STEP rises by half of height times length."""
    begin, end = np.array(UPS), np.array(DOWNS)
    turned = np.array(SPEEDS) * end  # half a rise, the plateau, half a fall of the same length
    half = np.where(end > 5, np.array(SPEEDS) * (5 - begin / 2), turned)
    half[5] = 80 * 4.5  # its fall begins at 5 s
    return {
        "angles after 10 s": sim.Expected(np.radians(turned), "rad", 1e-12, "rounding of 7 rad"),
        "angles after 5 s": sim.Expected(np.radians(half), "rad", 1e-12, "rounding of 7 rad"),
        "largest speeds": sim.Expected(np.radians(SPEEDS), "rad/s", 1e-12, "rounding of 1 rad/s"),
        "joints beyond their rated torque": sim.Expected(0, "1", 0.5, "a whole number"),
    }


def read(table):
    """From the start pose on."""
    joints = sim.load_robot("ur10").joint_names
    q, qd, tau = (np.stack([table[f"{g}.{j}"] for j in joints]) for g in ("q", "qd", "tau"))
    return {
        "angles after 10 s": q[:, -1] - q[:, 0],
        "angles after 5 s": q[:, 100] - q[:, 0],
        "largest speeds": np.abs(qd).max(axis=1),
        "joints beyond their rated torque": np.sum(np.abs(tau).max(axis=1) > np.array(RATED)),
    }


CASE = sim.Case(
    source=sim.Source(
        "Ma, Liu, Yu and Cao",
        2017,
        "Modular cooperative robot (in Chinese), J. Changchun Univ. Sci. Tech. 40(2)",
        "section 3.2 (drives), section 4.3, figure 4, table 2",
    ),
    equation="Δq = height × (length between the middles of rise and fall)",
    scenario=scenario,
    read=read,
    expected=expected,
)
