"""Versions of packages, against `importlib.metadata`."""

from importlib import metadata

import pytest

from sim import versions
from sim.versions import version_of

INSTALLED = sorted({one.metadata["Name"] for one in metadata.distributions()})


@pytest.mark.parametrize("package", INSTALLED)
def test_it_is_that_of_the_metadata(package):
    assert version_of(package) == metadata.version(package)


def test_what_is_not_installed_has_none():
    assert version_of("no-such-package") is None


def test_the_first_folder_of_the_path_counts(tmp_path, monkeypatch):
    for place, number in (("one", "1.0"), ("two", "2.0")):
        info = tmp_path / place / f"made_up-{number}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: made.up\nVersion: {number}\n")
        monkeypatch.syspath_prepend(tmp_path / place)
    versions.version_of.cache_clear()
    assert version_of("made-up") == metadata.version("made-up") == "2.0"
