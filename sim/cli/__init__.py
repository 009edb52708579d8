"""The `sim` command."""

from sim.cli.command import main
