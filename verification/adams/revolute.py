"""A pendulum released on a hinge, as ADAMS computed it.

The mechanism of the deck test_Revolute_Case01.adm, which ships as the scenario
adams_pendulum: place, velocities, accelerations and reactions over 5 s.
"""

from sim.verification.adams_columns import shipped_case

CASE = shipped_case(
    "adams_pendulum",
    "Revolute_Case01",
    {"Pos": 5e-5, "Vel": 2e-4, "Avel": 1e-4, "Acc": 3e-3, "Rforce": 3e-3},
    "six digits printed, and ADAMS's own error of 5 s",
)
