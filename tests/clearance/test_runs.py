"""Clearance of runs: the figures of shipped scenarios, channels, checks, claims and bad input."""

import importlib
from dataclasses import replace

import numpy as np
import pytest

import sim
from sim.clearance.clearance_of_run import judged_pairs
from sim.clearance.pieces import pieces_of
from sim.errors import ModelError, ScenarioError, SimError
from sim.robots import load_robot
from tests.clearance.arms import joint, link, robot_of


@pytest.fixture(scope="module")
def ur10():
    """Paper 001's run at 10 ms, with a floor at the height of the base."""
    scenario = sim.load_script("ur10_step").function()
    asked = replace(scenario, clearance=sim.Clearance(floor=0.0), dt=0.01, method="ideal")
    return sim.run(asked)


def pair_of(recording, first, second):
    facts = recording.run.settings.clearance
    (found,) = [p for p in facts.pairs if (p.first, p.second) == (first, second)]
    return found


@pytest.mark.parametrize(
    ("first", "second", "depth", "at"),
    [  # by a prototype with a first-order bound, every sample at 1 ms; at 10 ms the cubic differs
        ("shoulder_link", "forearm_link", -0.1031981, 5.0),
        ("upper_arm_link", "payload", -0.0995656, 5.3976),
        ("upper_arm_link", "wrist_3_link", -0.0985660, 5.3263),
        ("shoulder_link", "payload", -0.0329586, 5.2181),
    ],
)
def test_the_arm_of_paper_001_passes_through_itself(ur10, first, second, depth, at):
    found = pair_of(ur10, first, second)
    assert found.distance == pytest.approx(depth, abs=2e-5)
    assert found.at == pytest.approx(at, abs=1e-3)
    assert found.left_over <= 1e-5
    assert found.second_answer == pytest.approx(found.distance, abs=1e-6)


def test_its_first_touch_and_its_depth_under_the_floor(ur10):
    facts = ur10.run.settings.clearance
    links = [p for p in facts.pairs if p.first != "floor" and p.first_touch is not None]
    first = min(links, key=lambda p: p.first_touch)
    assert (first.first, first.second) == ("forearm_link", "payload")
    assert first.first_touch == pytest.approx(2.8136, abs=1e-3)
    lowest = pair_of(ur10, "floor", "payload")
    assert lowest.distance == pytest.approx(-0.6938755, abs=2e-5)


def test_the_claim_is_refuted_with_pair_depth_and_time(ur10):
    (claim,) = [c for c in ur10.run.claim_results if c.channel.startswith("clearance")]
    assert claim.channel == "clearance.shoulder_link-forearm_link"
    assert claim.found == pytest.approx(-0.1031981, abs=2e-5)
    assert claim.at == pytest.approx(5.0, abs=1e-3)
    assert not claim.ok


def test_what_is_wanted_is_a_check_and_two_others_agree(ur10):
    checks = {(check.name, check.channel): check for check in ur10.checks}
    least = checks["clearance", "clearance.links"]
    assert not least.ok
    assert least.worst == pytest.approx(-0.1031981, abs=2e-5)
    assert not checks["clearance", "clearance.floor"].ok
    others = [check for check in ur10.checks if check.name.startswith("clearance ")]
    assert {check.name for check in others} == {
        "clearance between samples",
        "clearance by another library",
        "clearance of the motion",
    }
    assert all(check.ok for check in others)


def test_curves_are_channels_in_metres(ur10):
    facts = ur10.run.settings.clearance
    pairs = [name for name in facts.channels if "_link-" in name]
    assert pairs[0] == "clearance.shoulder_link-forearm_link"
    assert {ur10.units[channel] for channel in facts.channels} == {"m"}
    least = ur10.known_values("clearance.links")
    for channel in pairs:
        assert (least <= ur10.known_values(channel) + 1e-12).all()
    first, second = (
        np.stack([ur10.known_values(f"nearest_{side}.{c}") for c in "xyz"]) for side in "ab"
    )
    assert np.linalg.norm(first - second, axis=0) == pytest.approx(np.abs(least), abs=1e-9)
    assert least[500] == pytest.approx(-0.1031981, abs=1e-6)


def test_a_run_that_keeps_its_distance_passes(tmp_path):
    scenario = sim.load_script("two_link").function()
    robot = load_robot("ur10")
    motion = sim.JointMotion.velocity({"shoulder_pan_joint": "0.5"}, q0=robot.pose("upright"))
    scenario = replace(scenario, robot=robot, motion=motion, duration=0.2, dt=0.02, claims=())
    near = sim.run(replace(scenario, clearance=sim.Clearance(wanted=0.001)))
    assert near.passed
    far = sim.run(replace(scenario, clearance=sim.Clearance(wanted=1.0)))
    assert [c.name for c in far.checks if not c.ok] == ["clearance"]


def test_a_run_without_clearance_has_none(tmp_path):
    scenario = sim.load_script("two_link").function()
    recording = sim.run(replace(scenario, duration=0.1, dt=0.01))
    assert recording.run.settings.clearance is None
    recording.write(tmp_path)
    assert '"clearance"' not in (tmp_path / "run.json").read_text()
    assert not [channel for channel in recording.units if channel.startswith("clearance")]


@pytest.mark.parametrize(("name", "judged", "design"), [("ur10", 15, 6), ("kr210", 15, 6)])
def test_pairs_that_touch_by_design_are_listed(name, judged, design):
    robot = load_robot(name)
    pairs = judged_pairs(robot, sim.Clearance(), np.zeros((len(robot.tree_joints), 1)))
    assert (len(pairs.links), len(pairs.left_out)) == (judged, design)


def test_a_payload_is_judged_only_while_it_is_carried():
    robot = load_robot("ur10")
    motion = sim.JointMotion.velocity({"shoulder_pan_joint": "0.1"}, q0=robot.pose("upright"))
    box = sim.Payload(mass=5.0, com=(0, 0, 0.1))
    scenario = sim.Scenario(
        robot,
        motion,
        duration=0.4,
        dt=0.02,
        method="ideal",
        events=(sim.PickUp(0.2, box), sim.SetDown(0.3)),
        clearance=sim.Clearance(floor=0.0),
    )
    facts = sim.run(scenario).run.settings.clearance
    carried = [pair for pair in facts.pairs if pair.second == "payload"]
    assert carried
    assert all(0.2 <= pair.at <= 0.3 for pair in carried)


def test_a_link_that_there_is_not_is_named():
    scenario = replace(sim.load_script("two_link").function(), duration=0.1)
    with pytest.raises(ScenarioError, match="no link 'elbow'"):
        sim.run(replace(scenario, clearance=sim.Clearance(exclude=[("elbow", "floor")])))


def test_a_run_of_too_many_samples_is_refused_before_it_starts():
    scenario = replace(sim.load_script("two_link").function(), duration=101.0, dt=1e-3)
    with pytest.raises(ScenarioError, match="101001 samples; at most 100000 are judged"):
        sim.run(replace(scenario, clearance=sim.Clearance()))


@pytest.mark.parametrize(
    "request_",
    [{"wanted": -1}, {"wanted": np.nan}, {"floor": "low"}, {"exclude": ["ab"]}, {"exclude": 3}],
)
def test_a_request_that_cannot_be_is_refused(request_):
    with pytest.raises(ScenarioError, match="clearance: "):
        sim.Clearance(**request_)


def test_a_flat_part_is_named_with_its_mesh(tmp_path):
    robot = arm_of_mesh(tmp_path, 1)
    with pytest.raises(ModelError, match=r"link 'arm': mesh .*flat\.stl has a part without volume"):
        pieces_of(robot)


def test_a_mesh_in_millimetres_is_no_arm_of_400_metres(tmp_path):
    robot = arm_of_mesh(tmp_path, 400)
    with pytest.raises(ModelError, match=r'stl is 400 m large; .* scale="0.001 0.001 0.001"'):
        pieces_of(robot)


def arm_of_mesh(tmp_path, size):
    """A robot whose arm is one triangle."""
    (tmp_path / "flat.stl").write_text(
        f"solid flat\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex {size} 0 0\n"
        f"vertex 0 {size} 0\nendloop\nendfacet\nendsolid flat\n"
    )
    return robot_of(
        tmp_path,
        link("base"),
        link("arm").replace(
            "</link>",
            '<visual><geometry><mesh filename="flat.stl"/></geometry></visual></link>',
        ),
        joint("turn", "continuous", "base", "arm"),
    )


def test_without_coal_the_remedy_is_named(monkeypatch):
    def missing(name):
        raise ImportError(name)

    scenario = replace(sim.load_script("two_link").function(), clearance=sim.Clearance())
    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(SimError, match=r"pip install 'sim\[clearance\]'"):
        sim.run(scenario)
