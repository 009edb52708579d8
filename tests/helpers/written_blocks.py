"""The code blocks of a page, run in their order in one folder as a reader would.

=======================  ===========================================================================
```` ```python ````      is executed; all blocks of a page share their names
```` ```pycon ````       its output must be what stands there, to the letter
```` ```console ````     each line after ``$`` is a command; what stands below is its output
``{code-block}``         with a ``:caption:`` is the file of that name
``<!-- python … -->``    is executed and not shown: what a fragment needs to stand on
``<!-- files of … -->``  writes the files that the named page (from the one that asks) shows
=======================  ===========================================================================

In an output … stands for what varies: in a word for any text, between blanks for any words or none,
alone on a line for any lines. Runs of blanks count as one, lines of nothing but blanks and rules of
a table count not at all. ``$ echo $?`` says the exit status of the command before.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

from sim.cli.command import status

_BLOCK = re.compile(
    r"^(?P<fence>`{3,})(?P<kind>[^\n`]*)\n(?P<body>.*?)^(?P=fence)[ ]*$"
    r"|^<!-- python\n(?P<hidden>.*?)^-->$"
    r"|^<!-- files of (?P<page>\S+) -->$",
    re.MULTILINE | re.DOTALL,
)
_FILE = re.compile(r":caption: (\S+)\n\n?(.*)", re.DOTALL)
_VARIES = {
    "… ": r"(?:[^\n]* )?",
    " … ": r" (?:[^\n]* )?",
    " …": r"(?: [^\n]*)?",
    "…": r"[^\n]*",
}


@dataclass(frozen=True)
class Block:
    """One block of a page."""

    line: int
    kind: str
    body: str


def blocks_of(page):
    """The blocks of a page, in their order."""
    text = page.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if found["page"] is not None:
            yield Block(line, "files", found["page"])
        elif found["hidden"] is not None:
            yield Block(line, "python", found["hidden"])
        else:
            yield Block(line, found["kind"].strip(), found["body"])


def run_page(page):
    """Run all blocks of a page in the working folder; a wrong output is an AssertionError."""
    names = {"__name__": page.stem}
    code = None  # exit status of the last command
    for block in blocks_of(page):
        where = f"{page.name}, line {block.line}"
        if block.kind == "python":
            exec(compile(block.body, where, "exec"), names)
        elif block.kind == "pycon":
            _run_pycon(block, names, where)
        elif block.kind == "console":
            for command, expected in _commands(block.body):
                code, shown = (None, f"{code}\n") if command == "echo $?" else _output(command)
                assert matches(expected, shown), f"{where}: {command}\n{shown}"
        elif block.kind == "files":
            for shown in blocks_of(page.parent / block.body):
                _write_file(shown)
        else:
            _write_file(block)


def _write_file(block):
    if block.kind.startswith("{code-block}") and (file := _FILE.match(block.body)):
        Path(file[1]).write_text(file[2], encoding="utf-8")


def _run_pycon(block, names, where):
    test = doctest.DocTestParser().get_doctest(block.body, names, where, where, 0)
    assert test.examples, f"{where} has no >>>"
    said = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    runner.run(test, out=said.write, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, said.getvalue()


def _commands(text):
    """Commands of a console block, each with the output below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.replace("\\\n", " ").partition("\n")
        yield command, output


def _output(command):
    """Exit status of a command, and what it prints.

    One of `sim` is run in this process, which has it loaded.
    """
    words = shlex.split(command, comments=True)
    if words[0] != "sim" or not {"|", ">", "&&", ";"}.isdisjoint(words):
        # The environment of this Python need not be active: its `python` and `sim` come first.
        here = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }
        done = subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env=here,
        )
        return done.returncode, done.stdout + done.stderr
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = status(words[1:])
        except SystemExit as leaving:  # of the parser
            code = leaving.code or 0
    return code, said.getvalue()


def matches(expected, shown):
    """Whether an output is the one that a page shows."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…" else _line_pattern(line) for line in _lines(expected)
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(shown))) is not None


def _line_pattern(line):
    pattern = ""
    for part in re.split(r"(^… | … | …$|…)", line):
        pattern += _VARIES.get(part) or re.escape(part)
    return pattern + r"\n"


def _lines(text):
    lines = (" ".join(line.split()) for line in textwrap.dedent(text).splitlines())
    return [line for line in lines if line.strip("─ ")]
