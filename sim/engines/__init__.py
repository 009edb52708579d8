"""Physics engines behind one contract, and the methods that solve a problem with any of them."""

from sim.engines.contract import EnergySamples, Engine, March, Marching, ModelReadback, require_same
from sim.engines.coupled import EngineDynamics
from sim.engines.loads import PrescribedLoads
from sim.engines.samples import Samples

__all__ = [
    "EnergySamples",
    "Engine",
    "EngineDynamics",
    "March",
    "Marching",
    "ModelReadback",
    "PrescribedLoads",
    "Samples",
    "require_same",
]
