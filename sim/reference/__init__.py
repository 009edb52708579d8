"""Curves of another program as the reference of a run: alignment and limits."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.reference.adams_results import adams_reference
    from sim.reference.alignment import AlignedCurve, at_samples, between_samples
    from sim.reference.beside_measured import MeasuredCurves, OwnCurves, beside_measured
    from sim.reference.curve_kinds import name_columns
    from sim.reference.foreign_curves import foreign_reference
    from sim.reference.limits import FOREIGN_RTOL, Growth, SourceError
    from sim.reference.reference import Reference
else:
    load_names_on_use(__name__)
