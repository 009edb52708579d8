"""Laws of sampled controllers: PD with gravity, computed torque, cascades."""

from sim.control.cascade import Cascade
from sim.control.computed_torque import ComputedTorque
from sim.control.pd_gravity import PDGravity
from sim.control.string_law import StringLaw

__all__ = ["Cascade", "ComputedTorque", "PDGravity", "StringLaw"]
