"""A motion that makes much of its start: a double pendulum let go high, without friction."""

import re
from functools import cache

import msgspec
import numpy as np
import pytest

from sim import shipped
from sim.checks import check, judge_recording
from sim.checks.error_propagation import instants
from sim.engines import EngineDynamics
from sim.motion import JointMotion
from sim.recording import Recording
from sim.recording.schema.facts import NeighbourFacts
from sim.recording.schema.horizon import ASIDE, horizon
from sim.reports.run_warnings import warnings
from sim.reports.terminal.run_details import outcome
from sim.robots import read_urdf
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.controlled_runs import controlled_four_bar
from tests.helpers.short_runs import spoiled, with_settings
from tests.helpers.small_robots import crane

DURATION = 11.0  # [s]; what rounding leaves has grown by eleven powers of ten then


def let_go(start=(2.9, 2.0), duration=DURATION, dt=0.01):
    """The two-link arm, its joints without ends and ratings, from `start` [rad]."""
    text = (shipped.scenarios() / "two_link.urdf").read_text("utf-8")
    text = re.sub(r"<limit [^>]*/>", "", text).replace('"revolute"', '"continuous"')
    motion = JointMotion.displacement({}, q0=list(start), free=["shoulder", "elbow"])
    return Scenario(read_urdf(text), motion, duration, dt=dt, method="adaptive")


@cache
def chaotic():
    return judge_recording(run(let_go()))


def failed(recording):
    return {one.name for one in check(recording) if not one.ok}


def test_accelerations_that_a_controller_makes_jump_are_not_integrated():
    """Where a bit of an encoder flips, engine and model part too; commands jump at each sample."""
    recording = controlled_four_bar()
    several = (0.1, 0.2, 0.3)
    apart = NeighbourFacts(aside=ASIDE, t=several, position=(0, 0, 0), velocity=(0, 0, 0))
    found = check(with_settings(recording, neighbour=apart))
    names = {one.name for one in found}
    assert "Lagrange and Newton-Euler of engine" in names
    assert not {"velocity from acceleration of engine", "position from velocity of engine"} & names
    assert [one.name for one in found if not one.ok] == []


@cache
def tumbling():
    """A load that goes round a ball, and a neighbour that stayed beside it."""
    start, speeds = {"swivel": (2.0, 0.5, 2.2)}, {"swivel": (3, 5, 4)}
    motion = JointMotion.torque({}, q0=start, qd0=speeds, free=["slide", "swivel"])
    free = Scenario(crane("0.02 0.03 0.01"), motion, 1.0, dt=0.01, method="adaptive")
    apart = NeighbourFacts(aside=ASIDE, t=(0.0, 1.0), position=(0, 0), velocity=(0, 0))
    return with_settings(run(free), neighbour=apart)


def test_the_vectors_of_a_ball_are_judged_as_rotations():
    """Their own rate is no angular velocity, and where they are half a turn long they jump."""
    assert np.abs(np.diff(tumbling().recorded["q.swivel.x"])).max() > 2
    assert failed(tumbling()) == set()
    for wrong in (0.02, np.nan):
        late = failed(spoiled(tumbling(), "q.swivel.x", wrong, 70))
        assert "position from velocity of engine" in late


def accelerated(monkeypatch, share):
    """An engine whose accelerations are too large by a share."""

    def wrong(method):
        def asked(self, *arguments, **more):
            qdd, effort = method(self, *arguments, **more)
            return qdd * (1 + share), effort

        return asked

    for name in ("hybrid_dynamics", "at_instant"):
        monkeypatch.setattr(EngineDynamics, name, wrong(getattr(EngineDynamics, name)))


@pytest.mark.rotates(2)
def test_two_right_solutions_of_a_chaotic_motion_pass_and_it_is_said_how_long_they_are_compared():
    found = chaotic()
    apart = np.abs(found.recorded["q.elbow"] - found.analytic["q.elbow"]).to_numpy()
    until = horizon(found.run)
    assert found.run.verdict == "pass"
    assert apart.max() > 1e3 * 1e-7  # the limit, which holds up to the time that is told
    assert 4 < until < 8
    assert apart[found.t <= until].max() < 1e-7
    words = f"compared up to {until:.4g} of {DURATION:g} s"
    assert outcome(found.run).plain.endswith(words)
    assert [text for text in warnings(found.run) if words in text]


def test_the_energy_is_held_to_the_end():
    balance = next(one for one in check(chaotic()) if one.name == "energy balance")
    assert balance.ok
    late = spoiled(chaotic(), "ke", 0.01, -5)
    assert "energy balance" in failed(late)


def test_files_alone_give_the_same_verdict(tmp_path):
    chaotic().write(tmp_path)
    again = judge_recording(Recording.read(tmp_path))
    assert again.run.checks == chaotic().run.checks
    assert again.run.verdict == "pass"


def test_an_engine_that_is_wrong_by_little_is_named(monkeypatch):
    accelerated(monkeypatch, 1e-9)
    names = failed(run(let_go(duration=5.0)))
    assert {"position", "velocity", "Lagrange and Newton-Euler of engine"} <= names
    assert "energy balance" not in names  # so little is no energy: the equations see it


def test_a_wrong_engine_of_a_regular_motion_has_no_excuse(monkeypatch):
    accelerated(monkeypatch, 1e-6)
    found = run(let_go(start=(0.1, 0.0), duration=2.0))
    assert found.run.settings.neighbour is None
    assert {"position", "velocity"} <= failed(found)


@pytest.mark.parametrize(
    ("channel", "change", "name"),
    [
        ("q.elbow", 0.3, "position from velocity of engine"),
        ("q.elbow", 1e-9, "forward kinematics of engine"),
        ("qd.elbow", 3.0, "velocity from acceleration of engine"),
        ("qd.elbow", 1e-9, "forward kinematics of engine"),
        ("qdd.elbow", 1e-6, "forward kinematics of engine"),
        ("tool.x", 1e-9, "forward kinematics of engine"),
        ("reaction.elbow.my", 1e-9, "Lagrange and Newton-Euler of engine"),
    ],
)
def test_what_is_wrong_after_the_last_comparison_is_seen(channel, change, name):
    late = instants(chaotic().t.size)[-50]  # the tool is not looked at in all samples
    assert chaotic().t[late] > horizon(chaotic().run)
    assert name in failed(spoiled(chaotic(), channel, change, late))


def test_what_is_wrong_before_it_is_seen_as_ever():
    assert "position" in failed(spoiled(chaotic(), "q.elbow", 1e-6, 100))


@pytest.mark.parametrize(
    "change",
    [
        {"aside": 1e-9},
        {"position": (1.0,) * 400},  # nothing is left to compare
        {"velocity": (0.0,)},
        {"t": (0.0,) * 400},
    ],
)
def test_a_neighbour_that_was_not_so_is_named(change):
    neighbour = msgspec.structs.replace(chaotic().run.settings.neighbour, **change)
    assert "neighbouring start" in failed(with_settings(chaotic(), neighbour=neighbour))


def test_a_pendulum_on_its_head_falls_away_as_a_hyperbolic_cosine():
    """θ'' = λ² θ: a start aside is ASIDE cosh(λ t) off; recorded is something that is far off."""
    from sim.simulation import build_problem
    from sim.simulation.model_answer import model_answer
    from sim.simulation.run import neighbour_of
    from sim.simulation.table import tables

    text = """<robot name="p"><link name="base"/><link name="bob"><inertial>
      <origin xyz="0 0 -0.5"/><mass value="2"/>
      <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/>
      <axis xyz="0 1 0"/></joint></robot>"""
    rate = np.sqrt(2 * 9.81 * 0.5 / (2 * 0.25 + 1e-3))
    motion = JointMotion.displacement({}, q0=[np.pi], free=["hinge"])
    problem = build_problem(
        Scenario(
            read_urdf(text), motion, 4.0, dt=0.01, method="adaptive", gravity=(0.0, 0.0, -9.81)
        )
    )
    (analytic,) = tables(problem, model_answer(problem))
    found = neighbour_of(problem, analytic.frame() + 1.0, analytic)
    wanted = np.pi * ASIDE * np.cosh(rate * np.array(found.t))
    q = np.array(found.position)
    small = (wanted > 1e-10) & (wanted < 1e-3)
    # the start is π to rounding, and its last digit is a tenth of a per cent of ASIDE
    np.testing.assert_allclose(q[small], wanted[small], rtol=2e-2)
    np.testing.assert_allclose(np.array(found.velocity)[small], rate * wanted[small], rtol=2e-2)
