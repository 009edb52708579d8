"""The `sim` command, put together from the files of its commands.

They and this file import what is heavy only where it is used, so that `sim --help` starts at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sim.cli import (
    accept_command,
    check_command,
    compare_command,
    ik_command,
    list_command,
    play_command,
    report_command,
    run_command,
    teach_command,
)
from sim.cli.arguments import Parser
from sim.cli.exit_status import ENGINE, MISUSE
from sim.cli.run_options import add_run_options
from sim.errors import EngineError, SimError

if TYPE_CHECKING:
    from sim.scenario.scenario import Scenario


def main(
    function: Callable[..., Scenario] | None = None, argv: Sequence[str] | None = None
) -> None:
    """Run the command and exit with its status.

    Parameters
    ----------
    function : callable, optional
        The ``scenario`` function of a script: then the script itself is run, with the arguments
        of ``sim run``.
    argv : sequence of str, optional
        Arguments; the process's own without it.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    sys.exit(status(arguments, function))


def status(arguments: list[str], function: Callable[..., Scenario] | None = None) -> int:
    """Exit status of a command line; errors go to stderr."""
    try:
        if function is not None:
            options = _script_parser().parse_args(arguments)
            from sim.cli.run_scripts import run_function

            return run_function(function, options)
        options = _parser().parse_args(arguments)
        return int(options.action(options))
    except KeyboardInterrupt:
        sys.stderr.write("sim: interrupted\n")
        return MISUSE
    except (SimError, OSError) as error:  # OSError: a full disk, a name that cannot be
        sys.stderr.write(f"sim: {error}\n")
        return ENGINE if isinstance(error, EngineError) else MISUSE


def _parser() -> Parser:
    parser = Parser(
        prog="sim",
        description="Simulate robot arms in PyBullet and prove the result against their "
        "Lagrangian model.",
        epilog="Exit status: 0 all is well, 1 judged and found wanting, 2 misuse or bad input, "
        "3 the engine failed.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    list_command.add_arguments(commands)
    run_command.add_arguments(commands)
    check_command.add_arguments(commands)
    compare_command.add_arguments(commands)
    accept_command.add_arguments(commands)
    report_command.add_arguments(commands)
    ik_command.add_arguments(commands)
    play_command.add_arguments(commands)
    teach_command.add_arguments(commands)
    return parser


def _script_parser() -> Parser:
    parser = Parser(description="Run this scenario, as `sim run` does.")
    add_run_options(parser)
    return parser
