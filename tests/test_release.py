"""One version and one date wherever a release is named, and a changelog of the usual shape."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
CITATION = dict(
    re.findall(r"^([\w-]+): (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
)
# The sections of https://keepachangelog.com/en/1.1.0, in its order.
SECTIONS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]


def test_the_citation_names_the_newest_release_of_the_changelog():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    newest = re.search(r"^## (\d\S*) - (\S+)$", CHANGES, re.M)
    assert newest.groups() == (CITATION["version"], CITATION["date-released"])
    assert CITATION["version"] == project["version"]
    assert CITATION["license"] == project["license"]


def test_the_changelog_has_each_section_once_and_in_its_order():
    assert CHANGES.startswith("# Changelog\n\nThe format follows Keep a Changelog.\n")
    releases = re.split(r"^## ", CHANGES, flags=re.M)[1:]
    assert [text.splitlines()[0] for text in releases][:1] in (
        ["Unreleased"],
        [f"{CITATION['version']} - {CITATION['date-released']}"],
    )
    for text in releases:
        found = re.findall(r"^### (.*)$", text, re.M)
        assert found == [one for one in SECTIONS if one in found]
        for section in re.split(r"^### .*$", text, flags=re.M)[1:]:
            assert re.match(r"\n\n- ", section), "a section is a list of what changed"


def test_each_release_has_at_most_forty_short_lines():
    for text in re.split(r"^## ", CHANGES, flags=re.M)[1:]:
        lines = [line for line in text.splitlines() if line]
        assert len(lines) <= 40, lines[0]
        assert max(map(len, lines)) <= 160, lines[0]
