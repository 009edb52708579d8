"""Arguments of the `sim` command, and what its exit status means.

0 all is well · 1 judged and found wanting · 2 misuse or bad input · 3 the engine failed
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from sim.errors import EngineError, SimError

if TYPE_CHECKING:
    from sim.scenario import Scenario

    _Commands = argparse._SubParsersAction["_Parser"]

WELL, WANTING, MISUSE, ENGINE = 0, 1, 2, 3

# The choices are typed here too, so that `sim --help` need not load the library; a test compares.
METHODS = ("stepped", "ideal", "adaptive")


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
            from sim.cli.running import run_function

            return run_function(function, options)
        options = _parser().parse_args(arguments)
        return int(options.action(options))
    except KeyboardInterrupt:
        sys.stderr.write("sim: interrupted\n")
        return MISUSE
    except (SimError, OSError) as error:  # OSError: a full disk, a name that cannot be
        sys.stderr.write(f"sim: {error}\n")
        return ENGINE if isinstance(error, EngineError) else MISUSE


class _Parser(argparse.ArgumentParser):
    """Errors in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(MISUSE, f"{self.prog}: {message}; see {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="sim",
        description="Simulate robot arms in PyBullet and prove the result against their "
        "Lagrangian model.",
        epilog="Exit status: 0 all is well, 1 judged and found wanting, 2 misuse or bad input, "
        "3 the engine failed.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    command = commands.add_parser("list", help="scenarios and robots that are there")
    _json(command)
    command.set_defaults(action=_list)

    command = commands.add_parser("run", help="simulate scenarios, check and record them")
    command.add_argument("names", nargs="*", metavar="NAME|FILE.py")
    command.add_argument("--all", action="store_true", help="run every shipped scenario")
    _run_options(command)
    command.set_defaults(action=_run)

    command = commands.add_parser("check", help="judge a run again, from its files")
    command.add_argument("run", metavar="RUN", help="a run's folder, or a scenario (newest run)")
    _json(command)
    command.set_defaults(action=_check)

    command = commands.add_parser("compare", help="a run against its baseline or another run")
    command.add_argument("run", metavar="RUN")
    command.add_argument("other", metavar="OTHER", nargs="?")
    _json(command)
    command.set_defaults(action=_compare)

    command = commands.add_parser("accept", help="make a run the baseline of its scenario")
    command.add_argument("run", metavar="RUN")
    command.add_argument("--reason", required=True, metavar="TEXT")
    command.set_defaults(action=_accept)

    _report_parser(commands)
    _ik_parser(commands)
    _play_parser(commands)
    _teach_parser(commands)
    return parser


def _report_parser(commands: _Commands) -> None:
    command = commands.add_parser("report", help="write the page of a run, others laid over it")
    command.add_argument("runs", nargs="+", metavar="RUN")
    command.add_argument("--out", metavar="FILE", help="the HTML file; in the first run's folder")
    command.set_defaults(action=_report)


def _ik_parser(commands: _Commands) -> None:
    command = commands.add_parser(
        "ik",
        help="all joint positions for a pose of the tool",
        description="All joint positions that bring the tool frame to a pose in the world.",
    )
    command.add_argument("robot", metavar="ROBOT", help="a shipped robot or a URDF file")
    command.add_argument(
        "--pose",
        nargs=6,
        type=float,
        required=True,
        metavar=("X", "Y", "Z", "RX", "RY", "RZ"),
        help="position [m] and roll, pitch, yaw about fixed axes as in a URDF [rad]",
    )
    command.add_argument(
        "--from",
        nargs="+",
        type=float,
        dest="start",
        metavar="Q",
        help="joint positions from which the way is measured [rad, m]; zero without it",
    )
    command.add_argument(
        "--degrees", action="store_true", help="angles on the command line are degrees"
    )
    _json(command)
    command.set_defaults(action=_ik)


def _play_parser(commands: _Commands) -> None:
    command = commands.add_parser("play", help="show a run in a window, or write it as a video")
    command.add_argument("run", metavar="RUN")
    command.add_argument("--speed", type=float, default=1.0, metavar="X", help="1: as it was")
    command.add_argument(
        "--video", metavar="FILE", help="write this .mp4, .gif or .png; needs no display"
    )
    command.add_argument("--against", metavar="RUN", help="another run as a ghost")
    command.add_argument("--size", default="640x480", metavar="WxH", help="pixels of a video")
    command.add_argument("--fps", type=float, metavar="N", help="pictures a second")
    command.add_argument("--at", type=float, metavar="S", help="time of a still [s]")
    command.set_defaults(action=_play)


def _teach_parser(commands: _Commands) -> None:
    command = commands.add_parser("teach", help="a slider for each joint, and the tool's pose")
    command.add_argument("robot", metavar="ROBOT", help="a shipped robot or a URDF file")
    command.add_argument("--pose", metavar="NAME", help="start at a pose of the robot's card")
    command.add_argument("--tool", metavar="LINK", help="the tool frame, where it is ambiguous")
    command.set_defaults(action=_teach)


def _script_parser() -> argparse.ArgumentParser:
    parser = _Parser(description="Run this scenario, as `sim run` does.")
    _run_options(parser)
    return parser


def _run_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="K=V",
        dest="settings",
        help="a parameter of the scenario; may be repeated",
    )
    command.add_argument("--method", choices=METHODS, help="method of solving")
    command.add_argument("--dt", type=float, metavar="S", help="sampling interval and step [s]")
    command.add_argument("--out", metavar="DIR", help="folder of the run")
    command.add_argument("--no-report", action="store_true", help="write no page and no figures")
    command.add_argument("--gui", action="store_true", help="show the run in a window afterwards")
    _json(command)


def _json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="one JSON document on stdout")


def _list(options: argparse.Namespace) -> int:
    from sim.cli.listing import show_list

    return show_list(options)


def _run(options: argparse.Namespace) -> int:
    from sim.cli.running import run_names

    return run_names(options)


def _check(options: argparse.Namespace) -> int:
    from sim.cli.judging import check_run

    return check_run(options)


def _compare(options: argparse.Namespace) -> int:
    from sim.cli.judging import compare_runs

    return compare_runs(options)


def _accept(options: argparse.Namespace) -> int:
    from sim.cli.judging import accept_run

    return accept_run(options)


def _report(options: argparse.Namespace) -> int:
    from sim.cli.reporting import write_pages

    return write_pages(options)


def _play(options: argparse.Namespace) -> int:
    from sim.cli.playing import play_run

    return play_run(options)


def _teach(options: argparse.Namespace) -> int:
    from sim.cli.playing import teach_robot

    return teach_robot(options)


def _ik(options: argparse.Namespace) -> int:
    from sim.cli.inverse import show_inverse

    return show_inverse(options)
