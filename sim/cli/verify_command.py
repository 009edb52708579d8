"""`sim verify`: the cases of the verification manual, or a user's case."""

from __future__ import annotations

import argparse

from sim.cli.arguments import add_flag, add_json, add_junit
from sim.cli.exit_status import WANTING, WELL
from sim.errors import ScenarioError

ENGINE_CHOICES = ("bullet", "mujoco", "both", "none")


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Run verification cases with independent solutions (closed forms, textbooks, benchmarks, "
        "published values, other programs) with the analytic model and each engine. Solvers that "
        "are not installed are skipped and listed. Exit status 1 if a result exceeds its "
        "tolerance."
    )
    command.add_argument(
        "cases",
        nargs="*",
        metavar="CASE",
        help="case, chapter, .py file that defines a CASE, or folder of such files (default: all)",
    )
    command.add_argument(
        "--engine",
        choices=ENGINE_CHOICES,
        default="both",
        help="engines compared in addition to the analytic model (default: both)",
    )
    add_flag(command, "--list", "list the cases and exit")
    add_junit(command)
    command.add_argument(
        "--page", metavar="FILE.html", help="write the verification manual as an HTML page"
    )
    add_json(command)
    command.set_defaults(action=verify_cases)


def verify_cases(options: argparse.Namespace) -> int:
    """Verify the cases and print the accuracy of each method; return status 1 if one fails."""
    from sim.cli.output import console, place_of, print_json, progress
    from sim.engine_names import ENGINES
    from sim.reports.terminal.printing import show
    from sim.verification.manual import find_cases
    from sim.verification.to_terminal import document, list_of_cases, to_terminal
    from sim.verification.verdict import verify

    page, junit = place_of(options.page, ".html"), place_of(options.junit, ".xml")
    cases = find_cases(options.cases)
    if options.list:
        if page or junit or options.json:
            raise ScenarioError("--list verifies nothing; omit --page, --junit and --json")
        show(console(), list_of_cases(cases))
        return WELL
    engines = {"both": tuple(ENGINES), "none": ()}.get(options.engine, (options.engine,))
    verdicts = []
    with progress("verify") as done:
        for number, filed in enumerate(cases):
            done(number, len(cases))
            verdicts.append(verify(filed, engines))
    if junit is not None:
        from sim.verification.suite import write_suite

        write_suite(junit, verdicts)
    if page is not None:
        from sim.verification.page import write_page

        write_page(verdicts, page)
    code = WANTING if any(one.status == "failed" for one in verdicts) else WELL
    if options.json:
        print_json(document(verdicts))
        return code
    show(console(), to_terminal(verdicts))
    for path in (page, junit):
        if path is not None:
            console().print(f"written  {path}", highlight=False, markup=False)
    return code
