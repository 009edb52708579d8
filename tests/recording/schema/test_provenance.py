import platform
import sys
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path

import msgspec
import pytest

from sim import shipped, versions
from sim.engine_names import ENGINES
from sim.recording.schema import provenance
from sim.recording.schema.facts import Provenance


def read_back(facts, kind):
    return msgspec.json.decode(msgspec.json.encode(facts), type=kind)


def test_the_process_tells_when_how_and_with_what_it_runs():
    facts = provenance.of_this_process()
    created = datetime.fromisoformat(facts.created)
    assert abs(datetime.now(UTC) - created) < timedelta(minutes=1)
    assert facts.command == (Path(sys.argv[0]).name, *sys.argv[1:])  # no path of one machine
    assert facts.python == sys.version.split()[0]
    assert facts.platform == platform.platform()
    for package in ("pybullet", "numpy", "scipy"):
        assert facts.versions[package] == metadata.version(package)
    assert read_back(facts, Provenance) == facts


def test_a_package_that_is_not_installed_is_said_to_be_so(monkeypatch):
    monkeypatch.setattr(provenance, "PACKAGES", ("surely-no-such-package",))
    versions = provenance.of_this_process().versions
    assert versions["surely-no-such-package"] == "not installed as a package"


def test_the_version_of_a_working_copy_is_that_of_its_text_and_not_of_its_installation(monkeypatch):
    """A run after ``git pull`` would otherwise be said to come from the version before."""
    version_of = versions.version_of.__wrapped__
    text = (shipped.root() / "pyproject.toml").read_text(encoding="utf-8")
    monkeypatch.setattr(metadata, "version", lambda _: "0.0")
    assert f'\nversion = "{version_of("sim")}"\n' in text
    assert version_of("numpy") == "0.0"


@pytest.mark.parametrize(("engine", "other"), [("bullet", "mujoco-core"), ("mujoco", "pybullet")])
def test_of_the_engines_only_the_one_that_ran_is_named(engine, other):
    """Else a run would be said to differ from one that was made before another was installed."""
    package = ENGINES[engine].package
    versions = provenance.of_this_process(engine).versions
    assert versions[package] == metadata.version(package)
    assert other not in versions
