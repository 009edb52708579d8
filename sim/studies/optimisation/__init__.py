"""Optimisation over several parameters of a scenario, with cases of a study as evaluations."""
