"""Paper 002, torques of the IRB 460 at rest under 800 N, to every printed digit.

Nine point masses on a linkage with closed loops; masses, pose and rates are those of the program
that one of the authors published.
"""

import sim

PRINTED = (0.0, 2.3679578993125998791, 886.53111038173242323)


def scenario():
    """As it ships."""
    return sim.load_script("irb460_static").build({})[0]


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
        "figure 12, with the motor's sign",
    ),
    equation="τ = M q̈ + C q̇ + g − Jᵀ F",
    scenario=scenario,
    read=read,
    expected=expected,
)
