from dataclasses import replace

import msgspec
import numpy as np
import pytest

from sim.errors import ScenarioError
from sim.scenario import load_script
from sim.studies.case_log import CaseLog
from sim.studies.design import grid
from sim.studies.sensitivity import effects, sensitivity_design
from sim.studies.tolerances import Tolerance
from sim.studies.variation import parse_variation
from sim.studies.workers.execution import StudyRun, run_cases
from sim.studies.workers.model_workers import (
    ModelWorkers,
    expected_proof,
    proof_plan,
    prove_model,
)
from sim.studies.workers.pool import Pool
from tests.helpers.studies import QUICK, Here, prepared_study, rows_here, swing_study
from tests.studies.test_case_work import PENDULUM

ASKED = ("margin", "energy", "peak tau.*", "rms tau.elbow", "mean power.elbow", "min tau.*",
         "max qd.elbow", "end q.elbow")  # fmt: skip


def by_model(study):
    study.facts.write(study.folder)
    model = ModelWorkers(study)
    with CaseLog(study.folder) as log:
        return run_cases(StudyRun(study, log, model)), model


def planes_of(model):
    return [plane is not None for plane in model._planes.values()]


def test_the_torque_of_many_held_payloads_is_their_weight_by_the_rod(tmp_path):
    (tmp_path / "rod.py").write_text(PENDULUM, "utf-8")
    script = load_script(str(tmp_path / "rod.py"))
    study = prepared_study(
        script, grid([parse_variation(script, "payload=0:10:501")]), tmp_path / "s"
    )
    rows, model = by_model(study)
    m = np.array([row.parameters["payload"] for row in rows])
    said = np.array([row.response("peak tau.hinge") for row in rows])
    assert np.allclose(said, m * 10 * 0.8, atol=1e-8)  # m g l [N·m]; the rod weighs 1e-9 kg
    assert [row.status for row in rows] == ["fail" if x * 8 > 50 else "pass" for x in m]
    assert planes_of(model) == [True]


def test_the_model_alone_says_what_simulated_runs_say(tmp_path):
    vary = ("duration=0.1,0.2", "load=0:6:7")
    model_rows, model = by_model(swing_study(tmp_path, *vary, name="model", responses=ASKED))
    rows = rows_here(swing_study(tmp_path, *vary, name="runs", responses=ASKED))
    assert planes_of(model) == [True, True]
    for ours, theirs in zip(model_rows, rows, strict=True):
        assert ours.status == theirs.status
        assert list(ours.responses) == list(theirs.responses)
        for name, (value, unit) in theirs.responses.items():
            # method ideal has no steps: engine and model part by rounding
            assert ours.responses[name] == (pytest.approx(value, rel=1e-9, abs=1e-9), unit)
        for name, worst in ours.worst.items():
            assert theirs.worst[name].used == pytest.approx(worst.used, rel=1e-9, abs=1e-9)
            assert (theirs.worst[name].channel, theirs.worst[name].ok) == (worst.channel, worst.ok)


@pytest.mark.rotates(2)
@pytest.mark.parametrize("law", ["load**2", "abs(load - 1.2)", "max(load, 1.0)"])
def test_a_parameter_that_is_not_linear_is_no_line_and_right_all_the_same(tmp_path, law):
    study = swing_study(tmp_path, "load=0:2:7")
    path = tmp_path / "swing.py"
    text = path.read_text("utf-8").replace("mass=load", f"mass={law}")
    path.write_text(text, "utf-8")
    script = load_script(str(path))
    study = prepared_study(script, study.design, tmp_path / "other", **QUICK)
    rows, model = by_model(study)
    assert planes_of(model) == [False]
    there = replace(study, plan=replace(study.plan, folder=str(tmp_path / "third")))
    for ours, theirs in zip(rows, rows_here(there), strict=True):
        assert ours.response("margin") == pytest.approx(theirs.response("margin"), rel=1e-9)


def test_what_the_model_cannot_answer_is_told_at_the_first_case(tmp_path):
    (tmp_path / "mine.py").write_text("def mine(recording):\n    return 1\n", "utf-8")
    study = swing_study(tmp_path, "load=1,2", responses=[f"{tmp_path}/mine.py:mine"])
    with pytest.raises(ScenarioError, match="a function requires a run; --analytic makes none"):
        by_model(study)
    study = swing_study(tmp_path, "load=1,2", responses=["peak reaction.*"], name="other")
    with pytest.raises(ScenarioError, match=r"No channel matches 'reaction\.\*'"):
        by_model(study)
    assert by_model(swing_study(tmp_path, "load=-1,1", name="third"))[0][0].status == "error"


def test_a_proof_holds_and_one_that_cannot_hold_says_where(tmp_path):
    study = swing_study(tmp_path, "load=0:6:13")
    rows, _ = by_model(study)
    with CaseLog(study.folder) as log:
        here = Here(proof_plan(study.plan))
        proof = prove_model(StudyRun(study, log, here), rows, 3, seed=1)
        again = prove_model(StudyRun(study, log, Here(proof_plan(study.plan))), rows, 3, seed=1)
        assert (proof.ok, len(proof.cases), len(here.computed)) == (True, 3, 3)
        assert proof == again
        assert proof.off < 1e-9
        wrong = [
            msgspec.structs.replace(row, responses={**row.responses, "energy": (99.0, "J")})
            for row in rows
        ]
        lie = prove_model(StudyRun(study, log, here), wrong, 3, seed=1)
    assert (lie.ok, lie.response) == (False, "energy")
    assert list(log.rows) == [row.key for row in rows] + list(log.rows)[13:]


def rod_study(tmp_path, *vary, name="tornado", samples=None, draws=0, **options):
    """A study of the rod that holds a payload: its largest torque is m g l whatever its speed."""
    (tmp_path / "rod.py").write_text(PENDULUM, "utf-8")
    script = load_script(str(tmp_path / "rod.py"))
    varied = [parse_variation(script, text) for text in vary]
    design = sensitivity_design(name, script, varied, {}, samples, 1) if vary else grid([], draws)
    asked = options.pop("responses", ["peak tau.hinge"])
    return prepared_study(script, design, tmp_path / name, responses=asked, **options)


@pytest.mark.rotates(3)
@pytest.mark.parametrize(
    ("name", "samples"), [("tornado", None), ("morris", 4), ("sobol-indices", 64)]
)
def test_sensitivities_by_the_model_alone_are_those_of_the_closed_form(tmp_path, name, samples):
    pytest.importorskip("SALib")
    slope = 10 * 0.8  # N·m a kg, g l
    study = rod_study(tmp_path, "payload=1:3", "speed=0:9", name=name, samples=samples)
    rows, model = by_model(study)
    assert model.cases == len({row.key for row in rows})
    load, speed = effects(study.design, rows, 1)
    assert (load.parameter, speed.parameter) == ("payload", "speed")
    if name == "sobol-indices":  # all variance is the payload's; 64 points tell it to 0.1
        assert (load.size, speed.size) == (pytest.approx(1.0, abs=0.1), pytest.approx(0.0))
    else:
        assert load.size == pytest.approx(2 * slope, rel=1e-6)  # over the range of 2 kg
        assert speed.size == pytest.approx(0.0, abs=1e-6)


def test_draws_of_tolerances_by_the_model_alone_are_each_their_own_weight(tmp_path):
    chances = (Tolerance("payload", 0.2, False),)
    study = rod_study(tmp_path, name="draws", draws=6, tolerances=chances, seed=3)
    rows, _ = by_model(study)
    drawn = [row.factors["drawn.payload"] for row in rows]  # kg
    assert len(set(drawn)) == 6
    said = [row.response("peak tau.hinge") for row in rows]
    assert said == pytest.approx([10 * 0.8 * mass for mass in drawn], rel=1e-6)
    with CaseLog(study.folder) as log:
        proof = prove_model(StudyRun(study, log, Here(proof_plan(study.plan))), rows, 2, seed=1)
    assert (proof.ok, len(proof.cases)) == (True, 2)


@pytest.mark.parametrize(("what", "is_plane"), [("mass", True), ("length", False)])
def test_draws_of_a_robot_on_a_plane_are_those_of_simulated_runs(tmp_path, what, is_plane):
    chances = (Tolerance(what, 0.1, False), Tolerance("load", 0.5, True, "uniform"))
    studies = [
        swing_study(tmp_path, name=name, design=grid([], 12), tolerances=chances, responses=ASKED)
        for name in ("model", "runs")
    ]
    (rows, model), simulated = by_model(studies[0]), rows_here(studies[1])
    assert planes_of(model) == [is_plane]
    for ours, theirs in zip(rows, simulated, strict=True):
        assert ours.factors == theirs.factors
        for name, (value, unit) in theirs.responses.items():
            # method ideal has no steps: engine and model part by rounding
            assert ours.responses[name] == (pytest.approx(value, rel=1e-9, abs=1e-9), unit)


def test_a_line_is_the_designs_so_that_a_study_which_was_stopped_has_the_same_bits(tmp_path):
    whole, _ = by_model(swing_study(tmp_path, "load=0:2:9", name="whole"))
    study = swing_study(tmp_path, "load=0:2:9", name="stopped")
    study.facts.write(study.folder)
    with CaseLog(study.folder) as log:
        log.add(whole[:7])
    rest, model = by_model(study)
    assert model.cases == 2
    assert planes_of(model) == [True]
    assert [row.responses for row in rest] == [row.responses for row in whole]
    some = by_model(swing_study(tmp_path, "load=0:2:5", name="few"))[1]
    assert planes_of(some) == []


@pytest.mark.parametrize("is_first_wrong", [False, True])
def test_a_case_that_was_begun_meanwhile_proves_as_one_computed_later(tmp_path, is_first_wrong):
    study = swing_study(tmp_path, "load=0:6:13", proof=2)
    rows, _ = by_model(study)
    with CaseLog(study.folder) as log, Pool(proof_plan(study.plan), 1) as pool:
        begun = expected_proof(study, log)[:1]
        pool.start([replace(begun[0], draw=3)] if is_first_wrong else begun)
        proof = prove_model(StudyRun(study, log, pool), rows, 2, 0)
        assert len(log.path.read_bytes().splitlines()) == 13 + 2 + is_first_wrong
        assert expected_proof(study, log) == []
    with CaseLog(tmp_path) as log:
        later = Here(proof_plan(study.plan))
        assert prove_model(StudyRun(study, log, later), rows, 2, 0) == proof
