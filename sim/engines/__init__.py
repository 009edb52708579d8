"""Physics engines behind one interface, and the methods that solve a problem with any of them."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.engines.contract import Engine, March, Marching, ModelReadback, require_same
    from sim.engines.coupled import EngineDynamics
    from sim.engines.loads import PrescribedLoads
    from sim.engines.samples import Samples
else:
    load_names_on_use(__name__)
