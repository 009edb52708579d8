"""One state at a time: what a solver asks for, by NumPy and in machine code."""

from sim.dynamics.single_state.instant import Instant

__all__ = ["Instant"]
