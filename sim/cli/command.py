"""The `sim` command, put together from the files of its commands.

Only the file of the requested command is imported, and what is heavy only where it is used:
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
from sim.cli.process_setup import Stopped, end_requested, flush_status, prepare, stoppable
from sim.cli.run_options import add_run_options
from sim.errors import EngineError, SimError, in_one_line

if TYPE_CHECKING:
    from sim.scenario.scenario import Scenario


TRACEBACK = "SIM_TRACEBACK"  # of the environment

# Each stands in a file ``<name>_command.py``, which owns its arguments (a hyphen is an underscore).
COMMANDS = {
    "list": "scenarios and robots that are there",
    "run": "simulate scenarios or ADAMS decks, check and record them",
    "convert": "an ADAMS deck as a URDF and a scenario script that can be edited",
    "sweep": "a study: one scenario over many values of its parameters",
    "check": "judge a run again, from its files",
    "compare": "a run against its baseline, another run, or a file of another program",
    "accept": "make a run the baseline of its scenario",
    "history": "errors, peaks and CPU time of a scenario's runs over commits, and where they jump",
    "report": "write the page of a run, others laid over it",
    "export": "a run as a table for other programs, its drives for ADAMS",
    "plot": "curves of a run and expressions of them: figures, table, spectrum",
    "audit": "what is doubtful in a URDF file, and its torques by several programs",
    "mass": "masses of a robot's links from their meshes and a material",
    "ik": "all joint positions for a pose of the tool",
    "workspace": "what the tool reaches in a section, how far from singular, how loaded",
    "equations": "M, C and g of a robot's first joints as symbols: text, LaTeX, C",
    "size": "the smallest motor and gear of catalogues for each drive of a run",
    "verify": "cases whose answers come from elsewhere, by the model and each engine",
    "modes": "natural frequencies and modes of a robot, a script or a run, where it rests",
    "identify": "friction, inertias or the payload of a real robot from its log",
    "fit-time": "how many times as fast a motion may run, how much more may be carried",
    "play": "show a run in a window or a browser, or write it as a video",
    "teach": "a slider for each joint, and the tool's pose",
    "doctor": "what is installed, what works here, what to do about the rest",
    "completion": "a script that completes the command in bash, zsh or fish",
}


class _Version(argparse.Action):
    """Print the version, which is looked up only then."""

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
        The ``scenario`` function of a script: then the script itself is run, with the arguments
        of ``sim run``.
    argv : sequence of str, optional
        Arguments; the process's own without it.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    prepare()
    with stoppable():
        try:
            code = status(arguments, function)
        except SystemExit as leaving:  # of the parser
            code = leaving.code if isinstance(leaving.code, int) else WELL
    sys.exit(flush_status(code))


def status(arguments: list[str], function: Callable[..., Scenario] | None = None) -> int:
    """Exit status of a command line; errors go to stderr."""
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
    except BaseException as error:  # 1 is a verdict; a mistake is none, nor how a script ends
        earlier = end_requested() if isinstance(error, Exception) else None
        if earlier is not None:
            return _ended_by(earlier)
        if isinstance(error, SimError | OSError):  # OSError: a full disk, a name that cannot be
            sys.stderr.write(f"sim: {error_text(error)}\n")
            return ENGINE if isinstance(error, EngineError) else MISUSE
        of_parser = options is None and isinstance(error, SystemExit)
        if of_parser or (TRACEBACK in os.environ and not isinstance(error, SystemExit)):
            raise
        message = _unforeseen(error) if isinstance(error, Exception) else _ending(error)
        sys.stderr.write(f"sim: {message}; {TRACEBACK}=1 shows the way there\n")
        return MISUSE


def _act(options: argparse.Namespace, action: Callable[[argparse.Namespace], int]) -> int:
    """The exit status of a command; where asked it reads no mesh outside a folder."""
    below = getattr(options, "meshes_below", None)
    if below is None:
        return int(action(options))
    from sim.robots.mesh_places import only_meshes_below

    with only_meshes_below(below):
        return int(action(options))


def _ended_by(request: BaseException) -> int:
    """Exit status of a command that a signal ended, which is said on stderr."""
    if isinstance(request, Stopped):
        sys.stderr.write(f"sim: {request}\n")
        return SIGNALLED + request.number
    sys.stderr.write("sim: interrupted\n")
    return INTERRUPTED


def error_text(error: Exception) -> str:
    """The message of an error; of one of the system the file and the reason, without its number."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return in_one_line(f"{error.filename}: {error.strerror}")
    return str(error)


def _unforeseen(error: Exception) -> str:
    """What went wrong and where, in one line."""
    import traceback

    if isinstance(error, UnicodeEncodeError) and error.reason.startswith("surrogates"):
        around = error.object[max(error.start - 60, 0) : error.end + 20]
        return in_one_line(
            f"A name or text is no UTF-8, as all that is written here, in {around!r}; rename the "
            "file or folder"
        )
    if isinstance(error, EOFError) and "marshal" in str(error):
        # Python itself keeps a compiled file that a full disk has cut off, and fails ever after
        where = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 pathlib is not needed here
        return (
            "A file that Python compiled is cut off, as a full disk leaves it; remove the folders "
            f"__pycache__ below {where}, and install the packages again if that is not enough"
        )
    place = traceback.extract_tb(error.__traceback__)[-1]
    why = in_one_line(f"{type(error).__name__}: {error}")
    return f"This input leads to a mistake of sim ({why}; {place.filename}, line {place.lineno})"


def _ending(error: BaseException) -> str:
    """What ends the program but is no error, and where, in one line."""
    import traceback

    place = traceback.extract_tb(error.__traceback__)[-1]
    return in_one_line(
        f"{place.filename}, line {place.lineno}: {type(error).__name__} {error} ends the program; "
        "raise an Exception where something is wrong"
    )


def parser_of(arguments: Sequence[str], *, whole: bool = False) -> Parser:
    """The parser of a command line; of the commands the requested one alone, if one is.

    With `whole` all are there, and complete.
    """
    parser = Parser(
        prog="sim",
        description="Simulate robot arms in PyBullet and prove the result against their "
        "Lagrangian model.",
        epilog="Exit status: 0 all is well, 1 judged and found wanting, 2 misuse or bad input, "
        "3 the engine failed, 130 interrupted (128 and the number of any other signal).",
    )
    parser.add_argument("--version", action=_Version, help="say the version and exit")
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
    parser = Parser(description="Run this scenario, as `sim run` does.")
    add_run_options(parser)
    return parser
