"""A body on a torsion spring and damper, as ADAMS computed it.

The mechanism of the deck test_RotSpring_Case01.adm, which ships as the scenario
adams_torsion_spring: place, velocities, accelerations and reactions over 5 s.
"""

from sim.verification.adams_columns import shipped_case

CASE = shipped_case(
    "adams_torsion_spring",
    "RotSpring_Case01",
    {"Pos": 2e-5, "Vel": 5e-5, "Acc": 1e-3, "Rforce": 1e-3, "Rtorque": 1e-3},
    "six digits printed, and ADAMS's own error of 5 s",
)
