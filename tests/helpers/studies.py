"""Small studies of the tests' own scenario, computed in this process."""

from __future__ import annotations

from sim.scenario import load_script
from sim.studies import request, run_cases
from sim.studies.case_log import CaseLog
from sim.studies.design import grid
from sim.studies.study import prepare_study
from sim.studies.variation import parse_variation
from sim.studies.workers.case_work import compute_rows
from sim.studies.workers.execution import StudyRun
from tests.helpers.command_scripts import write_swing

QUICK = {"method": "ideal", "dt": 0.01}

ROD = '''import sim

URDF = """<robot name="rod"><link name="base"/>
  <link name="rod"><inertial><mass value="1e-9"/>
    <inertia ixx="1e-12" iyy="1e-12" izz="1e-12" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"/>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-7" upper="%s" effort="50" velocity="20"/></joint>
  <joint name="end" type="fixed"><parent link="rod"/><child link="tip"/>
    <origin xyz="0.8 0 0"/></joint></robot>"""

from sim.robots import read_urdf


def rod(payload, end):
    return read_urdf(URDF % end).with_payload(mass=payload, frame="tip")


def moved(robot, drive):
    motion = sim.JointMotion.displacement({"hinge": drive})
    return sim.Scenario(robot, motion, duration=0.1, dt=0.01, method="ideal", gravity=(0, 0, -10))
'''  # part of scripts: a massless rod of 0.8 m with a payload, up to an end of its range [rad]


class Here:
    """Computes cases one after the other, and remembers which."""

    count = probe_size = 1

    def __init__(self, plan):
        self.plan, self.computed = plan, []

    def compute(self, cases, add_rows):
        for case in cases:
            self.computed.append(dict(case.parameters))
            add_rows(compute_rows(self.plan, [case]))


def swing_script(folder):
    """The script ``swing.py`` in a folder."""
    write_swing(folder)
    return load_script(str(folder / "swing.py"))


def swing_study(folder, *vary, design=None, name="study", **options):
    """A study of ``swing.py``, by a method without steps."""
    script = swing_script(folder)
    chosen = design or grid([parse_variation(script, text) for text in vary])
    return prepared_study(script, chosen, folder / name, **{**QUICK, **options})


def prepared_study(script, design, folder, *, responses=(), tolerances=(), **options):
    """A study by the options of its request."""
    asked = request.StudyRequest(scenario=str(script.path), **options)
    return prepare_study(script, design, folder, asked, responses=responses, tolerances=tolerances)


def rows_here(study):
    """Its rows, computed in this process."""
    study.facts.write(study.folder)
    with CaseLog(study.folder) as log:
        return run_cases(StudyRun(study, log, Here(study.plan)))
