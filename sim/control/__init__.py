"""Control laws for sampled controllers: PD with gravity, computed torque, cascades."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.control.laws import Cascade, ComputedTorque, PDGravity
    from sim.control.string_law import StringLaw
else:
    load_names_on_use(__name__)
