"""Evaluation of one state at a time for a solver, by NumPy and in machine code."""

from sim.dynamics.single_state.instant import Instant
