import itertools
import math

import numpy as np
import pytest

from sim.recording import Recording
from sim.recording.schema.verdicts import Check
from sim.scenario import load_script
from sim.studies.case_rows import CaseRow, Worst, worst_of
from sim.studies.design import StudyCase, grid
from sim.studies.report.table import study_table
from sim.studies.variation import parse_variation
from sim.studies.workers.case_work import compute_row
from tests.helpers.studies import ROD, prepared_study, swing_study

PENDULUM = f'''"""A massless rod of 0.8 m that holds a payload still, level."""
{ROD}

def scenario(payload: float = 1.0, speed: float = 0.0):
    return moved(rod(payload, 7), f"{{speed}} * time")
'''


@pytest.fixture
def pendulum(tmp_path):
    (tmp_path / "rod.py").write_text(PENDULUM, "utf-8")
    return load_script(str(tmp_path / "rod.py"))


@pytest.mark.parametrize("payload", [0.25, 2.0, 12.0])
def test_the_torque_of_a_held_payload_is_its_weight_by_the_rod(tmp_path, pendulum, payload):
    study = prepared_study(
        pendulum, grid([parse_variation(pendulum, "payload=0.25,2,12")]), tmp_path / "s"
    )
    row = compute_row(study.plan, StudyCase({"payload": payload}))
    expected = payload * 10 * 0.8  # N·m, m g l; the rod's 1e-9 kg are within 1e-8
    assert row.responses["peak tau.hinge"] == (pytest.approx(expected, rel=1e-7), "N·m")
    assert row.responses["margin"][0] == pytest.approx(1 - expected / 50, rel=1e-6)
    assert row.status == ("fail" if expected > 50 else "pass")
    assert row.reason == ("rated torque tau.hinge" if expected > 50 else "")
    assert row.responses["energy"][0] == pytest.approx(0.0, abs=1e-9)


def test_statistics_of_a_turning_payload_are_those_of_a_cosine(tmp_path, pendulum):
    # tau = -m g l cos(w t), so that rms² = (m g l)² (1/2 + sin(2 w T) / 4 w T)
    asked = ("rms tau.*", "mean tau.*", "min tau.hinge", "max tau.hinge", "end tau.hinge")
    design = grid([parse_variation(pendulum, "speed=10,15")])
    study = prepared_study(pendulum, design, tmp_path / "s", responses=asked, dt=0.001)
    row = compute_row(study.plan, StudyCase({"speed": 15.0}))
    w, T, top = 15.0, 0.1, 8.0
    said = {name: value for name, (value, _) in row.responses.items()}
    rms = top * math.sqrt(0.5 + math.sin(2 * w * T) / (4 * w * T))
    sign = math.copysign(1.0, said["end tau.hinge"]) / math.copysign(1.0, math.cos(w * T))
    assert said["rms tau.hinge"] == pytest.approx(rms, rel=1e-4)  # trapezoid: (w dt)²/12
    assert said["mean tau.hinge"] == pytest.approx(sign * top * math.sin(w * T) / (w * T), rel=1e-4)
    assert sorted((said["min tau.hinge"], said["max tau.hinge"])) == pytest.approx(
        sorted((sign * top * math.cos(w * T), sign * top)), rel=1e-6
    )


def test_a_case_that_cannot_be_computed_has_its_reason_in_its_row(tmp_path):
    study = swing_study(tmp_path, "duration=0.1,-0.1", "load=1,-1")
    shorter = compute_row(study.plan, StudyCase({"duration": -0.1, "load": 1.0}))
    assert (shorter.status, shorter.responses) == ("error", {})
    assert "duration must be a positive number of seconds, got -0.1" in shorter.reason
    lighter = compute_row(study.plan, StudyCase({"duration": 0.1, "load": -1.0}))
    assert lighter.status == "error"
    assert "-1" in lighter.reason


def test_a_duration_that_the_step_does_not_divide_loses_no_case(tmp_path, sim_command):
    study = swing_study(tmp_path, "duration=0.1,0.1005")
    item = StudyCase({"duration": 0.1005}, folder="runs/1")
    assert compute_row(study.plan, item).status == "pass"
    run = Recording.read(study.folder / "runs/1")
    # the script's own dt is 1 ms; 10 ms are asked for: 11 steps
    assert len(run.recorded) == 12
    assert run.t[-1] == 0.1005
    (note,) = (note for note in run.run.notes if "dt" in note)
    assert note.startswith("dt = 0.01 s does not divide the 0.1005 s of the run and is shortened")
    assert run.run.settings.dt == pytest.approx(0.1005 / 11, rel=1e-15)


def test_the_worst_of_a_check_is_its_channel_of_the_largest_share_and_what_fails_comes_first():
    def check(channel, used, *, ok=True):
        return Check("torque", channel, 0.0, 1.0, "N·m", 0.5, ok, used)

    small, large, over = check("a", 0.2), check("b", 0.7), check("c", 0.6, ok=False)
    lost = check("d", None, ok=False)
    for checks in itertools.permutations((small, large)):
        assert worst_of(checks) == {"torque": Worst(0.7, "b", 0.5, ok=True)}
    for checks in itertools.permutations((small, large, over)):
        assert worst_of(checks)["torque"].channel == "c"
    for checks in itertools.permutations((large, over, lost)):
        assert worst_of(checks)["torque"].channel == "d"


THREE = '''"""Three slides that lift masses by themselves, of 1, 2 and 4 kg, 0.1 m in 0.1 s."""
import sim

LINK = """<link name="l{0}"><inertial><mass value="{1}"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j{0}" type="prismatic"><parent link="base"/><child link="l{0}"/><axis xyz="0 0 1"/>
  <limit lower="-9" upper="9" effort="9e3" velocity="9"/></joint>"""


def scenario(speed: float = 1.0):
    from sim.robots import read_urdf

    links = "".join(LINK.format(k, 2**k) for k in range(3))
    robot = read_urdf(f'<robot name="three"><link name="base"/>{links}<link name="tip"/>'
        '<joint name="end" type="fixed"><parent link="l0"/><child link="tip"/></joint></robot>')
    motion = sim.JointMotion.displacement({f"j{k}": f"{speed} * time" for k in range(3)})
    return sim.Scenario(robot, motion, duration=0.1, dt=0.01, method="ideal", gravity=(0, 0, -10))
'''


def test_the_energy_is_that_of_all_drives(tmp_path):
    (tmp_path / "three.py").write_text(THREE, "utf-8")
    script = load_script(str(tmp_path / "three.py"))
    design = grid([parse_variation(script, "speed=1,2")])
    study = prepared_study(script, design, tmp_path / "s", responses=["energy"])
    row = compute_row(study.plan, StudyCase({"speed": 2.0}))
    assert row.response("energy") == pytest.approx((1 + 2 + 4) * 10 * 2 * 0.1)  # m g v T [J]


PUSHED = """
import sim
from sim.robots import read_urdf

def scenario(push: float = 3.0, controlled: bool = False) -> sim.Scenario:
    robot = read_urdf('<robot name="cart"><link name="base"/><link name="cart"><inertial><mass '
        'value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="track" type="prismatic"><parent link="base"/><child link="cart"/>'
        '<axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="100" velocity="10"/></joint>'
        '</robot>')
    motion = sim.JointMotion({}) if controlled else sim.JointMotion.torque({"track": f"{push}"})
    law = sim.Controller(lambda sensed, state: ([push], state), 0.01) if controlled else None
    return sim.Scenario(robot, motion, 0.5, 0.01, "adaptive", controller=law)
"""


@pytest.mark.parametrize("controlled", [False, True])
def test_the_energy_is_also_that_of_torques_and_controllers(tmp_path, controlled):
    (tmp_path / "cart.py").write_text(PUSHED, "utf-8")
    script, wanted = load_script(str(tmp_path / "cart.py")), ["energy", "margin.power"]
    design = grid([parse_variation(script, "push=3,4")])
    study = prepared_study(script, design, tmp_path / "s", responses=wanted)
    row = compute_row(study.plan, StudyCase({"push": 3.0, "controlled": controlled}))
    assert row.response("energy") == pytest.approx((3 * 0.5) ** 2 / (2 * 2))  # (F T)² / 2 m [J]
    assert row.response("margin.power") == pytest.approx(1 - 3 * (3 * 0.5 / 2) / (100 * 10))


def test_a_script_that_changed_since_is_told_of(tmp_path):
    study = swing_study(tmp_path, "load=1,2")
    (tmp_path / "swing.py").write_text("", "utf-8")
    row = compute_row(study.plan, StudyCase({"load": 1.0}))
    assert row.status == "error"
    assert "has changed since the study began" in row.reason


def test_the_response_of_a_user_is_asked_and_what_it_lacks_is_told(tmp_path):
    (tmp_path / "mine.py").write_text(
        "def span(recording):\n    q = recording.recorded['q.elbow']\n    return q.max() - q.min()\n"  # noqa: E501
        "def two(recording):\n    return {'one': 1, 'more': 2.5}\n"
        "def bad(recording):\n    return recording.nothing\n"
        "def none(recording):\n    return None\n"
        "def span_too(recording):\n    return {'span': 1.0}\n",
        "utf-8",
    )
    asked = [f"{tmp_path}/mine.py:{name}" for name in ("span", "two")]
    study = swing_study(tmp_path, "load=1,2", responses=asked)
    row = compute_row(study.plan, StudyCase({"load": 1.0}))
    values = {name: value for name, (value, _) in row.responses.items()}
    assert values == {"span": pytest.approx(np.pi / 180), "one": 1.0, "more": 2.5}  # 1° is driven
    for names, reason in (
        (["bad"], "AttributeError"),
        (["none"], "mine.py:none must return a number, math.nan where"),
        (["span", "span_too"], "mine.py:span both return 'span'"),
    ):
        asked = [f"{tmp_path}/mine.py:{name}" for name in names]
        study = swing_study(tmp_path, "load=1,2", responses=asked)
        row = compute_row(study.plan, StudyCase({"load": 1.0}))
        assert row.status == "error"
        assert reason in row.reason


def test_columns_of_one_name_are_told_apart():
    row = CaseRow(
        **{"key": "k", "status": "pass", "parameters": {"energy": 2.0, "key": 3.0}},
        responses={"energy": (5.0, "J"), "status": (7.0, "1")},
    )
    (values,) = study_table([row]).to_dict("records")
    wanted = {"energy": 5.0, "parameter energy": 2.0, "key": "k", "parameter key": 3.0}
    wanted |= {"status": "pass", "response status": 7.0}
    assert {name: values[name] for name in wanted} == wanted


def test_a_kept_run_is_a_whole_run_with_its_page(tmp_path, sim_command):
    study = swing_study(tmp_path, "load=1,2")
    row = compute_row(study.plan, StudyCase({"load": 1.0}, folder="runs/1"))
    assert (row.status, row.run) == ("pass", "runs/1")
    assert (study.folder / "runs/1/report.html").is_file()
    done = sim_command("check", str(study.folder / "runs/1"))
    assert done.status == 0
