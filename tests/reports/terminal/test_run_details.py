import math
import re
from pathlib import Path

import msgspec
import pytest

from sim.checks import judge_recording
from sim.comparison import compare
from sim.motion import JointMotion
from sim.recording.schema.facts import SourceErrorFacts
from sim.reports.terminal.compared import comparison
from sim.reports.terminal.run_details import details
from sim.reports.terminal.summary import summary
from sim.reports.terminal.tables import FittedTable
from sim.robots import load_robot
from sim.scenario import Claim, Scenario
from sim.simulation import run
from tests.helpers.short_runs import SMOOTH, arm, short_run, spoiled
from tests.helpers.small_robots import geared, lift
from tests.helpers.synthetic_runs import with_reference
from tests.helpers.terminal_texts import line_of, printed

K = 130

CLAIMS = (
    Claim("torques stay within their ratings", "table 2", "tau.*", "peak_within_rating"),
    Claim("energy peaks late", "section 4", "ke.*", "time_of_peak", 9.0, 0.1),
    Claim("the wheel is fast", "section 5", "qd.wheel", "time_of_peak", 1.0, 0.1),
)


def told(recording, folder=None, width=140):
    return printed(details(judge_recording(recording), folder), width)


@pytest.fixture(scope="module")
def good():
    return short_run().with_description(parameters={"load": 0.5})


def test_a_good_run_is_told_in_one_line_with_its_settings(good):
    lines = told(good).splitlines()
    robot = good.run.robot.name
    assert lines[0].split() == f"swing {robot}, stepped, 0.3 s at 1 ms, load = 0.5".split()
    count = len(judge_recording(good).run.checks)
    assert lines[-1] == f"swing  pass   {count} of {count} checks passed"


def test_every_joint_has_its_agreement_and_its_ratings(good):
    text = told(good)
    shoulder = line_of(text, "shoulder")
    tau, qd = (good.recorded[f"{c}.shoulder"].abs().max() for c in ("tau", "qd"))
    assert f"{tau:.4g} of 30 N·m" in shoulder
    assert f"{100 * tau / 30:.0f} %" in shoulder
    assert f"{math.degrees(qd):.4g} of 171.9 °/s" in shoulder
    assert "0 … 15 of ±171.9 °" in shoulder
    assert "of peak" in shoulder
    assert "rad/s" in shoulder
    line_of(text, "elbow")


def test_every_link_has_its_energy(good):
    text = told(good)
    for link in ("upper_arm", "forearm", "payload"):
        peak = good.recorded[f"ke.{link}"].max()
        assert f"{peak:.4g} J" in line_of(text, link)


def test_every_kind_of_check_is_counted_with_the_one_nearest_to_its_limit(good):
    text = told(good)
    assert "2 of 2 passed" in line_of(text, "torque")
    assert "3 of 3 passed" in line_of(text, "kinetic", "energy")
    assert "2 of 2 passed" in line_of(text, "step", "halving")
    assert "1 of 1 passed" in line_of(text, "energy", "balance")
    rated = line_of(text, "rated", "torque")
    assert "tau.shoulder" in rated
    assert " 30 " in rated
    assert "failed" not in text


def test_a_failure_is_told_with_channel_size_unit_time_and_limit(good):
    text = told(spoiled(good, "tau.elbow", 0.5, K))
    assert text.splitlines()[-1].startswith("swing  fail   ")
    line = line_of(text, "failed", "torque", "tau.elbow:")
    assert line.startswith("failed   torque tau.elbow: 0.5 N·m at 0.13 s, limit ")
    assert line.endswith(" N·m")
    assert "1 of 2 passed" in line_of(text, "torque")


def test_a_failure_beside_a_reference_tells_what_its_limit_is_made_of(good):
    theirs = good.recorded[["tau.elbow"]] + 2.0
    own = SourceErrorFacts(errors={"tau.*": 0.5}, reason="it is known")
    text = told(with_reference(good, theirs, own=own), width=200)
    line = line_of(text, "failed", "reference", "tau.elbow:")
    assert "limit 1.5 N·m (1 N·m, 0.5 N·m error of the source (it is known))" in line


def test_values_that_are_no_numbers_are_told_too(good):
    text = told(spoiled(good, "tau.elbow", math.nan, K))
    assert "failed   finite numbers tau.elbow: 1 at 0.13 s" in text
    assert "failed   torque tau.elbow: nan N·m at 0.13 s" in text


def test_claims_are_told_shown_refuted_and_about_nothing():
    scenario = Scenario(arm(), JointMotion.displacement(SMOOTH), 0.3, claims=CLAIMS)
    recording = run(scenario, name="claims")
    text, late = told(recording), recording.recorded["ke.forearm"].idxmax()
    assert "claim    “torques stay within their ratings” (table 2): reproduced\n" in text
    assert "claim    “energy peaks late” (section 4): reproduced for 0 of 3 links" in text
    assert f"ke.forearm: {late:.4g} s here, 9 s in the source" in text
    assert "“the wheel is fast” (section 5): not evaluated: the run has no such channel" in text


def test_warnings_of_the_linter_are_told_with_their_joint():
    motion = JointMotion.displacement({"elbow": "STEP(time, 0, 0, 0.2, 1d)"})
    text = told(run(Scenario(arm(), motion, 0.3)))
    assert "warning  elbow: STEP at displacement level" in text


def test_what_is_assumed_of_the_robot_is_told(good):
    robot = msgspec.structs.replace(good.run.robot, assumed=("the base weighs 4 kg",))
    assert "assumed  the base weighs 4 kg" in told(good.with_description(robot=robot))


def test_the_files_are_told_on_one_line_however_long_their_path_is(good):
    folder = Path("/a" * 150)
    text = told(good.with_description(figures=("torque.png",)), folder, width=80)
    assert f"files    {folder}  (torque.png)\n" in text
    assert "files" not in told(good)


@pytest.fixture(scope="module")
def long_names():
    """A short run of a robot whose joints have names of twenty letters."""
    robot = load_robot("ur10").with_payload(mass=5)
    drives = {"shoulder_pan_joint": "STEP5(time, 0, 0, 0.05, -1d)"}
    motion = JointMotion.displacement(drives, q0=robot.pose("home"))
    return judge_recording(run(Scenario(robot, motion, 0.05), name="x"))


def rows_of(text):
    """The words of each row of a printed table."""
    lines = text.splitlines()
    (rule,) = [k for k, line in enumerate(lines) if "───" in line]
    rest = range(rule + 1, len(lines))
    end = next(
        (k for k in rest if not lines[k].strip() or lines[k].startswith("hidden ")), len(lines)
    )
    return [line.split() for line in lines[rule + 1 : end]]


@pytest.mark.parametrize("width", [80, 100, 120])
def test_every_table_fits_the_terminal_with_its_numbers_and_names_whole(long_names, width):
    tables = [part for part in details(long_names, None) if isinstance(part, FittedTable)]
    tables.append(summary(long_names, None)[1])
    tables.append(comparison(compare(long_names, long_names), "x")[1])
    assert len(tables) == 8  # joints, links, drives, weight, energies, checks; joints; channels
    for one in tables:
        narrow = printed([one], width)
        assert max(map(len, narrow.splitlines())) <= width
        for words, all_words in zip(rows_of(narrow), rows_of(printed([one], 1000)), strict=True):
            rest = iter(all_words)
            assert all(word in rest for word in words), words  # in order, none cut


def test_a_narrow_terminal_loses_no_name(good):
    wide, narrow = (told(good, width=width) for width in (140, 60))
    # sentences are left to the terminal to break, so that paths in them stay whole
    tables = [line for line in narrow.splitlines() if not line.startswith(("sizing", "rating"))]
    assert max(map(len, tables)) <= 60
    assert "…" not in narrow.replace(" … ", "")
    for word in ("shoulder", "N·m", "Newton-Euler", "upper_arm", "halving"):
        assert word in wide
        assert word in narrow


def test_a_limit_leaves_the_checks_that_failed_and_those_nearest_to_their_limits(good):
    bad = judge_recording(spoiled(spoiled(good, "tau.elbow", 0.5, K), "pe", 9.0, K))
    text = printed(details(bad, None, 2))
    told_of = text[text.index("closest to limit") :]
    rows = [" ".join(words) for words in rows_of(told_of)]
    counts = [re.search(r"(\d+) of (\d+) passed", line).groups() for line in rows]
    assert [passed < of for passed, of in counts] == [True, True]
    lost = printed(details(judge_recording(spoiled(good, "pe", math.nan, K)), None, 1))
    (row_,) = rows_of(lost[lost.index("closest to limit") :])
    assert re.search(r"(\d+) of \d+ passed", " ".join(row_))[1] == "0"
    assert "hidden rows (limit 2): 1 of 3" in text  # the links
    passing = printed(details(judge_recording(good), None, 1))
    nearest = max((c for c in judge_recording(good).run.checks), key=lambda c: c.used or 0.0)
    assert f" {nearest.name} " in passing


def test_a_robot_without_ratings_and_with_a_slide_is_told_in_its_own_units():
    recording = run(Scenario(lift(3.0), JointMotion.velocity({"slide": "0.2"}), 0.05))
    robot, unrated = recording.run.robot, dict.fromkeys(("velocity", "effort", "lower", "upper"))
    joints = (msgspec.structs.replace(robot.joints[0], **unrated),)
    bare = recording.with_description(robot=msgspec.structs.replace(robot, joints=joints))
    line = line_of(told(bare), "slide")
    assert "29.43 N, not rated" in line
    assert "0.2 m/s, not rated" in line
    assert "0 … 0.01 m" in line


def test_a_joint_that_follows_has_no_row_of_its_own_and_no_torque_is_no_division_by_zero():
    recording = run(Scenario(geared(1.0, 1.0, 2.0), JointMotion.velocity({"input": 0}), 0.05))
    text = told(recording)
    assert "0 of 1000 N·m" in line_of(text, "input")
    assert not [line for line in text.splitlines() if line.startswith("output")]
