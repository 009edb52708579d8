"""Versions of packages: the same as by Python's own search, without its imports."""

import subprocess
import sys
from importlib import metadata

import pytest

from sim import versions


@pytest.fixture
def nothing_kept():
    versions.version_of.cache_clear()
    versions._distributions.cache_clear()
    yield
    versions.version_of.cache_clear()
    versions._distributions.cache_clear()


@pytest.mark.usefixtures("nothing_kept")
def test_every_installed_package_has_the_version_by_importlib():
    names = {each.metadata["Name"] for each in metadata.distributions()}
    assert len(names) > 20
    assert {n: versions.version_of(n) for n in names} == {n: metadata.version(n) for n in names}
    assert versions.version_of("no-such-package") is None


@pytest.mark.parametrize(
    ("folder", "file", "header"),
    [
        ("Some_Arm-2.0.dist-info", "METADATA", "Metadata-Version: 2.1\nVersion: 2.0+a\n"),
        ("some.arm-2.0.egg-info", "PKG-INFO", "Metadata-Version: 1.0\nVersion: 2.0+a\n"),
        ("some_arm-2.0.dist-info", "METADATA", "summary: x\nversion: 2.0+a\n\nVersion: 3\n"),
    ],
)
@pytest.mark.usefixtures("nothing_kept")
def test_names_and_files_may_be_written_as_by_older_tools(
    tmp_path, monkeypatch, folder, file, header
):
    (tmp_path / folder).mkdir()
    (tmp_path / folder / file).write_text(header)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "missing"), str(tmp_path), *sys.path])
    assert versions.version_of("Some-Arm") == metadata.version("Some-Arm") == "2.0+a"


def test_the_search_by_importlib_is_not_needed_for_what_is_installed():
    line = (
        "import sys, sim.versions as v; assert v.version_of('numpy'); "
        "print('importlib.metadata' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", line], text=True) == "False\n"
