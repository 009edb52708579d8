from pathlib import Path

import numpy as np
import pytest

from sim.errors import ScenarioError
from sim.robots import JointFriction, load_robot
from sim.scenario import load_script
from sim.studies.design import StudyCase, grid
from sim.studies.tolerances import (
    SIGMAS,
    Tolerance,
    generator,
    parse_tolerance,
    parse_tolerances,
    perturb_robot,
)
from sim.studies.workers.case_work import compute_row
from tests.helpers.short_runs import arm, rubbing_arm
from tests.helpers.studies import rows_here, swing_script, swing_study


def test_draws_stay_inside_their_tolerance_and_are_as_wide_as_promised():
    one = Tolerance("mass", 0.03, False)
    drawn = np.array([one.deviation(generator(7, k, one)) for k in range(4000)])
    assert np.abs(drawn).max() <= 0.03
    # of a normal distribution cut off at three sigma 0.9866 of the deviation is left; 4000 draws
    # tell it to 1.1 % (one sigma)
    assert drawn.std() == pytest.approx(0.9866 * 0.03 / SIGMAS, rel=0.04)
    assert drawn.mean() == pytest.approx(0.0, abs=4 * 0.01 / np.sqrt(4000))
    flat = Tolerance("mass", 0.03, False, "uniform")
    drawn = np.array([flat.deviation(generator(7, k, flat)) for k in range(4000)])
    assert drawn.std() == pytest.approx(0.06 / np.sqrt(12), rel=0.04)


def test_masses_are_scaled_with_their_inertias_and_the_payload_apart():
    robot = arm(load=2.0)
    heavier, factors = perturb_robot(robot, (Tolerance("mass", 0.1, False),), 1, 5)
    assert "mass.payload" not in factors
    for link in robot.links:
        if link.inertia is None:
            continue
        new = heavier.link(link.name).inertia
        factor = factors.get(f"mass.{link.name}", 1.0)
        assert new.mass == pytest.approx(factor * link.inertia.mass, rel=1e-12)
        assert np.allclose(new.tensor, factor * link.inertia.tensor, rtol=1e-12)
        assert np.array_equal(new.com, link.inertia.com)
    assert len({f"{x:.9f}" for x in factors.values()}) == len(factors) > 1
    other, factors = perturb_robot(robot, (Tolerance("payload", 0.1, False),), 1, 5)
    assert list(factors) == ["payload.payload"]
    assert other.link("payload").inertia.mass == pytest.approx(2.0 * factors["payload.payload"])


def test_lengths_are_those_between_joints():
    robot = arm()
    longer, factors = perturb_robot(robot, (Tolerance("length", 0.02, False),), 1, 0)
    assert factors
    for joint in robot.joints:
        new = longer.joint(joint.name).T_pc
        factor = factors.get(f"length.{joint.name}", 1.0)
        assert np.allclose(new[:3, 3], factor * joint.T_pc[:3, 3], rtol=1e-12)
        assert np.array_equal(new[:3, :3], joint.T_pc[:3, :3])


def test_friction_is_scaled_in_the_text_and_in_laws():
    law = JointFriction(mu_static=0.3, mu_dynamic=0.2, pin_radius=0.02, preload=1.0)
    robot = rubbing_arm().with_friction({"elbow": law})
    other, factors = perturb_robot(robot, (Tolerance("friction", 0.5, False),), 2, 0)
    for name in ("shoulder", "elbow"):
        old, new, factor = robot.joint(name), other.joint(name), factors[f"friction.{name}"]
        assert new.damping == pytest.approx(factor * old.damping)
        assert new.friction == pytest.approx(factor * old.friction)
    new = other.joint("elbow").friction_law
    assert (new.mu_static, new.preload) == pytest.approx(
        (0.3 * factors["friction.elbow"], factors["friction.elbow"])
    )


def test_what_a_robot_does_not_have_cannot_vary():
    with pytest.raises(ScenarioError, match=r"no friction to vary; drive trains are not varied"):
        perturb_robot(arm(), (Tolerance("friction", 0.1, False),), 0, 0)
    with pytest.raises(ScenarioError, match=r"has no payload to vary"):
        perturb_robot(arm(0.0), (Tolerance("payload", 0.1, False),), 0, 0)
    palletizer = load_robot("irb460")
    if palletizer.loops:
        with pytest.raises(ScenarioError, match=r"closed loops, whose rods would no longer fit"):
            perturb_robot(palletizer, (Tolerance("length", 0.1, False),), 0, 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mass", "--tolerance requires NAME=2%"),
        ("mass=0%", "--tolerance requires NAME=2%"),
        ("mass=-2%", "--tolerance requires NAME=2%"),
        ("mass=nan%", "--tolerance requires NAME=2%"),
        ("mass=100%", "a share must be below 100 %"),
        ("mass=0.1", "mass requires a share"),
        ("weight=2%", "has no parameter 'weight'"),
    ],
)
def test_what_is_no_tolerance_is_refused(tmp_path, text, said):
    with pytest.raises(ScenarioError, match=said):
        parse_tolerance(swing_script(tmp_path), text)


@pytest.mark.parametrize(
    ("texts", "settings", "said"),
    [
        (["mass=2%", "mass=3%"], {}, "names 'mass' twice; give it once"),
        (["load=2%", "load=0.1"], {}, "names 'load' twice; give it once"),
        (["load=5%"], {"load": "0"}, "load is 0, and so is every share of it; .* such as load=0.1"),
        (["turns=5%"], {}, "parameter 'turns' is a whole number, .* annotate it as float"),
    ],
)
def test_tolerances_without_a_meaning_are_refused(tmp_path, texts, settings, said):
    file = Path(swing_script(tmp_path).path)
    text = file.read_text("utf-8").replace("def scenario(", "def scenario(turns: int = 2, ")
    file.write_text(text, "utf-8")
    with pytest.raises(ScenarioError, match=said):
        parse_tolerances(load_script(str(file)), texts, "normal", settings, ["speed"])


def test_a_study_with_tolerances_is_decided_by_its_seed_and_engine_and_model_agree(tmp_path):
    script = swing_script(tmp_path)
    chances = (parse_tolerance(script, "mass=5%"), parse_tolerance(script, "load=0.1"))
    found = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        design = grid([], draws=2)
        study = swing_study(tmp_path, design=design, name=name, tolerances=chances, seed=seed)
        found.append([(row.factors, row.responses) for row in rows_here(study)])
        assert all(row.status == "pass" for row in rows_here(study))
    assert found[0] == found[1] != found[2]
    factors, _ = found[0][0]
    assert abs(factors["drawn.load"] - 0.5) <= 0.1
    assert set(factors) > {"drawn.load"}


def test_a_draw_is_another_whatever_else_varies(tmp_path):
    study = swing_study(tmp_path, "load=1,2", tolerances=(Tolerance("mass", 0.05, False),))
    one, same = (compute_row(study.plan, StudyCase({"load": load}, 3)) for load in (1.0, 2.0))
    other = compute_row(study.plan, StudyCase({"load": 1.0}, 4))
    assert one.factors == same.factors != other.factors
