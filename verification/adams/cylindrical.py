"""A body falling on a vertical cylindrical joint, as ADAMS computed it.

The mechanism of the deck test_Cylindrical_Case01.adm, which ships as the scenario
adams_cylindrical: place, velocities, accelerations and reactions over 5 s.
"""

import sim
from sim.verification.adams_columns import DATA, SOURCE, printed, rows_of

WITHIN = {"Pos": 6e-4, "Vel": 1e-4, "Acc": 1e-4, "Rforce": 1e-4}


def scenario():
    """As it ships, without a reference of its own."""
    return sim.load_script("adams_cylindrical").build({})[0]


def expected():
    """Six digits of what ADAMS computed."""
    return printed("Cylindrical_Case01", WITHIN, "six digits printed, of 123 m and 49 m/s")


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
