"""Optimisation over several parameters of a scenario, whose evaluations are cases of a study."""
