"""A pendulum released on a hinge, as ADAMS computed it.

The mechanism of the deck test_Revolute_Case01.adm, which ships as the scenario
adams_pendulum: place, velocities, accelerations and reactions over 5 s.
"""

import sim
from sim.verification.adams_columns import DATA, SOURCE, printed, rows_of

WITHIN = {"Pos": 5e-5, "Vel": 2e-4, "Avel": 1e-4, "Acc": 3e-3, "Rforce": 3e-3}


def scenario():
    """As it ships, without a reference of its own."""
    return sim.load_script("adams_pendulum").build({})[0]


def expected():
    """Six digits of what ADAMS computed."""
    return printed("Revolute_Case01", WITHIN, "six digits printed, and ADAMS's own error of 5 s")


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
