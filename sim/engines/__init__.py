"""Physics engines behind one contract, and the methods that solve a problem with any of them."""

from sim.engines.contract import Engine, Held, March, Marching, Survey, require_same
from sim.engines.coupled import EngineResponse
from sim.engines.loads import PrescribedLoads
from sim.engines.samples import Samples

__all__ = [
    "Engine",
    "EngineResponse",
    "Held",
    "March",
    "Marching",
    "PrescribedLoads",
    "Samples",
    "Survey",
    "require_same",
]
