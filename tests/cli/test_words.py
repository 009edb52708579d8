"""Phrases of an old private idiom that readers stumbled over: none is left in what people read."""

import ast
import re
from pathlib import Path

import pytest

from sim.cli.command import COMMANDS, parser_of

ROOT = Path(__file__).parents[2]
PHRASES = re.compile(
    r"\bwithout it\b|\b(is|are) told\b|\bhas a word\b|\bsays? (so|what|how)\b|\bdoubtful\b"
    r"|\bfound wanting\b|\bpassed over\b|\bof chance\b|\bfor want of\b|\bbeyond an hour\b"
    r"|\bby their word\b|\bit wants\b|\bwants [0-9]|\bwhat (is there|stands in)\b"
    r"|\blaid over ours\b|\bleaves tables\b|\b(shown|not judged) of (the )?claims\b"
    r"|\bclaims +[0-9]+ of\b|\b(keeps?|breaks) (its|the) limit\b|\bas large as one can see\b"
    r"|\bwhat (it|they|each) (is|are|may be) worth\b|\bwhoever\b",
    re.IGNORECASE,
)
FOLDERS = sorted(path.name for path in (ROOT / "sim").iterdir() if (path / "__init__.py").is_file())
# Pages of the reference that tools/reference_pages.py writes from docstrings.
WRITTEN = {
    *("api.md", "channel_table.md", "limits_of_methods.md", "reading_table.md", "findings.md"),
    *("gallery.md", "verification.md"),
}


def found_in(text):
    return [match[0] for match in PHRASES.finditer(text)]


def strings_of(path):
    """Texts of a module: messages, and docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    nodes = ast.walk(tree)
    return "\0".join(
        re.sub(r"\s+", " ", node.value)
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


@pytest.mark.parametrize("folder", [*FOLDERS, "."])
def test_no_message_and_no_docstring_has_one(folder):
    pattern = "*.py" if folder == "." else f"{folder}/**/*.py"
    paths = sorted((ROOT / "sim").glob(pattern))
    assert {p.name: found for p in paths if (found := found_in(strings_of(p)))} == {}


DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *(
        p
        for p in (ROOT / "docs").rglob("*.md")
        if p.name not in WRITTEN and not {"build", "benchmarks"} & set(p.parts)
    ),
]


def test_no_document_has_one():
    texts = {page.name: re.sub(r"\s+", " ", page.read_text("utf-8")) for page in DOCUMENTS}
    assert {name: found for name, text in texts.items() if (found := found_in(text))} == {}


PROSE = [page for page in DOCUMENTS if page.name != "CHANGELOG.md"]


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.name)
def test_lines_have_at_most_140_characters_and_paragraphs_six_lines(page):
    text = re.sub(r"(?ms)^```.*?^```|^<!--.*?-->|^    .*?$", "", page.read_text("utf-8"))
    prose = "\n".join("" if line.startswith(("|", "#")) else line for line in text.splitlines())
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", prose)
    assert [line for line in prose.splitlines() if len(line) > 140] == []
    assert [block for block in blocks if block.strip().count("\n") > 5] == []


def test_no_page_has_one():
    kinds = ("*.j2", "*.js", "*.html")
    paths = [p for kind in kinds for p in (ROOT / "sim").rglob(kind)]
    paths = [p for p in paths if not {"vendor", "bundle"} & set(p.parts)]
    texts = {p.name: p.read_text("utf-8") for p in paths}
    assert len(texts) > 30
    assert {name: found for name, text in texts.items() if (found := found_in(text))} == {}


def test_no_help_has_one(capsys):
    for words in ([], *([name] for name in COMMANDS)):
        with pytest.raises(SystemExit):
            parser_of(words).parse_args([*words, "--help"])
        assert found_in(capsys.readouterr().out) == [], words
