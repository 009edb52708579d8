"""Where the command writes: JSON, tables, progress."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sim.cli.process_setup import fall_silent

if TYPE_CHECKING:
    from rich.console import Console


WIDTH_OF_FILES = 160  # [characters]


def print_json(content: Any) -> None:
    """One JSON document on stdout."""
    from sim.recording.files.whole_files import json_text

    try:
        plain = not (sys.stdout.encoding or "utf-8").lower().startswith("utf")
        sys.stdout.write(json_text(content, ascii_only=plain) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        fall_silent()


def console() -> Console:
    """Console on stdout; wide enough for the tables where the output is a file or a pipe.

    Where the environment has ``COLUMNS``, that is its width.
    """
    from rich.console import Console

    class Patient(Console):
        def on_broken_pipe(self) -> None:
            fall_silent()

    chosen = os.environ.get("COLUMNS", "")
    has_width = chosen.isdecimal() and int(chosen) > 0
    return Patient() if has_width or sys.stdout.isatty() else Patient(width=WIDTH_OF_FILES)


@contextlib.contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, shown only where a person looks; yields a function of (done, total)."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title)
        yield lambda done, total: bar.update(task, completed=done, total=total)
