"""A parameter study: one scenario over many values of its parameters, into one folder."""

from sim.studies.execution import carried_out
from sim.studies.study import Study
from sim.studies.study_result import StudyResult
from sim.studies.sweep_function import sweep

__all__ = ["Study", "StudyResult", "carried_out", "sweep"]
