"""A parameter study: one scenario over many values of its parameters, into one folder."""

from sim.studies.study import Study
from sim.studies.study_result import StudyResult
from sim.studies.sweep_function import sweep
from sim.studies.workers.execution import carried_out

__all__ = ["Study", "StudyResult", "carried_out", "sweep"]
