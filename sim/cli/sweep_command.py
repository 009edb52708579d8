"""`sim sweep`: a study, one scenario over many values of its parameters."""

from __future__ import annotations

import argparse

from sim.cli.arguments import (
    SCENARIO_HELP,
    add_json,
    add_limit,
    add_method_and_dt,
    add_set,
    number,
)
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
        help="parameter to vary: 0:10:21 (21 values), 0.5,1,1.5 (list), 0:10 (range to sample); "
        "repeatable",
    )
    add_set(command, "scenario parameter, the same in all cases")
    add_method_and_dt(command, METHODS)
    command.add_argument(
        "--design", choices=DESIGNS, default=None, help="sampling design (default: grid)"
    )
    command.add_argument(
        "--samples", type=_count, metavar="N", help="number of samples or draws (default: 64)"
    )
    command.add_argument(
        "--seed", type=_seed, default=0, metavar="N", help="random seed (default: 0)"
    )
    command.add_argument(
        "--tolerance",
        action="append",
        default=[],
        metavar="Q=2%",
        help="Monte Carlo tolerance of mass, length, friction, payload or a parameter; repeatable",
    )
    command.add_argument(
        "--distribution",
        choices=DISTRIBUTIONS,
        default="normal",
        help="distribution of the tolerances (default: normal)",
    )
    command.add_argument(
        "--response",
        action="append",
        default=[],
        metavar="R",
        help="response to record: margin, 'margin.*' (torque, speed, range, power), energy, "
        "'peak tau.*', 'rms …', 'mean …', 'min …', 'max …', 'end …', FILE.py:FUNCTION; repeatable",
    )
    for direction in ("largest", "smallest"):
        command.add_argument(
            f"--{direction}",
            metavar="P=A:B",
            help=f"find the {direction} value between A and B that satisfies --within",
        )
    command.add_argument(
        "--within",
        metavar="R>=X",
        help="limit of the search, such as 'peak tau.elbow<=100' (default: margin>=0, within all "
        "ratings)",
    )
    command.add_argument(
        "--to", type=number, metavar="X", help="precision of the search (default: range / 1000)"
    )
    command.add_argument(
        "--keep",
        type=_keep,
        default=0,
        metavar="N|all",
        help="keep the N runs closest to limits (default: 0)",
    )
    command.add_argument(
        "--analytic",
        action="store_true",
        help="evaluate the analytic model only; simulate some cases as a check",
    )
    command.add_argument(
        "--proof",
        type=_count,
        default=5,
        metavar="N",
        help="number of cases simulated as a check (default: 5)",
    )
    command.add_argument(
        "--workers", type=_count, metavar="N", help="worker processes (default: one per core)"
    )
    command.add_argument(
        "--cluster", metavar="tcp://HOST:8786", help="use the workers of this Dask scheduler"
    )
    command.add_argument(
        "--out",
        metavar="DIR",
        help="output folder; an existing study is resumed (default: results/studies/NAME-TIME)",
    )
    command.add_argument("--resume", metavar="DIR", help="resume the study in this folder")
    command.add_argument(
        "--trust",
        action="store_true",
        help="with --resume: execute the script even if it has never been run here by name",
    )
    command.add_argument(
        "--yes", action="store_true", help="start even if the estimate exceeds one hour"
    )
    command.add_argument(
        "--no-require",
        action="store_true",
        help="treat cases beyond a limit as results, not as failures (exit status 0)",
    )
    command.add_argument("--no-report", action="store_true", help="skip the HTML page")
    add_limit(command, "6")
    add_json(command)
    command.set_defaults(action=run_sweep_command)


def run_sweep_command(options: argparse.Namespace) -> int:
    """Run a study and show it."""
    from sim.cli.sweeping import run_sweep

    return run_sweep(options)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 1 or more")
    return int(text)


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 0 or more")
    return int(text)


def _keep(text: str) -> int | str:
    return text if text == "all" else _seed(text)
