"""The `sim` command."""

from sim.cli.command import main

__all__ = ["main"]
