"""A body falling on a vertical cylindrical joint, as ADAMS computed it.

The mechanism of the deck test_Cylindrical_Case01.adm, which ships as the scenario
adams_cylindrical: place, velocities, accelerations and reactions over 5 s.
"""

from sim.verification.adams_columns import shipped_case

CASE = shipped_case(
    "adams_cylindrical",
    "Cylindrical_Case01",
    {"Pos": 6e-4, "Vel": 1e-4, "Acc": 1e-4, "Rforce": 1e-4},
    "six digits printed, of 123 m and 49 m/s",
)
