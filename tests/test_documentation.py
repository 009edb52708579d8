"""README and docs: every block runs and shows what it shows, the site builds without a warning."""

import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import pytest

import sim
from sim.cli.command import parser_of
from tests.helpers.site_links import dead_links
from tests.helpers.written_blocks import blocks_of, matches, run_page

REPOSITORY = Path(__file__).parents[1]
DOCS = REPOSITORY / "docs"
# by tools/reference_pages.py, tools/gallery.py and tools/verification_manual.py
WRITTEN = {
    *("api.md", "channel_table.md", "limits_of_methods.md", "reading_table.md", "findings.md"),
    *("mjcf_reading_table.md", "sdf_reading_table.md"),
    *("gallery.md", "verification.md"),
}
PAGES = [
    REPOSITORY / "README.md",
    *(
        page
        for page in sorted(DOCS.rglob("*.md"))
        if page.name not in WRITTEN and page.relative_to(DOCS).parts[0] != "build"
    ),
]
RUNNABLE = ("python", "pycon", "console", "{code-block}")


def name_of(page):
    return page.relative_to(REPOSITORY).as_posix()


def runs_something(page):
    return any(block.kind.startswith(RUNNABLE) for block in blocks_of(page))


@pytest.mark.rotates(5)
@pytest.mark.parametrize("page", [page for page in PAGES if runs_something(page)], ids=name_of)
def test_every_block_of_a_page_runs_and_prints_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    run_page(page)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_line_in_sh_blocks_is_one_that_the_parser_takes(page):
    for block in blocks_of(page):
        for line in block.body.splitlines() if block.kind == "sh" else ():
            words = shlex.split(line, comments=True)
            if words[:1] == ["sim"] and not {"&&", ">", ";"} & set(words):
                parser_of(words[1:]).parse_args(["/" if w == "…" else w for w in words[1:]])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_row_of_a_table_has_the_columns_of_its_head(page):
    rows = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("|"):
            cells = len(re.findall(r"(?<!\\)\|", line)) - 1
            rows.append(cells)
            assert cells == rows[0], f"{name_of(page)}, line {number}"
        else:
            rows.clear()


@pytest.mark.parametrize(
    "page", [*PAGES, *sorted((REPOSITORY / "scenarios").glob("*.py"))], ids=name_of
)
def test_what_stands_in_sim_is_taken_from_there(page):
    text = page.read_text(encoding="utf-8")
    for module, names in re.findall(r"from (sim\.[\w.]+) import (\([^)]*\)|[^\n]+)", text):
        for name in re.findall(r"\w+", names):
            deep = getattr(importlib.import_module(module), name)
            assert name not in sim.__all__ or getattr(sim, name) is not deep, f"{module}.{name}"


DEVELOPERS = [
    REPOSITORY / "CONTRIBUTING.md",
    *(DOCS / f"{name}.md" for name in ("architecture", "extending", "testing")),
]


@pytest.mark.parametrize("page", [*PAGES, DEVELOPERS[0], REPOSITORY / "Makefile"], ids=name_of)
def test_every_file_and_name_of_the_code_that_a_page_names_is_there(page):
    text = page.read_text(encoding="utf-8")
    roots = REPOSITORY, REPOSITORY / "sim"
    folders = {path.name for root in roots for path in root.iterdir() if path.is_dir()}
    for path in re.findall(r"(?<![\w./<-])(\w+/[\w./]*\w\.py|(?<=`)\w+/[\w/]*(?=`))", text):
        if path.partition("/")[0] in folders - {"build", "results"}:
            assert any((root / path).exists() for root in roots), path
    for name in re.findall(r"`(sim(?:\.\w+)+)", text):
        resolve_name(name)


@pytest.mark.parametrize("page", DEVELOPERS, ids=name_of)
def test_names_between_backticks_for_developers_are_words_of_the_code(page):
    code = [p for folder in ("sim", "tests", "tools") for p in (REPOSITORY / folder).rglob("*.py")]
    text = "\n".join([*map(str, code), *(path.read_text(encoding="utf-8") for path in code)])
    spans = re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8"))
    named = {w for span in spans for w in re.findall(r"(?<!\w)[A-Za-z]\w*(?![\w…<])", span)}
    assert [w for w in named if re.search(r"_\w|[a-z][A-Z]", w) and w not in text] == []
    for kind, member in re.findall(r"(?<![\w./])([A-Z][a-z]\w+)\.([a-z]\w*)", " ".join(spans)):
        files = [p.read_text("utf-8") for p in code if f"class {kind}" in p.read_text("utf-8")]
        assert any(re.search(rf"def {member}\(|    {member}:", file) for file in files), member


@pytest.mark.rotates(5)
@pytest.mark.parametrize("page", [REPOSITORY / "README.md"], ids=name_of)
def test_every_command_of_the_readme_runs_in_a_clone(page, tmp_path, monkeypatch, sim_command):
    """After `make demo`, in the order of the page; all but `make`, the installation and the studio.

    The studio serves until it is stopped; `tests/studio` runs it as a process.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenarios").symlink_to(REPOSITORY / "scenarios")
    lines = [
        line for block in blocks_of(page) if block.kind == "sh" for line in block.body.splitlines()
    ]
    commands = [words for line in lines if (words := _sim_words(line)) and words[0] != "studio"]
    assert len(commands) >= 12
    assert sim_command("run", "ur10_step").status == 0  # make demo
    for words in commands:
        done = sim_command(*words)
        assert done.status == 0, (words, done.err)


def _sim_words(line):
    """Words of the `sim` command in a line of a shell, without `sim`."""
    words = shlex.split(line, comments=True)
    return words[words.index("sim") + 1 :] if "sim" in words else []


def test_the_arm_of_the_tutorial_ships():
    text = (DOCS / "tutorial" / "your_own_robot.md").read_text(encoding="utf-8")
    shipped = (REPOSITORY / "scenarios" / "my_arm.urdf").read_text(encoding="utf-8")
    assert shipped in text
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    script = (REPOSITORY / "scenarios" / "my_arm.py").read_text(encoding="utf-8")
    assert script.partition("import sim")[2] in readme


def test_the_readme_is_at_most_two_screens():
    lines = (REPOSITORY / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 100
    # a row of a table and the address of a picture cannot be broken
    long = [line for line in lines if len(line) > 100 and line[:1] not in "|!"]
    assert long == []


def test_the_site_builds_without_a_warning_or_a_dead_link(tmp_path):
    pytest.importorskip("sphinx")
    pytest.importorskip("furo")
    options = ("-nWq", "--keep-going", "-D", "html_theme=basic", "-d", tmp_path / "trees")
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, DOCS, tmp_path / "site"],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert (built.returncode, built.stderr) == (0, "")
    assert dead_links(tmp_path / "site") == []
    assert "your-own-robot" in (tmp_path / "site/tutorial/your_own_robot.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("expected", "shown", "same"),
    [
        ("a … c\n", "a b  c\n", True),
        ("a … c\n", "a b d\n", False),
        ("…\nlast\n", "one\ntwo\nlast\n", True),
        ("…\nlast\n", "one\nlast\ntwo\n", False),
        ("one\n", "one\ntwo\n", False),
        ("one\n…\n", "one\n", True),
        ("peak … N\n", "peak N\n", True),
        ("peak … N\n", "peak of 3 N\n", True),
        ("peak … N\n", "peak 3N\n", False),
        ("peak …\n", "peak\n", True),
        ("peak …\n", "peaks\n", False),
        ("peak 3.5\n", "peak 3x5\n", False),
    ],
)
def test_an_ellipsis_stands_for_what_varies_and_for_nothing_else(expected, shown, same):
    assert matches(expected, shown) is same
