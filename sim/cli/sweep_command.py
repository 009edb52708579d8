"""`sim sweep`: a study, one scenario over many values of its parameters."""

from __future__ import annotations

import argparse

from sim.cli.arguments import SCENARIO_HELP, add_json, add_limit, number
from sim.cli.run_options import METHODS

# Typed here too, so that `sim --help` need not load the library; a test compares.
DESIGNS = ("grid", "lhs", "sobol", "random", "tornado", "morris", "sobol-indices")
DISTRIBUTIONS = ("normal", "uniform")


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments of the command, and what it does."""
    command.add_argument("name", nargs="?", metavar="NAME|FILE.py", help=SCENARIO_HELP)
    command.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="P=VALUES",
        help="a parameter: 0:10:21 (21 values), 0.5,1,1.5 (a list), 0:10 (a range to sample)",
    )
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="K=V",
        dest="settings",
        help="a parameter that is the same in all cases; may be repeated",
    )
    command.add_argument("--method", choices=METHODS, help="method of solving")
    command.add_argument("--dt", type=number, metavar="S", help="sampling interval and step [s]")
    command.add_argument(
        "--design", choices=DESIGNS, default=None, help="how cases are chosen; grid without it"
    )
    command.add_argument(
        "--samples", type=_count, metavar="N", help="cases of a design that samples, or draws"
    )
    command.add_argument("--seed", type=_seed, default=0, metavar="N", help="of chance; 0 without")
    command.add_argument(
        "--tolerance",
        action="append",
        default=[],
        metavar="Q=2%",
        help="Monte Carlo: mass, length, friction, payload, or a parameter",
    )
    command.add_argument(
        "--distribution", choices=DISTRIBUTIONS, default="normal", help="of the tolerances"
    )
    command.add_argument(
        "--response",
        action="append",
        default=[],
        metavar="R",
        help="margin, 'margin.*' (torque, speed, range, power), energy, 'peak tau.*', 'rms …', "
        "'mean …', 'min …', 'max …', 'end …', FILE.py:FUNCTION; may be repeated",
    )
    for direction in ("largest", "smallest"):
        command.add_argument(
            f"--{direction}",
            metavar="P=A:B",
            help=f"find the {direction} value between A and B that keeps the limit",
        )
    command.add_argument(
        "--within",
        metavar="R>=X",
        help="the limit, such as 'peak tau.elbow<=100'; margin>=0, inside all ratings, without it",
    )
    command.add_argument(
        "--to", type=number, metavar="X", help="precision of that value; a thousandth of the range"
    )
    command.add_argument(
        "--keep", type=_keep, default=0, metavar="N|all", help="keep the N runs nearest to limits"
    )
    command.add_argument(
        "--analytic",
        action="store_true",
        help="the model alone, all cases at once; some are simulated as proof",
    )
    command.add_argument(
        "--proof", type=_count, default=5, metavar="N", help="how many are; 5 without it"
    )
    command.add_argument("--workers", type=_count, metavar="N", help="processes; one a processor")
    command.add_argument(
        "--cluster", metavar="tcp://HOST:8786", help="compute on the workers of a Dask scheduler"
    )
    command.add_argument("--out", metavar="DIR", help="folder of the study; one of it goes on")
    command.add_argument("--resume", metavar="DIR", help="go on with the study in a folder")
    command.add_argument(
        "--trust",
        action="store_true",
        help="with --resume: execute the script even if you have not run it here by name",
    )
    command.add_argument("--yes", action="store_true", help="begin even beyond an hour")
    command.add_argument(
        "--no-require", action="store_true", help="cases beyond a limit are no failure (exit 0)"
    )
    command.add_argument("--no-report", action="store_true", help="write no page")
    add_limit(command, "6")
    add_json(command)
    command.set_defaults(action=run_sweep_command)


def run_sweep_command(options: argparse.Namespace) -> int:
    """Run a study and show it."""
    from sim.cli.sweeping import run_sweep

    return run_sweep(options)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number, 1 or more")
    return int(text)


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no seed: a whole number, 0 or more")
    return int(text)


def _keep(text: str) -> int | str:
    return text if text == "all" else _seed(text)
