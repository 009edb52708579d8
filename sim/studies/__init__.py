"""Parameter studies: one scenario for many values of its parameters, stored in one folder."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.studies.optimisation.optimise_function import optimise
    from sim.studies.study import Study, StudyResult
    from sim.studies.sweep_function import sweep
    from sim.studies.workers.execution import run_cases
else:
    load_names_on_use(__name__)
