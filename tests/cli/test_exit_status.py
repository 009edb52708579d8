"""Every exit status: 1 and 3 for what a run can do, 2 with one clear line for every bad input."""

import re
from typing import NamedTuple

import pytest

from sim.cli import run_scripts
from sim.errors import EngineError
from tests.cli.command_runs import FAST, runs
from tests.helpers.command_scripts import DRIVES, URDF, script_text, write_swing

UPPER_MASS = '<mass value="2.4"/>'
UPPER_INERTIA = 'ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.001"'
ELBOW = '<joint name="elbow" type="revolute">'
# 5e6 rad/s swings the arm with more than a motor of the engine can hold, 1e12 N·m
IMPOSSIBLE = '{"elbow": "5e6*time"}'


def drive(text):
    return f'{{"elbow": "{text}"}}'


class Case(NamedTuple):
    """Arguments of the command, the files it finds, and what the message must say."""

    says: tuple[str, ...]
    arguments: tuple[str, ...] = ("run", "swing.py")
    files: tuple[tuple[str, str], ...] = ()
    lines: int = 1


def run(*says, **more):
    return Case(says, **more)


def with_drives(drives, *says, level="displacement", **more):
    return Case(says, files=(("swing.py", script_text(drives, level)),), **more)


def with_urdf(old, new, *says, **more):
    assert URDF.count(old) >= 1
    return Case(says, files=(("arm.urdf", URDF.replace(old, new, 1)),), **more)


def with_body(body, *says, arguments=("run", "swing.py")):
    text = f"import sim\n\n\ndef scenario():\n    {body}\n"
    return Case(says, arguments, (("swing.py", text),))


def setting(*pairs, says):
    return Case(says, ("run", "swing.py", *(word for p in pairs for word in ("--set", p))))


HELD = "robot, sim.JointMotion.displacement({})"
ROBOT = "robot = sim.load_robot('ur10')\n    "

CASES = {
    # names
    "unknown scenario": run(
        "'ur10_stepp'", "did you mean 'ur10_step'", "two_link", arguments=("run", "ur10_stepp")
    ),
    "missing script": run("nowhere.py does not exist", arguments=("run", "nowhere.py")),
    "no scenario named": run("--all", "ur10_step", arguments=("run",)),
    "names and all": run("--all", arguments=("run", "swing.py", "--all")),
    "unknown joint": with_drives(
        '{"knee": "time"}', "Motion for joint 'knee'", "shoulder, elbow"
    ),
    "two motions for one joint": with_body(
        ROBOT + "motion = sim.JointMotion.velocity({'elbow_joint': 1})\n"
        "    return sim.Scenario(robot, motion | motion, duration=1.0)",
        "'elbow_joint' has two motions",
    ),
    "driven and free": with_body(
        ROBOT + "motion = sim.JointMotion.velocity({'elbow_joint': 1}, free=['elbow_joint'])\n"
        "    return sim.Scenario(robot, motion, duration=1.0)",
        "'elbow_joint' is both driven and free",
    ),
    "free joint for method ideal": with_body(
        ROBOT + "motion = sim.JointMotion.velocity({}, free=['elbow_joint'])\n"
        "    return sim.Scenario(robot, motion, duration=0.1, method='ideal')",
        "'elbow_joint' is free", "'stepped'",
    ),
    "start position of an unknown joint": with_body(
        ROBOT + "motion = sim.JointMotion.velocity({}, q0={'knee': 1})\n"
        "    return sim.Scenario(robot, motion, duration=1.0)",
        "q0 for joint 'knee'", "elbow_joint",
    ),
    "unknown robot": with_body("return sim.load_robot('ur11')", "'ur11'", "did you mean 'ur10'"),
    "unknown pose": run(
        "Pose 'lying'", "upright", arguments=("run", "ur10_step", "--set", "start=lying")
    ),
    "unknown parameter": setting("laod=1", says=("'laod'", "did you mean 'load'", "load=0.5")),
    # expressions
    "unknown function": with_drives(
        drive("STEPP(time, 0, 0, 1, 1)"), "'elbow'", "STEPP", "STEP", lines=3
    ),
    "unclosed parenthesis": with_drives(drive("STEP(time, 0, 0, 1, 1"), "'elbow'", lines=3),
    "two operators": with_drives(drive("2 + * 3"), "'elbow'", "2 + * 3", lines=3),
    "empty expression": with_drives(drive(""), "'elbow'", lines=3),
    "too few arguments": with_drives(drive("STEP(time, 0, 0)"), "'elbow'", "STEP", lines=3),
    "unknown variable": with_drives(drive("2 * tiem"), "'elbow'", "tiem", lines=3),
    "division by zero in mid-run": with_drives(
        drive("1 / (time - 0.05)"), "'elbow'", "not finite", " s"
    ),
    "root of a negative in mid-run": with_drives(
        drive("SQRT(0.05 - time)"), "'elbow'", "not finite", " s"
    ),
    "infinite speed in mid-run": with_drives(
        drive("SQRT(ABS(time - 0.05))"), "'elbow'", "velocity is not finite at t = 0.05 s"
    ),
    "number that is not finite": with_drives('{"elbow": float("nan")}', "'elbow'", "nan"),
    "no drive at all": with_drives('{"elbow": None}', "'elbow'", "None"),
    "array without times": with_drives('{"elbow": [0, 1, 2, 3]}', "'elbow'", "times"),
    # robots
    "missing urdf": run(
        "elsewhere.urdf", "does not exist",
        files=(("swing.py", script_text().replace("arm.urdf", "elsewhere.urdf")),),
    ),
    "malformed urdf": with_urdf("</robot>", "", "arm.urdf, line ", "not an XML document"),
    "no urdf at all": run("arm.urdf", files=(("arm.urdf", "hello"),)),
    "negative mass": with_urdf(UPPER_MASS, '<mass value="-2.4"/>', "'upper_arm'", "-2.4 kg"),
    "mass that is no number": with_urdf(UPPER_MASS, '<mass value="nan"/>', "'upper_arm'", "nan"),
    "impossible inertia": with_urdf(
        UPPER_INERTIA, UPPER_INERTIA.replace('izz="0.001"', 'izz="-0.2"'), "'upper_arm'",
    ),
    "zero axis": with_urdf('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', "'shoulder'", "zero"),
    "two roots": with_urdf(
        '<link name="tip"/>',
        '<link name="tip"/><link name="lost"><inertial><mass value="1"/>'
        f"<inertia {UPPER_INERTIA}/></inertial></link>",
        "'lost'",
    ),
    "loop": with_urdf('<parent link="base"/>', '<parent link="forearm"/>', "loop"),
    "two joints of one name": with_urdf(
        '<joint name="tip_joint"', '<joint name="elbow"', "'elbow' is used twice"
    ),
    "two links of one name": with_urdf(
        '<link name="tip"/>', '<link name="forearm"/>', "'forearm' is used twice"
    ),
    "unknown kind of joint": with_urdf(ELBOW, ELBOW.replace("revolute", "hinge"), "'hinge'"),
    # numbers
    "parameter nan": setting("load=nan", says=("'load'", "finite", "nan")),
    "parameter infinite": setting("load=inf", says=("'load'", "finite", "inf")),
    "parameter that is no number": setting("load=heavy", says=("'load'", "'heavy'")),
    "setting without a value": setting("load", says=("name=value", "'load'")),
    "negative payload": setting("load=-1", says=("Payload", "-1 kg")),
    "duration zero": setting("duration=0", says=("duration", "positive", "0.0")),
    "duration negative": setting("duration=-1", says=("duration", "-1.0")),
    "step zero in the script": setting("dt=0", says=("dt", "positive")),
    "step longer than the run": setting("dt=0.3", says=("dt = 0.3 s", "0.1 s")),
    **{
        f"step {word} on the command line": run(
            "dt", word.removesuffix(".0"), arguments=("run", "swing.py", "--dt", word)
        )
        for word in ("0", "-0.001", "nan", "inf", "soon", "1e-12", "0.3")
    },
    "gravity of two numbers": with_body(
        ROBOT + f"return sim.Scenario({HELD}, duration=1.0, gravity=(0, 0))",
        "gravity must be three",
    ),
    "unknown method": run(
        "'exact'", "stepped", "ideal", arguments=("run", "swing.py", "--method", "exact")
    ),
    # scripts
    "syntax error": run(
        "swing.py, line 1: SyntaxError", files=(("swing.py", "def scenario(:\n"),)
    ),
    "script that fails": with_body("return 1 / 0", "swing.py, line 5: ZeroDivisionError"),
    "script without a scenario": run("defines no function", files=(("swing.py", "x = 1\n"),)),
    "script that returns an integer": with_body("return 3", "must return a sim.Scenario", "int"),
    # folders
    "output under a file": run(
        "swing.py is not a folder", arguments=("run", "swing.py", "--out", "swing.py/run")
    ),
    "output onto a file": run(
        "swing.py is not a folder", arguments=("run", "swing.py", "--out", "swing.py")
    ),
    "output under a device": run(
        "/dev/null", arguments=("run", "swing.py", "--out", "/dev/null/x")
    ),
    "output into the kernel": run("/proc/x", arguments=("run", "swing.py", "--out", "/proc/x")),
    "output among other files": run(
        "other contains other files and no run.json",
        arguments=("run", "swing.py", "--out", "other"), files=(("other/notes.txt", "mine"),),
    ),
    "output into the working folder": run(
        "working folder", arguments=("run", "swing.py", "--out", ".")
    ),
    "name longer than any": run("x" * 300, arguments=("run", "x" * 300 + ".py")),
    # runs
    "no such run to check": run("'nothing'", arguments=("check", "nothing")),
    "no such run to compare": run("'nothing'", arguments=("compare", "nothing")),
    "no such run to accept": run("'nothing'", arguments=("accept", "nothing", "--reason", "x")),
    "a folder that is no run": run(
        "other is not a run", arguments=("check", "other"), files=(("other/notes.txt", "mine"),)
    ),
    "a run of something else": run(
        "run.json", "scenario", arguments=("check", "other"), files=(("other/run.json", "{}"),)
    ),
    "a run that is no JSON": run(
        "run.json", "JSON", arguments=("check", "other"), files=(("other/run.json", "?"),)
    ),
    # the command itself
    "unknown command": run("simulate", arguments=("simulate",)),
    "unknown option": run("--fast", arguments=("run", "swing.py", "--fast")),
    "accept without a reason": run("--reason", arguments=("accept", "swing")),
    "check without a run": run("RUN", arguments=("check",)),
}  # fmt: skip


def tree(folder):
    return {p: p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_bad_input_is_one_clear_line_and_leaves_nothing_behind(sim_command, tmp_path, case):
    write_swing(tmp_path)
    for name, text in case.files:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    before = tree(tmp_path)
    done = sim_command(*case.arguments)
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith("sim")
    assert done.err.endswith("\n")
    assert done.err.count("\n") == case.lines, done.err
    assert "Traceback" not in done.err
    for words in case.says:
        assert words in done.err
    assert tree(tmp_path) == before


def test_the_untouched_files_of_these_cases_are_good_input(sim_command, tmp_path):
    write_swing(tmp_path, drives=DRIVES)
    assert sim_command("run", "swing.py", "--no-report").status == 0


def test_json_says_nothing_on_stdout_when_there_is_nothing_to_say(sim_command):
    done = sim_command("run", "nothing", "--json")
    assert (done.status, done.out) == (2, "")


def test_a_run_that_is_found_wanting_is_recorded_and_ends_with_one(sim_command, swing):
    write_swing(swing, drives=FAST)
    done = sim_command("run", "swing.py", "--json", "--no-report")
    assert (done.status, done.err) == (1, "")
    assert done.document["verdict"] == "fail"
    assert any(c["name"] == "rated speed" and not c["ok"] for c in done.document["checks"])
    assert len(runs(swing)) == 1


def test_one_failing_scenario_of_several_is_enough(sim_command, swing):
    (swing / "fast.py").write_text(script_text(FAST), encoding="utf-8")
    done = sim_command("run", "fast.py", "swing.py", "--json", "--no-report")
    assert done.status == 1
    assert [d["verdict"] for d in done.document] == ["fail", "pass"]


def test_an_engine_that_fails_ends_with_three_and_leaves_nothing_behind(sim_command, swing):
    write_swing(swing, drives=IMPOSSIBLE)
    before = sorted(swing.rglob("*"))
    done = sim_command("run", "swing.py")
    assert (done.status, done.out) == (3, "")
    assert re.fullmatch(r"sim: The simulation .* diverged: joint .* at t = .*\n", done.err)
    assert sorted(swing.rglob("*")) == before


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, 130), (EngineError, 3)])
def test_an_interrupted_run_leaves_nothing_behind(sim_command, swing, monkeypatch, error, status):
    def interrupted(*arguments, **options):
        raise error("stopped")

    monkeypatch.setattr(run_scripts, "run", interrupted)
    before = sorted(swing.rglob("*"))
    done = sim_command("run", "swing.py")
    assert done.status == status
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    assert sorted(swing.rglob("*")) == before


def test_a_disk_that_fails_is_told_in_one_line(sim_command, swing, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_scripts, "run", full)
    done = sim_command("run", "swing.py")
    assert done.status == 2
    assert re.fullmatch(r"sim: Cannot write to .*runs/swing/.*: No space left on .*\n", done.err)
