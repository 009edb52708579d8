"""A body on a torsion spring and damper, as ADAMS computed it.

The mechanism of the deck test_RotSpring_Case01.adm, which ships as the scenario
adams_torsion_spring: place, velocities, accelerations and reactions over 5 s.
"""

import sim
from sim.verification.adams_columns import DATA, SOURCE, printed, rows_of

WITHIN = {"Pos": 2e-5, "Vel": 5e-5, "Acc": 1e-3, "Rforce": 1e-3, "Rtorque": 1e-3}


def scenario():
    """As it ships, without a reference of its own."""
    return sim.load_script("adams_torsion_spring").build({})[0]


def expected():
    """Six digits of what ADAMS computed."""
    return printed("RotSpring_Case01", WITHIN, "six digits printed, and ADAMS's own error of 5 s")


def read(table):
    """The same quantities."""
    return rows_of(table, WITHIN)


CASE = sim.Case(
    source=SOURCE,
    scenario=scenario,
    read=read,
    expected=expected,
    file=DATA,
)
