"""Paper 002, torques of the accelerating IRB 460, to every printed digit.

Nine point masses on a linkage with closed loops; masses, pose and rates are those of the program
that one of the authors published.
"""

import sim

PRINTED = (0.0, -73.65352810028174971, 66.496615842571114285)


def scenario():
    """As it ships."""
    return sim.load_script("irb460_dynamic").build({})[0]


def expected():
    """Thirty digits are printed; the masses have ten decimals."""
    why = "1e-10 of a torque: the printed masses have ten decimals"
    return {"torques": sim.Expected(PRINTED, "N·m", 1e-7, why)}


def read(table):
    """At 0.5 s."""
    joints = ("swing_joint", "lower_arm_joint", "crank_joint")
    return {
        "torques": [table[f"tau.{joint}"][int(abs(table.t - 0.5).argmin())] for joint in joints]
    }


CASE = sim.Case(
    source=sim.Source(
        "Group 7",
        2021,
        "The Investigation on the Kinematics, Statics and Dynamics of the ABB IRB-460 Robot",
        "figure 14",
    ),
    equation="τ = M q̈ + C q̇ + g − Jᵀ F",
    scenario=scenario,
    read=read,
    expected=expected,
)
