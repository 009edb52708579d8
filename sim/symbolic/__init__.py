"""Equations of motion as symbols: derived, proved by numbers, written as text, LaTeX or C."""

from sim.symbolic.equations import Equations, equations
from sim.symbolic.proof import Proof

__all__ = ["Equations", "Proof", "equations"]
