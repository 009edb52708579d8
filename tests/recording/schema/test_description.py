import json
import math
import random
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from sim.checks import judge, judge_recording
from sim.errors import RecordingError
from sim.motion import JointMotion
from sim.recording.recording import Recording
from sim.recording.schema.description import (
    FORMAT,
    Conditions,
    Run,
    description_text,
    plain_data,
    read_description,
    read_run,
    with_seal,
)
from sim.scenario import Claim, Scenario
from sim.simulation import run
from tests.helpers.short_runs import arm, rubbing_arm, short_run, spoiled
from tests.helpers.synthetic_runs import described, event, joint


@pytest.fixture(scope="module")
def whole():
    """A judged run with something of most kinds in its description."""
    scenario = Scenario(
        arm(),
        JointMotion.displacement({"elbow": "STEP(time, 0.1, 0, 0.2, 1d)"}),
        0.3,
        claims=[Claim("peaks early", "table 2", "ke.*", "time_of_peak", 0.2, 0.1)],
    )
    recording = run(scenario, name="swing").with_description(
        parameters={"load": 0.5, "start": [1, 2]}
    )
    return judge_recording(recording)


@pytest.fixture
def path(whole, tmp_path):
    """The description of that run, in its folder."""
    whole.write(tmp_path)
    return tmp_path / "run.json"


def refused(path, read=read_run):
    """The one clear sentence that is said of a file."""
    with pytest.raises(RecordingError) as caught:
        read(path)
    text = str(caught.value)
    assert text.startswith(f"{path} ")
    assert "\n" not in text
    assert len(text.removeprefix(str(path))) < 200
    return text.removeprefix(f"{path} ")


def change(path, edit):
    """The file with its content edited as plain data."""
    content = json.loads(path.read_text("utf-8"))
    edit(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def at(content, place):
    """The part of some content that holds the last key of a place such as ``robot.joints.0.axis``.

    Returns
    -------
    part, key
    """
    *way, last = [int(word) if word.isdigit() else word for word in place.split(".")]
    for key in way:
        content = content[key]
    return content, last


# What is written is read


def test_a_description_comes_back_as_it_was(whole, path):
    written = whole.write(path.parent).run
    assert read_run(path) == written
    assert written.format == FORMAT == 5
    assert written.claim_results
    assert written.settings.corners


def test_the_file_is_json_for_people_and_what_plain_says_it_is(whole, path):
    text = path.read_text("utf-8")
    assert text.startswith('{\n "format": 5,\n "scenario": "swing",')
    assert text.endswith("}\n")
    assert "N·m" in text  # as itself, not as an escape
    assert json.loads(text) == plain_data(whole.write(path.parent).run)


@pytest.mark.parametrize("indent", [None, 0, 4])
def test_white_space_alone_is_no_edit(path, indent):
    before = read_run(path)
    content = json.loads(path.read_text("utf-8"))
    path.write_text("\n" + json.dumps(content, indent=indent) + "\n\n", encoding="utf-8")
    assert read_run(path) == before


def test_escapes_and_the_order_of_entries_are_no_edit_either(path):
    before = read_run(path)
    entries = list(json.loads(path.read_text("utf-8")).items())
    random.Random(3).shuffle(entries)
    path.write_text(json.dumps(dict(entries), ensure_ascii=True), encoding="utf-8")
    assert read_run(path) == before


def test_whole_numbers_where_real_ones_are_meant_come_back():
    """A person types 1 for 1.0; what is read is a real number, and no edit."""
    bare = described(joint("a", lower=-1, upper=2, effort=3), events=(event(1, 2, 3),), duration=2)
    settings = msgspec.structs.replace(
        bare.settings, tolerances={"tau.*": 1}, path_tolerance=1, gravity=(0, 0, -10)
    )
    typed = with_seal(msgspec.structs.replace(bare, settings=settings, parameters={"load": 1}))
    again = msgspec.json.decode(description_text(typed), type=Run)
    assert with_seal(again).seal == typed.seal == again.seal
    assert again == typed


def test_whole_numbers_of_a_scenario_come_back_from_disk(tmp_path):
    claim = Claim("small", "table 2", "tau.*", "peak_below", 900)
    motion = JointMotion.displacement({"elbow": "STEP5(time, 0, 0, 1, 9d)"})
    scenario = Scenario(arm(1), motion, 1, 0.01, tolerances={"tau.*": 1}, claims=[claim])
    judge_recording(run(scenario)).write(tmp_path)
    assert Recording.read(tmp_path).run.settings.tolerances == {"tau.*": 1.0}


def test_numbers_of_numpy_stand_in_parameters_as_plain_ones(tmp_path):
    parameters = {"load": np.float64(0.5), "count": np.int64(3), "fast": np.bool_(True)}
    written = short_run().with_description(parameters=parameters).write(tmp_path)
    assert read_run(tmp_path / "run.json").parameters == {"load": 0.5, "count": 3, "fast": True}
    assert written.run.seal == read_run(tmp_path / "run.json").seal


def test_what_is_no_plain_value_cannot_stand_in_a_description(tmp_path):
    with pytest.raises(NotImplementedError, match="cannot be stored in a description"):
        short_run().with_description(parameters={"load": object()}).write(tmp_path)


# Numbers that are none, which JSON has no word for


def same(one, other):
    """Whether two descriptions are the same but for None where the first has no number."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and not math.isfinite(one):
        return other is None
    return bool(one == other)


@pytest.mark.rotates(3)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("table", ["recorded", "analytic"])
@pytest.mark.parametrize("channel", ["tau.elbow", "q.elbow", "qd.shoulder", "ke", "pe", "tool.x"])
def test_a_judged_run_with_what_is_no_number_is_read_back(tmp_path, value, table, channel):
    broken = judge_recording(spoiled(short_run(), channel, value, 130, table))
    written = broken.write(tmp_path).run
    again = Recording.read(tmp_path)
    assert again.run.verdict == "fail"
    assert same(msgspec.to_builtins(written), msgspec.to_builtins(again.run))
    assert None in {one.worst for one in again.run.checks}
    # and can be judged and written again
    assert [one.check.ok for one in judge(again)] == [one.ok for one in again.run.checks]
    judge_recording(again).write(tmp_path)
    assert Recording.read(tmp_path).run.seal == written.seal


def test_a_judged_run_of_two_samples_is_read_back(tmp_path):
    short = judge_recording(run(Scenario(rubbing_arm(), JointMotion.displacement({}), 1e-3)))
    written = short.write(tmp_path).run
    again = Recording.read(tmp_path).run
    assert again.verdict == "pass"
    assert same(msgspec.to_builtins(written), msgspec.to_builtins(again))
    assert {drive.delivered.error for drive in again.sizing} == {None}
    assert {drive.speed_margin.factor for drive in again.sizing} == {None}  # it does not move


# What is no description, or no longer


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[1, 2]", "is no description of a run"),
        ("null", "is no description of a run"),
        ('"run"', "is no description of a run"),
        ("{}", "is no description of a run: it names no scenario"),
        ('{"name": "something else"}', "is no description of a run: it names no scenario"),
        ('{"scenario": 3, "format": 5}', "is no description of a run"),
        ('{"scenario": "x", "format": "two"}', "is no description of a run"),
    ],
)
def test_a_foreign_file_is_refused(path, content, said):
    path.write_text(content, encoding="utf-8")
    assert refused(path) == said


def test_a_description_of_the_format_before_had_no_number(path):
    change(path, lambda content: content.pop("format"))
    assert refused(path) == (
        "has no number of its format; this version reads number 5: run 'swing' again"
    )


@pytest.mark.parametrize("number", [1, 2, -2, 10**30])
def test_a_description_of_another_format_says_which(path, number):
    change(path, lambda content: content.update(format=number, something_new=[]))
    assert refused(path) == (
        f"has number {number} of its format; this version reads number 5: run 'swing' again"
    )


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.999])
def test_a_description_that_was_cut_off_is_refused(path, share):
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert refused(path).startswith("cannot be read as JSON: ")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("settings", 3),
        ("settings.dt", "fast"),
        ("settings.gravity", [0.0, -9.81]),
        ("settings.free", None),
        ("robot.joints.1.axis.0", None),
        ("robot.joints.0.forces", {"stop": 1}),
        ("checks.0.ok", "yes"),
        ("checks.3.limit", "1"),
        ("units.pe", 5),
        ("method", "guessed"),
        ("verdict", "maybe"),
        ("seal", None),
    ],
)
def test_a_part_of_the_wrong_type_is_named_by_its_place(path, place, value):
    def edit(content):
        part, key = at(content, place)
        part[key] = value

    change(path, edit)
    said = refused(path)
    assert said.startswith("is no description of a run: ")
    assert place.split(".")[0] in said


NEEDED = ("method", "settings", "robot", "units", "provenance", "settings.dt", "settings.free",
          "settings.tolerances", "robot.joints", "robot.coupling", "robot.joints.0.forces",
          "checks.0.worst", "claims.0.channel", "drives.0.function",
          "provenance.versions")  # fmt: skip


@pytest.mark.parametrize("place", NEEDED)
def test_a_missing_entry_is_named(path, place):
    def edit(content):
        part, key = at(content, place)
        del part[key]

    change(path, edit)
    said = refused(path)
    assert said.startswith("is no description of a run: Object missing required field ")
    assert f"`{place.split('.')[-1]}`" in said


@pytest.mark.parametrize(
    "place", ["comment", "settings.speed", "robot.colour", "robot.joints.0.stop", "checks.2.note"]
)
def test_an_entry_that_nobody_knows_is_named(path, place):
    def edit(content):
        part, key = at(content, place)
        part[key] = 1

    change(path, edit)
    said = refused(path)
    assert said.startswith("is no description of a run: Object contains unknown field ")
    assert f"`{place.split('.')[-1]}`" in said


EDITED = (
    "was edited since it was written: its seal does not fit; run 'swing' again, or bring "
    "the file back"
)
NUMBERS = ("settings.dt", "settings.gravity.2", "settings.corners.0", "robot.T_0b.1.3",
           "robot.joints.0.effort", "robot.masses.payload", "parameters.load",
           "parameters.start.1", "checks.4.worst", "checks.4.limit", "checks.4.used",
           "sizing.0.rms_torque.value", "audit.1.residual", "claims.0.within",
           "claim_results.0.found", "peaks.ke")  # fmt: skip


@pytest.mark.parametrize("place", NUMBERS)
def test_one_number_that_was_changed_breaks_the_seal(path, place):
    def edit(content):
        part, key = at(content, place)
        assert isinstance(part[key], int | float)
        part[key] = np.nextafter(part[key], 9) if isinstance(part[key], float) else part[key] + 1

    change(path, edit)
    assert refused(path) == EDITED


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("verdict", "fail"),
        ("checks.0.ok", False),
        ("scenario", "another"),
        ("peaks.ke", None),
        ("files", {}),
        ("seal", ""),
        ("seal", "0" * 64),
        ("robot.joints.0.lower", None),
    ],
)
def test_so_does_anything_else_that_was_changed(path, place, value):
    def edit(content):
        part, key = at(content, place)
        assert part[key] != value
        part[key] = value

    change(path, edit)
    said = EDITED.replace("swing", "another") if place == "scenario" else EDITED
    assert refused(path) == said


@pytest.mark.parametrize("key", ["checks", "drives", "claims", "parameters", "verdict", "seal"])
def test_so_does_an_entry_that_was_taken_away(path, key):
    change(path, lambda content: content.pop(key))
    assert refused(path) == EDITED


def test_an_edit_is_seen_when_the_run_is_read(path):
    change(path, lambda content: content["settings"].update(dt=0.002))
    assert refused(path, lambda _: Recording.read(path.parent)) == EDITED


@pytest.mark.parametrize("key", ["scenario", "method"])
def test_a_description_that_is_not_utf_8_is_refused(path, key):
    value = json.loads(path.read_text("utf-8"))[key].encode()
    before = b'"' + key.encode() + b'": "'
    content = path.read_bytes()
    assert content.count(before + value) == 1
    path.write_bytes(content.replace(before + value, before + b"\xff" + value))
    message = refused(path)  # what follows is Python's or msgspec's, by the version of the latter
    assert message.startswith("cannot be read as JSON: ") and "utf-8" in message.lower()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_another_encoding_is_refused(path, encoding):
    path.write_text(path.read_text("utf-8"), encoding=encoding)
    assert refused(path).startswith("cannot be read as JSON: ")


def test_lists_in_lists_without_end_are_refused(path):
    change(path, lambda content: content.update(parameters={"deep": "here"}))
    deep = "[" * 100_000 + "]" * 100_000
    path.write_text(path.read_text("utf-8").replace('"here"', deep), encoding="utf-8")
    assert refused(path).startswith("cannot be read as JSON: ")


def test_a_folder_in_the_place_of_the_file_is_refused(path):
    path.unlink()
    path.mkdir()
    assert refused(path) == "cannot be read: Is a directory"


def test_a_file_that_is_not_there_is_missing(path):
    path.unlink()
    assert refused(path) == "does not exist"


# A part of a description


def test_only_what_two_runs_must_share_may_be_read_alone(path, whole):
    conditions = Conditions(
        **{name: getattr(whole.run, name) for name in Conditions.__struct_fields__}
    )
    path.write_bytes(description_text(conditions))
    assert read_description(path, Conditions) == conditions
    assert refused(path) == EDITED  # nobody has sealed it


def test_a_seal_is_of_everything_but_itself(whole):
    closed = with_seal(whole.run)
    assert with_seal(closed) == closed
    assert with_seal(replace(whole).with_description(notes=("more",)).run).seal != closed.seal


def test_what_was_added_to_the_settings_later_is_left_out_where_there_is_none(whole):
    """So that runs from before it keep their seals."""
    settings = msgspec.structs.replace(whole.run.settings, bends=())
    assert b"bends" not in msgspec.json.encode(settings)
    bent = msgspec.structs.replace(settings, bends=(0.5,))
    assert msgspec.json.decode(msgspec.json.encode(bent), type=type(bent)) == bent
