"""A parameter study: one scenario over many values of its parameters, into one folder."""

from sim.studies.study import Study, StudyResult
from sim.studies.sweep_function import sweep
from sim.studies.workers.execution import run_cases

__all__ = ["Study", "StudyResult", "run_cases", "sweep"]
