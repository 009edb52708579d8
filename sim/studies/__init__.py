"""A parameter study: one scenario over many values of its parameters, into one folder."""

from sim.studies.execution import carried_out
from sim.studies.study import Study

__all__ = ["Study", "carried_out"]
