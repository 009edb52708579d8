"""Baselines of the format before: read, migrated, and refused where they were edited."""

import hashlib
import json
import shutil
from pathlib import Path

import msgspec
import pytest

from sim.comparison.baseline import read_baseline
from sim.errors import RecordingError
from sim.recording.schema.description import FORMAT
from sim.shipped import baselines

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
