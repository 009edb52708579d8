"""Output of the command: JSON, tables, progress."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.cli.process_setup import fall_silent
from sim.errors import escape_controls

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    from sim.reports.terminal.printing import PlainOutput


WIDTH_OF_FILES = 160  # [characters]
BETWEEN_DRAWINGS = 0.1  # [s] between updates of a bar


def print_json(content: Any) -> None:
    """Print one JSON document on stdout."""
    from sim.recording.files.whole_files import json_text

    try:
        plain = not (sys.stdout.encoding or "utf-8").lower().startswith("utf")
        text = json_text(content, ascii_only=plain)
        if not text.isprintable():  # JSON has such characters in texts only
            text = json_text(content, ascii_only=True)
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        fall_silent()


def place_of(name: str | Path | None, ending: str = "") -> Path | None:
    """Return the path of a file to be written, checked before anything is computed.

    Raises
    ------
    RecordingError
        If nothing can be written there; see `sim.recording.files.named_file.require_place`.
    """
    from sim.recording.files.named_file import require_place

    if name is None:
        return None
    require_place(Path(name), ending)
    return Path(name)


def console() -> Console | PlainOutput:
    """Return a console on stdout; wide enough for the tables if the output is a file or a pipe.

    The environment variable ``COLUMNS``, if set, is its width. Rich is loaded only where it may
    show colours, which its variables can enable for files too.
    """
    from sim.reports.terminal.printing import PlainOutput
    from sim.reports.terminal.sentences import NARROWEST

    chosen = os.environ.get("COLUMNS", "")
    has_width = chosen.isdecimal() and int(chosen) > 0
    width = int(chosen) if has_width else WIDTH_OF_FILES

    def by_rich() -> Console:
        is_free = has_width or sys.stdout.isatty()
        return _terminal_class()() if is_free else _terminal_class()(width=width)

    has_colours = sys.stdout.isatty() or any(map(os.environ.get, ("FORCE_COLOR", "TTY_COMPATIBLE")))
    if has_colours or width < NARROWEST:
        return by_rich()
    return PlainOutput(sys.stdout, width, by_rich, fall_silent)


@cache
def _terminal_class() -> type[Console]:
    """Return a console class that survives a closed pipe and prints no control characters."""
    from rich.console import Console
    from rich.segment import Segment

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            fall_silent()

        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            for part in super().render(renderable, options):
                if part.control is None and not part.text.isprintable():
                    lines = map(escape_controls, part.text.split("\n"))
                    yield Segment("\n".join(lines), part.style)
                else:
                    yield part

    return Terminal


@contextlib.contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr if it is a terminal; yield a function of (done, total)."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    terminal, last = _terminal_class()(stderr=True), 0.0
    # A thread to draw it would take time, and keep a run from using a second process.
    with Progress(*columns, console=terminal, transient=True, auto_refresh=False) as bar:
        task = bar.add_task(title)

        def tick(done: int, total: int) -> None:
            nonlocal last
            bar.update(task, completed=done, total=total)
            if (now := time.monotonic()) - last >= BETWEEN_DRAWINGS or done >= total:
                bar.refresh()
                last = now

        yield tick
