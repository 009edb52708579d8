"""What the arguments of all commands have in common: errors in one line, and ``--json``."""

from __future__ import annotations

import argparse
from typing import NoReturn

from sim.cli.exit_status import MISUSE


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and exit."""
        self.exit(MISUSE, f"{self.prog}: {message}; see {self.prog} --help\n")


def add_json(command: argparse.ArgumentParser) -> None:
    """The option ``--json``."""
    command.add_argument("--json", action="store_true", help="one JSON document on stdout")
