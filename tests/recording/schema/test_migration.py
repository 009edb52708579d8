"""Files of earlier formats: read, migrated, and refused where they were edited."""

import hashlib
import json
import shutil
from pathlib import Path

import msgspec
import pytest

from sim.comparison.baseline import read_baseline
from sim.errors import RecordingError
from sim.recording.schema.description import FORMAT, read_run, with_seal
from sim.recording.schema.migration import present_check_name
from sim.recording.schema.verdicts import Check
from sim.shipped import baselines
from tests.helpers.short_runs import short_run

FORCE = {
    "frame": "upper_arm",
    "force": ["0", "0", "1"],
    "torque": ["0", "0", "0"],
    "at": [0.0, 0.0, 0.0],
    "axes": "world",
}


def as_format_3(folder: Path, **entries) -> Path:
    """The shipped baseline of the double pendulum as the format before had it."""
    shutil.copytree(baselines() / "two_link", folder)
    path = folder / "baseline.json"
    content = json.loads(path.read_text(encoding="utf-8")) | {"format": 3, "seal": ""} | entries
    content["seal"] = hashlib.sha256(msgspec.json.encode(content)).hexdigest()
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def test_a_baseline_of_the_format_before_is_migrated(tmp_path):
    path = as_format_3(tmp_path / "two_link", forces=[FORCE])
    migrated, now = read_baseline(path.parent), read_baseline(baselines() / "two_link")
    assert migrated.run.format == FORMAT
    assert migrated.run.ledger == now.run.ledger
    assert migrated.recorded.equals(now.recorded)
    (force,) = migrated.run.forces
    assert (force.frame, force.force) == ("upper_arm", ("0", "0", "1"))


def test_an_edited_baseline_of_the_format_before_is_refused(tmp_path):
    path = as_format_3(tmp_path / "two_link")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"duration": ', '"duration": 1', 1), encoding="utf-8")
    with pytest.raises(RecordingError, match="edited since it was written"):
        read_baseline(path.parent)


def test_an_older_baseline_names_the_remedy(tmp_path):
    path = as_format_3(tmp_path / "two_link", format=2)
    with pytest.raises(RecordingError, match="accept a run of 'two_link' again"):
        read_baseline(path.parent)


def as_format_4(path: Path) -> None:
    """Write a run's description as format 4 had it: with former names of checks."""
    run = short_run().run
    check = Check("work of the drive", "work.shoulder", 0.0, 1.0, "J", 0.0, ok=True)
    former = with_seal(msgspec.structs.replace(run, format=4, checks=(check,)))
    path.write_bytes(msgspec.json.encode(former))


def test_a_run_of_format_4_has_the_present_names_of_its_checks(tmp_path):
    as_format_4(tmp_path / "run.json")
    run = read_run(tmp_path / "run.json")
    assert run.format == FORMAT
    assert [check.name for check in run.checks] == ["drive work"]


def test_an_edited_run_of_format_4_is_refused(tmp_path):
    path = tmp_path / "run.json"
    as_format_4(path)
    path.write_text(path.read_text("utf-8").replace("work of the drive", "torque"), "utf-8")
    with pytest.raises(RecordingError, match="edited since it was written"):
        read_run(path)


@pytest.mark.parametrize(
    ("former", "present"),
    [
        ("regime of friction of model", "friction regime of model"),
        ("tool by its joints of engine", "forward kinematics of engine"),
        ("lower end of range", "lower position limit"),
        ("energy balance of the model", "energy balance of the model"),
        ("torque", "torque"),
    ],
)
def test_former_names_of_checks_are_translated(former, present):
    assert present_check_name(former) == present
    assert present_check_name(present) == present
