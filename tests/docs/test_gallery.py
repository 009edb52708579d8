import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from sim.shipped import scenario_names
from tests.helpers.site_links import dead_links
from tools import gallery
from tools.gallery import CARDS, PAGES, Card, build, write_gallery

REPOSITORY = Path(__file__).parents[2]
CARD = Card(
    name="swing",
    title="An arm <swings> & `stops`.",
    robot="arm",
    joints=2,
    facts="2 s",
    passed=False,
    href="gallery/swing.html",
    poster="<svg></svg>",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs") / "build" / "gallery"
    build(folder, ["two_link"])
    return folder


def test_a_scenario_is_run_and_its_card_says_what_came_out(folder):
    (card,) = msgspec.json.decode((folder / CARDS).read_bytes())
    assert card["name"] == "two_link"
    assert card["title"].startswith("Two links: the example to copy")
    assert (card["robot"], card["joints"], card["passed"]) == ("two_link", 2, True)
    assert card["facts"].startswith("4 s, method stepped, ")
    assert card["poster"].startswith("<svg")
    page = (folder / PAGES / card["href"]).read_text(encoding="utf-8")
    assert "<title>✓ two_link" in page
    assert str(folder.parent) not in page  # where it was made is nobody's business
    assert len(page) < 3e6
    assert [path.name for path in folder.parent.iterdir()] == ["gallery"]  # no rest of the run


def test_the_site_shows_the_card_and_the_card_opens_the_page(folder, tmp_path):
    pytest.importorskip("myst_parser")
    extra = write_gallery(tmp_path / "gallery.md", folder)
    (tmp_path / "index.md").write_text("# A site\n\n```{toctree}\ngallery\npage\n```\n")
    (tmp_path / "page.md").write_text("# The page\n")
    (tmp_path / "conf.py").write_text(f"extensions = ['myst_parser']\nhtml_extra_path = {extra}\n")
    site = tmp_path / "site"
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-nWq", tmp_path, site],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (built.returncode, built.stderr) == (0, "")
    assert 'class="card" href="gallery/two_link.html"' in (site / "gallery.html").read_text()
    assert "<title>✓ two_link" in (site / "gallery/two_link.html").read_text(encoding="utf-8")
    assert dead_links(site) == []
    (site / "gallery/two_link.html").unlink()
    assert dead_links(site) == ["gallery.html: gallery/two_link.html"]


def test_without_runs_the_page_has_the_scenarios_in_words_and_says_how_to_make_them(tmp_path):
    page = tmp_path / "gallery.md"
    assert write_gallery(page, tmp_path / "nothing") == []
    text = page.read_text(encoding="utf-8")
    assert "`make docs`" in text
    assert all(f"`{name}`: " in text for name in scenario_names())


def test_cards_of_another_version_are_no_cards(tmp_path):
    (tmp_path / CARDS).write_text('[{"name": "swing"}]')
    assert write_gallery(tmp_path / "gallery.md", tmp_path) == []


def test_a_page_that_would_not_change_is_left_alone(tmp_path):
    page = tmp_path / "gallery.md"
    write_gallery(page, tmp_path)
    before = page.stat().st_mtime_ns
    write_gallery(page, tmp_path)
    assert page.stat().st_mtime_ns == before


def test_a_run_that_failed_says_so_and_no_title_is_markup():
    text = gallery.gallery([CARD])
    assert '<span class="verdict fail">✗ fail</span>' in text
    assert "An arm &lt;swings&gt; &amp; stops." in text


def test_an_unknown_scenario_stops_it_and_leaves_the_earlier_gallery(folder):
    before = (folder / CARDS).read_bytes()
    with pytest.raises(subprocess.CalledProcessError):
        build(folder, ["no_such_scenario"])
    assert (folder / CARDS).read_bytes() == before
    assert [path.name for path in folder.parent.iterdir()] == ["gallery"]


def test_make_docs_makes_the_gallery_first():
    shown = subprocess.run(
        ["make", "--dry-run", "--always-make", "docs"],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
    ).stdout
    assert shown.index("-m tools.gallery docs/build/gallery") < shown.index("-m sphinx")


def test_nothing_of_it_is_committed():
    ignored = ["docs/gallery.md", "docs/build/gallery/cards.json"]
    found = subprocess.run(
        ["git", "check-ignore", *ignored],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
    )
    if found.returncode == 128:
        pytest.skip("no working copy of git")
    assert found.stdout.split() == ignored
