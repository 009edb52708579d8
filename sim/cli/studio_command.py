"""`sim studio`: a browser window from a robot file to a verdict, without a script."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from pathlib import Path

from sim.cli.exit_status import WELL
from sim.errors import PlaybackError


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Open a window in the browser: choose a robot, type its motion, run it and read the "
        "verdict. The window writes the scenario script into FOLDER, where `sim run` runs it. The "
        "server answers this machine only and ends with Ctrl-C."
    )
    command.add_argument(
        "folder",
        nargs="?",
        default=".",
        metavar="FOLDER",
        help="folder of scripts, robots and runs (default: working folder)",
    )
    command.add_argument(
        "--port", type=int, default=0, metavar="N", help="port of the server (default: a free one)"
    )
    command.add_argument(
        "--no-browser", action="store_true", help="print the address and open no browser"
    )
    command.set_defaults(action=open_studio)


def open_studio(options: argparse.Namespace) -> int:
    """Serve the window until the process is stopped."""
    try:
        from sim.studio.server import serve
    except ImportError as error:
        raise PlaybackError(
            f"sim studio requires Starlette and uvicorn: pip install 'sim[studio]' ({error})"
        ) from error
    worker = [sys.executable, "-m", "sim.cli.studio_worker"]
    command = [sys.executable, "-m", "sim"]

    def ready(address: str) -> None:
        _show(address, opens=not options.no_browser)

    serve(Path(options.folder), command, worker, ready, options.port)
    return WELL


def _show(address: str, *, opens: bool) -> None:
    """Print the address, and open it in a browser if there is one."""
    from sim.cli.output import console
    from sim.playback.browser import browser_here, is_textual

    out = console()
    out.print(f"window   {address}", highlight=False, markup=False, soft_wrap=True)
    out.print("stop     Ctrl-C", highlight=False, markup=False)
    browser = browser_here() if opens else None
    try:
        is_open = browser is not None and not is_textual(browser) and webbrowser.open(address, 2)
    except webbrowser.Error:
        is_open = False
    if opens and not is_open:
        out.print("no browser found; open this address in one", style="yellow")
