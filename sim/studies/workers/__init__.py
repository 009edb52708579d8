"""Computation of a study's cases: processes, a cluster, or the model only."""
