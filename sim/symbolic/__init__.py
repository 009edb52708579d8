"""Symbolic equations of motion: derived, checked numerically, written as text, LaTeX or C."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.symbolic.equations import Equations, NumericalProof, equations
else:
    load_names_on_use(__name__)
