"""Optimisations of scenarios: against least squares, a grid of `sim sweep`, and closed forms."""

import json
from pathlib import Path

import numpy as np
import pytest

import sim
from sim.errors import RecordingError, ScenarioError
from tests.helpers.command_scripts import URDF

BALANCE = '''"""A swing with a spring at the shoulder."""
from pathlib import Path

import sim


def scenario(k: float = 0.0, rest: float = 1.5, load: float = 0.5, n: int = 2, elbow: str = "flat"):
    """`k` [N·m/rad], `rest` [rad], `load` [kg]."""
    robot = sim.load_robot(Path(__file__).with_name("arm.urdf")).with_payload(mass=load)
    if k:
        robot = robot.with_springs({"shoulder": sim.JointSpring(k, free_position=rest)})
    held = {"flat": "0.2+0.3*SIN(2*PI*time)", "bent": "1.5"}[elbow]
    motion = sim.JointMotion.displacement({"shoulder": "1.2+0.4*SIN(2*PI*time)", "elbow": held})
    return sim.Scenario(robot, motion, duration=1.0, dt=0.02, method="ideal")
'''

SWING = '''"""A wheel on a spring, without gravity, turned and released."""
from pathlib import Path

import sim


def scenario(k: float = 1.0):
    """`k` [N·m/rad]."""
    robot = sim.load_robot(Path(__file__).with_name("wheel.urdf"))
    robot = robot.with_springs({"hub": sim.JointSpring(k)})
    motion = sim.JointMotion.displacement({}, q0={"hub": 0.5}, free=["hub"])
    return sim.Scenario(
        robot, motion, duration=0.25, dt=0.005, method="adaptive", gravity=(0.0, 0.0, 0.0)
    )
'''

WHEEL = """<robot name="wheel"><link name="base"/>
<link name="disc"><inertial><mass value="1"/>
<inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hub" type="continuous"><parent link="base"/><child link="disc"/>
<axis xyz="0 0 1"/></joint></robot>
"""


@pytest.fixture
def balance(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("balance.py").write_text(BALANCE, "utf-8")
    Path("arm.urdf").write_text(URDF, "utf-8")
    return "balance.py"


def optimum(*arguments, **options):
    options = {"out": "study", "page": False, "workers": 1, **options}
    return sim.optimise(*arguments, **options)


def test_the_spring_that_balances_a_swing_is_that_of_least_squares(balance):
    """Torque without spring plus k (q - rest) is least in the mean square: a linear problem."""
    result = optimum(balance, {"k": (1, 100), "rest": (1, 2)}, minimise="rms tau.shoulder")
    plain = sim.sweep(balance, {"k": [0.0]}, keep="all", out="plain", page=False, workers=1)
    run = sim.Recording.read(plain.folder / plain.rows[0].run)
    q, tau = (run.analytic[f"{name}.shoulder"].to_numpy() for name in ("q", "tau"))
    weights = np.ones_like(q)
    weights[[0, -1]] = 0.5  # of the trapezoidal rule
    root = np.sqrt(weights)
    columns = np.stack([q, np.ones_like(q)], axis=1)
    (k, constant), *_ = np.linalg.lstsq(root[:, None] * columns, -root * tau)
    left = tau + columns @ (k, constant)
    rms = np.sqrt(weights @ left**2 / weights.sum())
    answer = result.answer
    assert answer.objectives[0].value == pytest.approx(rms, rel=1e-3)
    assert answer.parameters["k"] == pytest.approx(k, rel=1e-2)
    assert answer.parameters["rest"] == pytest.approx(-constant / k, rel=1e-3)
    assert answer.evaluations <= 60
    assert (answer.engine.status, result.passed) == ("pass", True)
    assert (result.folder / answer.engine.run / "run.json").is_file()
    assert result.proof.ok


def test_a_limit_that_binds_is_satisfied_by_the_engines_run_too(balance):
    limits = ["peak tau.shoulder <= 27", "checks"]
    result = optimum(
        balance, {"load": (0.1, 3), "elbow": ["flat", "bent"]}, maximise="load", subject_to=limits
    )
    answer = result.answer
    assert answer.is_feasible
    (row,) = [row for row in result.rows if row.run]
    assert 27 * (1 - 1e-5) <= row.response("peak tau.shoulder") <= 27.0
    assert [one.constraint for one in answer.constraints if one.is_limiting] == [limits[0]]
    # brute force: the largest load of a fine grid inside both limits, for either elbow
    grid = sim.sweep(
        balance, {"load": "0.1:3:2901", "elbow": ["flat", "bent"]}, analytic=True, proof=1,
        responses=["peak tau.*"], out="grid", page=False, workers=1,
    ).table  # fmt: skip
    inside = grid[(grid["peak tau.shoulder"] <= 27) & (grid["status"] == "pass")]
    best = inside.loc[inside["load"].idxmax()]
    assert answer.parameters["load"] == pytest.approx(best["load"], abs=1e-3)  # of the grid
    assert answer.parameters["elbow"] == best["elbow"]


def test_the_stiffness_of_a_wanted_frequency_is_found_by_simulation(tmp_path, monkeypatch):
    """I = 0.02: after 0.25 s a swing of 1 Hz passes zero, at k = I (2 pi)^2."""
    monkeypatch.chdir(tmp_path)
    Path("wheel.py").write_text(SWING, "utf-8")
    Path("wheel.urdf").write_text(WHEEL, "utf-8")
    result = optimum("wheel.py", {"k": (0.2, 2)}, minimise="abs(end q.hub)", evaluations=30)
    assert result.answer.parameters["k"] == pytest.approx(0.02 * (2 * np.pi) ** 2, rel=1e-4)
    assert result.study.facts.request.analytic is False


def test_what_is_resumed_computes_nothing_again_and_has_the_same_answer(balance):
    asked = {"minimise": "rms tau.shoulder", "subject_to": "peak tau.shoulder <= 25"}
    first = optimum(balance, {"k": (1, 100)}, page=True, **asked)
    lines = Path("study/cases.jsonl").read_bytes().splitlines(keepends=True)
    Path("study/cases.jsonl").write_bytes(b"".join(lines[:7]))  # as if it had been stopped
    again = sim.optimise(resume="study")
    assert again.answer == first.answer
    assert Path("study/cases.jsonl").read_bytes().count(b"\n") == len(lines)
    page = Path("study/study.html").read_text("utf-8")
    assert "Path of the search" in page
    assert "Response surface of rms tau.shoulder" in page
    stored = json.loads(Path("study/study.json").read_text("utf-8"))
    assert stored["answer"]["type"] == "optimum"
    assert stored["goals"]["subject_to"] == ["peak tau.shoulder <= 25"]
    with pytest.raises(ScenarioError, match="is an optimisation: sim optimise --resume study"):
        sim.sweep(resume="study")
    with pytest.raises(RecordingError, match="is a different study"):
        optimum(balance, {"rest": (1, 2)}, **asked)


def test_a_function_in_an_expression_is_resumed_and_its_missing_values_are_named(balance):
    Path("own.py").write_text(
        "import math\ndef cost(run):\n    load = run.run.parameters['load']\n"
        "    return math.nan if load > 1.5 else (load - 0.7) ** 2\n",
        "utf-8",
    )
    first = optimum(balance, {"load": (0.1, 2)}, minimise="1 + 2*'own.py:cost'", evaluations=20)
    assert first.answer.parameters["load"] == pytest.approx(0.7, abs=1e-4)
    lost = first.answer.without_value
    assert [first.rows[k - 1].parameters["load"] > 1.5 for k in lost] == [True] * len(lost) != []
    assert any("no value; the search went on" in note for note in first.answer.notes)
    assert sim.optimise(resume="study").answer == first.answer


@pytest.mark.parametrize(
    ("vary", "asked", "said"),
    [
        ({"k": (1, 100)}, {}, "Nothing is optimised: give --minimise"),
        ({}, {"minimise": "energy"}, "No parameter varies: give --vary P=A:B; parameters of"),
        ({"k": (5, 5)}, {"minimise": "energy"}, "k=5:5 is an empty range"),
        ({"k": (5, 5.00001)}, {"minimise": "energy"}, "is a range without interior"),
        ({"k": [5]}, {"minimise": "energy"}, "k=5 has a single value"),
        ({"mass": (1, 2)}, {"minimise": "energy"}, "has no parameter 'mass'"),
        ({"n": "1.2:1.8"}, {"minimise": "energy"}, "'n' is a whole number, got '1.2'"),
        ({"k": (1, 2)}, {"minimise": "peak tau.wrist"}, "peak tau.wrist.*seen at the first case"),
        ({"k": (9, 2)}, {"minimise": "k"}, r"begins with the upper end of its range; write k=2"),
        ({"k": (1, 2)}, {"minimise": "wrist"}, "'wrist' is neither a response nor"),
        ({"k": (1, 2)}, {"minimise": "energy", "settings": {"k": 1}}, "both varied and set"),
        ({"k": (1, 2)}, {"minimise": ["energy", "energy"]}, "'energy' is an objective twice"),
        ({"k": (1, 2)}, {"minimise": "energy", "algorithm": "newton"}, "choices: auto, gradient"),
    ],
)
def test_what_cannot_be_optimised_is_refused_before_anything_is_written(balance, vary, asked, said):
    with pytest.raises(ScenarioError, match=said):
        optimum(balance, vary, **asked)
    assert not Path("study").exists()


def test_a_name_without_a_value_has_a_page(balance):
    study = optimum(balance, {"elbow": ["flat", "tilted"]}, minimise="energy", page=True)
    assert study.answer.parameters == {"elbow": "flat"}


MOTOR = """import sim


def scenario(amp: float = 0.1):
    train = sim.DriveTrain(ratio=100, rotor_inertia=1e-4, motor_peak_power=50.0)
    robot = sim.load_robot("ur10").with_drives({"shoulder_lift_joint": train})
    motion = sim.JointMotion.displacement({"shoulder_lift_joint": f"{amp}*SIN(2*PI*time)-PI/2"})
    return sim.Scenario(robot, motion, duration=0.5, dt=0.01, method="ideal")
"""


def test_checks_count_the_ratings_of_motors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("motor.py").write_text(MOTOR, "utf-8")
    study = optimum("motor.py", {"amp": (0.05, 0.4)}, maximise="amp", subject_to="checks",
                    evaluations=12)  # fmt: skip
    assert study.answer.is_feasible
    assert study.answer.engine.status == "pass"


def test_no_feasible_case_names_the_nearest_and_by_how_much(balance):
    result = optimum(
        balance, {"load": (0.5, 3)}, minimise="energy", subject_to="peak tau.shoulder <= 1"
    )
    assert not result.passed
    nearest = min(row.response("peak tau.shoulder") for row in result.rows)
    assert result.answer.parameters == {"load": 0.5}
    assert f"missed by {nearest - 1:.4g} N·m" in result.sentence
