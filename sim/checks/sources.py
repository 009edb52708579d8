"""Scripts and laws with a hash in a run's description, compared with available files."""

from __future__ import annotations

import ast
import hashlib
import inspect
from collections.abc import Iterator
from pathlib import Path

from sim.errors import RecordingError
from sim.recording.files.whole_files import sha256
from sim.recording.schema.control_facts import ControllerFacts
from sim.recording.schema.description import Run


def script_at_hand(run: Run) -> Path | None:
    """Return the script of a run, if its file has the hash in the description."""
    if run.script is None:
        return None
    try:
        is_same = sha256(Path(run.script.path)) == run.script.sha256
    except (RecordingError, OSError, ValueError):
        return None
    return Path(run.script.path) if is_same else None


def hashes_of_law(run: Run, facts: ControllerFacts) -> set[str]:
    """Return hashes of all definitions of the law in the run's script; empty if not available.

    A law is hashed as `inspect.getsource` returns it.
    """
    script, name = script_at_hand(run), facts.law.rpartition(".")[2]
    if script is None:
        return set()
    try:
        text = script.read_text("utf-8")
        lines = text.splitlines(keepends=True)
        starts = [_first_line(node) for node in ast.walk(ast.parse(text)) if _defines(node, name)]
        blocks = ["".join(inspect.getblock(lines[start:])) for start in starts]
    except (OSError, ValueError, SyntaxError, RecursionError):
        return set()
    return {hashlib.sha256(block.encode()).hexdigest() for block in blocks}


Definition = ast.FunctionDef | ast.ClassDef


def _defines(node: ast.AST, name: str) -> bool:
    return isinstance(node, Definition) and node.name == name


def _first_line(node: ast.AST) -> int:
    assert isinstance(node, Definition)
    return min(one.lineno for one in (node, *node.decorator_list)) - 1


def unchecked_sources(run: Run) -> Iterator[str]:
    """Yield the sources that cannot be judged, as text."""
    if run.script is not None and script_at_hand(run) is None:
        yield (
            f"not checked: the hash of script {run.script.path}, whose file is gone or was changed "
            "since the run"
        )
    facts = run.controller
    if not isinstance(facts, ControllerFacts) or facts.source_sha256 is None:
        return
    if not hashes_of_law(run, facts):
        yield f"not checked: the hash of law {facts.law!r}, which is not in a script at hand"
