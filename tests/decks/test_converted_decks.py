"""`sim convert` and `sim run` of a deck: files that can be edited, and the same run."""

import numpy as np
import pytest

from sim.decks import convert, deck_model
from sim.recording import facts_of, request_facts
from sim.scenario import load_script
from tests.decks.decks_of_tests import PENDULUM, SLIDERS, TYPED
from tests.decks.test_deck_fields import BEAM, FIELDS
from tests.decks.test_deck_joints import SCREW, SHAFTS
from tests.decks.test_deck_loops import DRIVE, four_bar
from tests.decks.test_loose_decks import BALL
from tests.helpers.solved_models import solved

FILES = ["model.py", "model.skipped.txt", "model.urdf"]

# A bit of everything: motions at each level, splines, forces of all kinds, odd names.
FULL = SLIDERS.format(
    force=TYPED
    + """
!  adams_view_name='the "arm" \\ 3'
PART/4, MASS = 500, CM = 41, IP = 1E5, 2E5, 3E5, 1E4, 2E4, -3E4, QG = 0, 300, 0
MARKER/41, PART = 4, QP = 100, 0, 0, REULER = 0.1, 0.2, 0.3
MARKER/42, PART = 4
MARKER/22, PART = 2, QP = 0, 300, 0
MARKER/5, PART = 1, QP = 10, 20, 30
MARKER/6, PART = 1, FLOATING
JOINT/3, REVOLUTE, I = 42, J = 22, ICROT = 10D, 0.001
MOTION/1, JOINT = 2, TRANSLATIONAL, FUNCTION = 700 + AKISPL(TIME, 0, 3)
SPLINE/3, X = 0, 10, 20, 30, 40, 50
, Y = 0, 10, 30, 20,
, 10, 5
BUSHING/1, I = 42, J = 22, KT = 0, 0, 5000, CT = 0, 0, 100
VFORCE/2, I = 41, JFLOAT = 6, RM = 5, FX = -0.01*VX(41)*1E3\\ FZ = SIN(TIME/100)
GFORCE/2, I = 41, JFLOAT = 6, RM = 5, TX = 3*SFORCE(1,0,1,5)
REQUEST/1, DISPLACEMENT, I = 41, J = 5, RM = 22
REQUEST/2, F2 = JOINT(3,1,1,5) \\ F3 = 2*ACCX(41) - VARVAL(8) \\ F4 = SFORCE(1,0,1,0)
REQUEST/3, FORCE, I = 42, J = 22
VARIABLE/8, FUNCTION = 3
PINPUT/1, VARIABLES = 8
FRICTION/1, JOINT = 1, MU_STATIC = 0.2, MU_DYNAMIC = 0.1, INITIAL_OVERLAP = 30
ACCGRAV/JGRAV = -0.00980665"""
)


@pytest.fixture(scope="module")
def full():
    return deck_model(FULL, "model.adm")


@pytest.fixture(scope="module")
def direct(full):
    return solved(full.scenario(0.02))


def test_the_script_gives_the_run_of_the_deck(full, direct, tmp_path):
    paths = convert(full, tmp_path / "new" / "folder")
    assert sorted(path.name for path in paths) == FILES
    scenario, _ = load_script(str(paths[1])).build({"duration": "0.02"})
    own = full.scenario()
    assert scenario.notes == own.notes
    assert [*map(facts_of, scenario.forces)] == [*map(facts_of, own.forces)]
    assert [*map(request_facts, scenario.requests)] == [*map(request_facts, own.requests)]
    assert [joint.friction_law for joint in scenario.robot.joints] == [
        joint.friction_law for joint in own.robot.joints
    ]
    assert sum(name.startswith("request.") for name in direct) == 7 + 3 + 8
    found = solved(scenario)
    assert list(found) == list(direct)
    for channel in found:
        np.testing.assert_array_equal(found[channel], direct[channel])


KINDS = {
    "a screw": SCREW.format(i=10, j=20, pitch=60),
    "a joint of constant velocity": SHAFTS.format(first="-90D", i=22, j=33),
    "a beam": FIELDS.format(x=101, y=2, z=3, turned="0, 0, 0.1", law=BEAM),
    "a ball": BALL.format(i=1, j=20, side=0),
    "a loop with a request": four_bar(
        "SPHERICAL", f"{DRIVE}\nREQUEST/2, F2 = JOINT(1,0,2,11)\\F3 = FX(31,41)"
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_script_of_every_kind_gives_the_run_of_its_deck(kind, tmp_path):
    model = deck_model(KINDS[kind], "model.adm")
    convert(model, tmp_path)
    scenario, _ = load_script(str(tmp_path / "model.py")).build({"duration": 0.02, "dt": 0.01})
    found, direct = solved(scenario), solved(model.scenario(0.02, 0.01))
    assert list(found) == list(direct)
    for channel in found:
        np.testing.assert_array_equal(found[channel], direct[channel])


def test_starts_and_drives_are_in_si_units(direct):
    columns = direct
    assert columns["q.JOINT_3"][0] == pytest.approx(np.deg2rad(10))
    assert columns["qd.JOINT_3"][0] == pytest.approx(1.0)  # 0.001 rad/ms
    # through the points of the spline [ms], [mm]
    assert columns["q.JOINT_2"] == pytest.approx([0.7, 0.71, 0.73])


def test_a_deck_is_converted_by_the_command(sim_command, tmp_path):
    (tmp_path / "model.adm").write_text(PENDULUM, encoding="utf-8")
    done = sim_command("convert", "model.adm", "out")
    assert (done.status, done.err) == (0, "")
    assert done.out.split() == [f"out/model.{end}" for end in ("urdf", "py", "skipped.txt")]
    assert "GRAPHICS (1): a picture" in (tmp_path / "out" / "model.skipped.txt").read_text()
    assert sim_command("convert", "model.adm", "out").status == 0  # its own are replaced
    (tmp_path / "out" / "model.py").write_text("mine = 1\n")
    done = sim_command("convert", "model.adm", "out")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert (tmp_path / "out" / "model.py").read_text() == "mine = 1\n"


def test_of_a_bad_deck_nothing_is_written(sim_command, tmp_path):
    (tmp_path / "model.adm").write_text(PENDULUM.replace("J = 0202", "J = 7"), encoding="utf-8")
    for command in (("convert", "model.adm", "out"), ("run", "model.adm", "--out", "out")):
        done = sim_command(*command)
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
        assert "model.adm, line 22, JOINT/1: J = 7: there is no MARKER/7" in done.err
        assert not (tmp_path / "out").exists()
    done = sim_command("run", "nothing.adm")
    assert (done.status, done.err.count("\n")) == (2, 1)


def test_both_engines_run_a_deck_and_a_run_is_repeated(sim_command, tmp_path):
    (tmp_path / "model.adm").write_text(PENDULUM, encoding="utf-8")
    short = ("--set", "duration=0.1", "--no-report")
    done = sim_command("run", "model.adm", "--engine", "both", "--out", "both", *short)
    assert done.status == 0
    assert "1 of 1 pass with both engines" in done.out
    done = sim_command("run", "--from", "both/bullet", "--no-report", "--json")
    assert done.document["repeats"]["same"] is True
