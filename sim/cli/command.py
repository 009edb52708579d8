"""The `sim` command, assembled from the files of its commands.

Only the file of the requested command is imported, and heavy modules only on use, so that
`sim --help` starts at once.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from sim.cli.arguments import Parser
from sim.cli.exit_status import ENGINE, INTERRUPTED, MISUSE, SIGNALLED, WELL
from sim.cli.process_setup import (
    Stopped,
    end_on_signals,
    end_requested,
    flush_status,
    prepare,
    quieten_matplotlib,
)
from sim.errors import EngineError, SimError, in_one_line, missing

if TYPE_CHECKING:
    from sim.scenario.scenario import Scenario


TRACEBACK = "SIM_TRACEBACK"  # environment variable

# Each command is a file ``<name>_command.py`` with its arguments (a hyphen is an underscore).
COMMANDS = {
    "list": "list available scenarios and robots",
    "run": "simulate, check and record scenarios or ADAMS decks",
    "convert": "convert between URDF, MJCF, SDF and ADAMS decks, with a certificate",
    "sweep": "run a parameter study, Monte Carlo analysis or search on a scenario",
    "optimise": "find the best values of several parameters under constraints",
    "check": "repeat the checks of a recorded run",
    "compare": "compare a run with its baseline, another run or external results",
    "accept": "accept a run as the baseline of its scenario",
    "history": "show errors, peaks and CPU time of a scenario's runs over commits",
    "report": "write the page of a run, with other runs overlaid",
    "export": "export a run as a table, or as an ADAMS deck",
    "plot": "plot channels and expressions of a run: figure, table, spectrum",
    "audit": "check a URDF for errors; compare its torques across solvers",
    "mass": "compute link masses from meshes and a material",
    "ik": "solve inverse kinematics: all joint positions for a tool pose",
    "workspace": "map reach, singularity margin and gravity load in a section",
    "equations": "derive M, C and g of the first joints symbolically: text, LaTeX, C",
    "size": "select the smallest motor and gear from catalogues for each drive",
    "verify": "run verification cases with independent solutions",
    "modes": "compute natural frequencies and mode shapes of a robot, script or run",
    "identify": "identify friction, inertias or the payload of a robot from its log",
    "fit-time": "compute the largest speed-up and payload within the ratings",
    "play": "show a run in a window or browser, or write a video",
    "teach": "move a robot with sliders and read its tool pose",
    "studio": "open the window: from a robot file to a verdict without a script",
    "doctor": "diagnose the installation",
    "completion": "print a completion script for bash, zsh or fish",
}


class _Version(argparse.Action):
    """Print the version, which is looked up only on request."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from sim.cli.doctor.installed import own_version

        sys.stdout.write(f"sim {own_version()}\n")
        parser.exit()


def main(
    function: Callable[..., Scenario] | None = None, argv: Sequence[str] | None = None
) -> None:
    """Run the command and exit with its status.

    Parameters
    ----------
    function : callable, optional
        The ``scenario`` function of a script, which is then run with the arguments of ``sim run``.
    argv : sequence of str, optional
        Arguments (default: those of the process).
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    prepare()
    with end_on_signals():
        try:
            code = status(arguments, function)
        except SystemExit as leaving:  # raised by the parser
            code = leaving.code if isinstance(leaving.code, int) else WELL
    sys.exit(flush_status(code))


def status(arguments: list[str], function: Callable[..., Scenario] | None = None) -> int:
    """Return the exit status of a command line; errors go to stderr."""
    options: argparse.Namespace | None = None
    try:
        if function is not None:
            options = _script_parser().parse_args(arguments)
            from sim.cli.run_scripts import run_function

            return _act(options, partial(run_function, function))
        options = parser_of(arguments).parse_args(arguments or ["--help"])
        return _act(options, options.action)
    except (KeyboardInterrupt, Stopped) as request:
        return _ended_by(request)
    except BaseException as error:  # not 1, which is a verdict
        earlier = end_requested() if isinstance(error, Exception) else None
        if earlier is not None:
            return _ended_by(earlier)
        if isinstance(error, SimError | OSError):  # OSError: a full disk, an impossible name
            sys.stderr.write(f"sim: {error_text(error)}\n")
            return ENGINE if isinstance(error, EngineError) else MISUSE
        of_parser = options is None and isinstance(error, SystemExit)
        if of_parser or (TRACEBACK in os.environ and not isinstance(error, SystemExit)):
            raise
        message = _describe_unforeseen(error) if isinstance(error, Exception) else _ending(error)
        sys.stderr.write(f"sim: {message}; {TRACEBACK}=1 prints the traceback\n")
        return MISUSE


def _act(options: argparse.Namespace, action: Callable[[argparse.Namespace], int]) -> int:
    """Run a command, on request without reading meshes outside a folder; return its exit status."""
    if getattr(options, "draws", True):
        quieten_matplotlib()
    if (below := getattr(options, "meshes_below", None)) is None:
        return int(action(options))
    from sim.robots.mesh_places import only_meshes_below

    with only_meshes_below(below):
        return int(action(options))


def _ended_by(request: BaseException) -> int:
    """Return the exit status of a command ended by a signal; print the signal on stderr."""
    if isinstance(request, Stopped):
        sys.stderr.write(f"sim: {request}\n")
        return SIGNALLED + request.number
    sys.stderr.write("sim: interrupted\n")
    return INTERRUPTED


def error_text(error: Exception) -> str:
    """Return the message of an error; for a system error, file and reason without the number."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        if isinstance(error, FileNotFoundError):
            return in_one_line(missing(error.filename))
        return in_one_line(f"{error.filename}: {error.strerror}")
    return str(error)


def _describe_unforeseen(error: Exception) -> str:
    """Describe an unforeseen error and its place in one line."""
    import traceback

    if isinstance(error, UnicodeEncodeError) and error.reason.startswith("surrogates"):
        around = error.object[max(error.start - 60, 0) : error.end + 20]
        return in_one_line(
            f"A name or text is not valid UTF-8: {around!r}; rename the file or folder"
        )
    if isinstance(error, EOFError) and "marshal" in str(error):
        # Python itself keeps a compiled file that was truncated by a full disk, and fails ever
        # after
        where = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 pathlib is not needed here
        return (
            "A file that Python compiled is truncated, for example by a full disk; remove the "
            f"folders __pycache__ below {where}; if that is not enough, reinstall the packages"
        )
    place = traceback.extract_tb(error.__traceback__)[-1]
    why = in_one_line(f"{type(error).__name__}: {error}")
    return f"This input triggers a bug in sim ({why}; {place.filename}, line {place.lineno})"


def _ending(error: BaseException) -> str:
    """Describe in one line an exit that is not an error, and its place."""
    import traceback

    place = traceback.extract_tb(error.__traceback__)[-1]
    return in_one_line(
        f"{place.filename}, line {place.lineno}: {type(error).__name__} {error} ends the program; "
        "raise an Exception to report an error"
    )


def parser_of(arguments: Sequence[str], *, whole: bool = False) -> Parser:
    """Return the parser of a command line, with only the requested command if there is one.

    With `whole` it has all commands with their arguments.
    """
    parser = Parser(
        prog="sim",
        description="Simulate robot arms in PyBullet or MuJoCo and check the results against an "
        "analytic Lagrangian model.",
        epilog="Exit status: 0 success, 1 a result failed (check, difference, audit error, pose "
        "out of reach), 2 misuse or bad input, 3 engine failure, 130 interrupted (any other "
        "signal: 128 + its number).",
    )
    parser.add_argument("--version", action=_Version, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    chosen = next((word for word in arguments if not word.startswith("-")), None)
    is_first = not whole and chosen in COMMANDS and arguments[0] == chosen
    for name in COMMANDS if not is_first else arguments[:1]:
        command = commands.add_parser(name, help=COMMANDS[name])
        if whole or name == chosen:
            importlib.import_module(f"sim.cli.{name.replace('-', '_')}_command").add_arguments(
                command
            )
    return parser


def _script_parser() -> Parser:
    from sim.cli.run_options import add_run_options

    parser = Parser(description="Run this scenario like `sim run`.")
    add_run_options(parser)
    return parser
