"""Small studies of the tests' own scenario, computed in this process."""

from __future__ import annotations

from sim.scenario.script import load_script
from sim.studies.case_log import CaseLog
from sim.studies.design import grid
from sim.studies.study import study_of
from sim.studies.variation import variation
from sim.studies.workers.case_work import rows_of
from sim.studies.workers.execution import carried_out
from tests.helpers.command_scripts import write_swing

QUICK = {"method": "ideal", "dt": 0.01}


class Here:
    """Computes cases one after the other, and remembers which."""

    workers = at_once = 1

    def __init__(self, plan):
        self.plan, self.computed = plan, []

    def work(self, items, took):
        for item in items:
            self.computed.append(dict(item.case.parameters))
            took(rows_of(self.plan, [item]))


def swing_script(folder):
    """The script ``swing.py`` in a folder."""
    write_swing(folder)
    return load_script(str(folder / "swing.py"))


def swing_study(folder, *vary, design=None, name="study", **options):
    """A study of ``swing.py``, by a method without steps."""
    script = swing_script(folder)
    chosen = design or grid([variation(script, text) for text in vary])
    return study_of(script, chosen, folder / name, **{**QUICK, **options})


def rows_here(study, **options):
    """Its rows, computed in this process."""
    study.facts.write(study.folder)
    with CaseLog(study.folder) as log:
        return carried_out(study, log, Here(study.plan), **options)
