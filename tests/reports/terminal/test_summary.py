import re
from pathlib import Path

import msgspec
import pytest

from sim.checks import judge_recording
from sim.motion import JointMotion
from sim.recording import Recording
from sim.recording.schema.facts import ClaimFacts
from sim.recording.schema.verdicts import ClaimResult
from sim.reports.terminal.many_runs import head, row, tally
from sim.reports.terminal.run_details import details
from sim.reports.terminal.sentences import label_sentence
from sim.reports.terminal.summary import summary
from sim.robots import load_robot
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.short_runs import arm, short_run, spoiled
from tests.helpers.small_robots import lift
from tests.helpers.terminal_texts import printed

CLAIM = ClaimFacts(
    text="a claim of many words " * 20,
    source="a book",
    channel="no.*",
    statistic="time_of_peak",
    value=1.0,
    within=0.1,
)
LINES, COLUMNS = 24, 80  # of a terminal as it opens


def told(recording, folder=None, width=COLUMNS):
    return printed(summary(judge_recording(recording), folder), width)


@pytest.fixture(scope="module")
def good():
    return short_run()


@pytest.fixture(scope="module")
def six_joints():
    """A short run of an arm whose names are long, with a drive that lacks its degrees."""
    robot = load_robot("ur10").with_payload(mass=5)
    drives = {
        "shoulder_pan_joint": "STEP5(time, 0, 0, 0.5, 40)",
        "elbow_joint": "STEP(time, 0, 0, 0.5, 1d)",
    }
    motion = JointMotion.displacement(drives, q0=robot.pose("home"))
    return judge_recording(run(Scenario(robot, motion, 0.5), name="six")).with_description(
        parameters={f"parameter_{k}": 1.2345678 * k for k in range(8)},
        notes=tuple("a note of many words " * 20 + str(k) for k in range(4)),
        claims=(CLAIM,) * 2,
        page="report.html",
    )


def test_all_that_can_be_said_of_six_joints_fits_a_terminal_and_the_verdict_is_last(six_joints):
    text = told(six_joints, Path("results/runs/six/20260101T000000.000"))
    lines = text.splitlines()
    assert six_joints.run.verdict == "fail"
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= COLUMNS
    assert lines[-1].startswith("six  fail   ")


@pytest.mark.parametrize("width", [80, 100, 120])
def test_torque_speed_and_range_of_each_joint_are_there_at_every_width(six_joints, width):
    lines = told(six_joints, width=width).splitlines()
    assert max(map(len, lines)) <= width
    heading = next(line.split() for line in lines if line.split()[:1] == ["joint"])
    assert {"torque", "speed", "range"} <= set(heading)
    for joint in six_joints.run.robot.joints:
        (line,) = [line for line in lines if line.split()[:1] == [joint.name]]
        peak = six_joints.recorded[f"tau.{joint.name}"].abs().max()
        assert f" {round(peak, 9):.4g} N·m " in line
        assert f"{100 * peak / joint.effort:.0f} %" in line
        assert " … " in line


def test_degrees_that_are_missing_are_told_whole_and_before_the_verdict(six_joints):
    (warning,) = {w for d in six_joints.run.drives if d.joint == "elbow_joint" for w in d.warnings}
    text = " ".join(told(six_joints).split())
    assert f"elbow_joint: {warning}" in text
    missing = next(d.warnings for d in six_joints.run.drives if d.joint == "shoulder_pan_joint")
    assert missing
    assert all(one in text for one in missing)


def test_too_much_payload_is_a_warning_and_no_note(good):
    heavy = good.with_description(notes=("Overload: it carries 12 kg", "of mine"))
    for account in (summary, details):
        text = printed(account(judge_recording(heavy), None), COLUMNS)
        assert "\nwarning  Overload: it carries 12 kg\n" in text
        assert "\nnote     of mine\n" in text
        assert text.count("Overload") == 1


def test_the_first_failures_are_told_and_how_many_more_there_are(good):
    bad = good
    for channel in ("tau.elbow", "qd.elbow", "q.elbow", "ke", "pe"):
        bad = spoiled(bad, channel, 9.0, 130)
    text = told(bad)
    failures = [check for check in judge_recording(bad).run.checks if not check.ok]
    first = re.findall(r"^failed   (?!and)", text, re.MULTILINE)
    (more,) = re.findall(r"^failed   and (\d+) more: --verbose shows all$", text, re.MULTILINE)
    assert len(first) + int(more) == len(failures)
    count = len(judge_recording(bad).run.checks)
    assert (
        f"swing  fail   {count - len(failures)} of {count} checks passed; first failure at " in text
    )
    assert text.splitlines()[-1].endswith(" failure at 0.13 s")


def test_what_holds_hardly_is_told_with_its_share():
    (elbow,) = [joint for joint in short_run().run.robot.joints if joint.name == "elbow"]
    speed = 0.95 * elbow.velocity
    motion = JointMotion.velocity({"elbow": f"STEP5(time, 0, 0, 0.1, {speed})"})
    text = told(run(Scenario(arm(), motion, 0.1), name="x"))
    assert "close to limit: rated speed: qd.elbow at 95 % (0.1 s)" in text
    assert "close to limit" not in told(short_run())


def test_repairs_assumptions_and_claims_take_a_line_each(good):
    result = ClaimResult(
        text="it is so",
        source="a",
        channel="pe",
        ok=False,
        found=1.0,
        expected=2.0,
        unit="J",
        within=0.1,
        at=None,
    )
    robot = msgspec.structs.replace(good.run.robot, assumed=("one", "two"))
    text = told(good.with_description(robot=robot, claim_results=(result,)))
    assert "robot    2 assumptions: --verbose shows all\n" in text
    assert "robot    " not in told(good)


def test_paths_stay_whole_and_page_and_folder_have_a_line_each(good):
    folder = Path("/a" * 150)
    lines = told(good.with_description(page="report.html"), folder).splitlines()
    assert lines[-3:-1] == [f"page     {folder}/report.html", f"folder   {folder}"]


def test_a_slide_without_ratings_is_told_in_its_own_units():
    recording = run(Scenario(lift(3.0), JointMotion.velocity({"slide": "0.2"}), 0.05))
    unrated = dict.fromkeys(("velocity", "effort", "lower", "upper"))
    joints = (msgspec.structs.replace(recording.run.robot.joints[0], **unrated),)
    robot = msgspec.structs.replace(recording.run.robot, joints=joints)
    (line,) = [
        line
        for line in told(recording.with_description(robot=robot), None, 100).splitlines()
        if line.startswith("slide ")
    ]
    assert line.split() == "slide 29.43 N – – 0.2 m/s – – 0 … 0.01 m –".split()


def test_a_sentence_is_broken_between_words_alone():
    lines = printed([label_sentence("note", "12345.678901 N·m " * 20)], COLUMNS).splitlines()
    assert max(map(len, lines)) <= COLUMNS
    assert {word for line in lines for word in line.split()} == {"note", "12345.678901", "N·m"}
    assert all(line.startswith(" " * 9) for line in lines[1:])
    short = printed(
        [label_sentence("note", "12345.678901 N·m " * 20, rows=2)], COLUMNS
    ).splitlines()
    assert len(short) == 2
    assert short[1].endswith(" …")


def test_several_runs_are_a_row_each_and_a_line_for_all(good):
    bad = judge_recording(spoiled(good, "tau.elbow", 0.5, 130))
    names = ["swing", "a_scenario_with_a_long_name"]
    above = printed([head(names)], COLUMNS)
    text = printed(row(judge_recording(good), names), COLUMNS)
    assert len(text.splitlines()) == 1
    assert text.index("pass") == above.index("verdict")
    lines = printed(row(bad, names), COLUMNS).splitlines()
    assert lines[0].split()[:2] == ["swing", "fail"]
    assert lines[1].startswith("failed   torque times speed power.elbow: ")
    assert max(map(len, lines)) <= COLUMNS
    assert printed([tally([("swing", True)] * 2)], COLUMNS) == "2 of 2 pass\n"
    assert (
        printed([tally([("arm", True), ("swing", False)])], COLUMNS)
        == "1 of 2 pass; failed: swing\n"
    )


def test_the_readme_shows_what_the_demo_prints(shipped_run):
    """All but the page and the folder, which a run with a page of today has."""
    recording = Recording.read(shipped_run("ur10_step"))
    readme = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
    (shown,) = re.findall(r"^```\n(ur10_step .*?)^```", readme, re.M | re.S)
    wanted = re.sub(r"^(page|folder) .*\n", "", shown, flags=re.M)
    lines = printed(summary(recording, None), 80).splitlines()
    assert [line.rstrip() for line in lines] == wanted.splitlines()
