"""`sim studio`: a browser window from a robot file to a verdict, without a script."""

from __future__ import annotations

import argparse
from pathlib import Path

from sim.cli.arguments import add_flag


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Open a window in the browser: choose a robot, type its motion, run it and read the "
        "verdict. The window writes the scenario script into FOLDER, where `sim run` runs it. The "
        "server accepts connections from this machine only; stop it with Ctrl-C."
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
    add_flag(command, "--no-browser", "print the address without opening a browser")
    command.set_defaults(action=open_studio)


def open_studio(options: argparse.Namespace) -> int:
    """Serve the window until the process is stopped."""
    from sim.cli.window import open_window

    return open_window(Path(options.folder), port=options.port, opens=not options.no_browser)
