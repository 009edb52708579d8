"""`sim doctor`: diagnose the installation."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.cli.arguments import add_json
from sim.cli.exit_status import WANTING, WELL

if TYPE_CHECKING:
    from sim.cli.doctor.trouble import HealthItem

NO_END = 10_000  # columns of a file


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Check the installation and suggest fixes. Exit status 0 if simulation runs work, 1 if "
        "not. Attach the output to bug reports. With a display, PyBullet's window opens briefly."
    )
    add_json(command)
    command.set_defaults(action=show_health)


def show_health(options: argparse.Namespace) -> int:
    """Print the diagnosis; requires no optional package."""
    findings = examine()
    if options.json:
        sys.stdout.write(json.dumps(_document(findings), indent=2) + "\n")
    else:
        sys.stdout.write(_text(findings))
    return WELL if _runs(findings) else WANTING


def examine() -> list[HealthItem]:
    """Return all items, in the order of the output."""
    from concurrent.futures import ThreadPoolExecutor
    from contextlib import suppress
    from importlib import import_module

    from sim.cli.doctor import installed, machine
    from sim.cli.doctor.trouble import guard

    with suppress(ImportError):  # reported by its own diagnosis; importing threads would deadlock
        import_module("sim.playback")

    examinations = {
        "Python": installed.python_here,
        "packages": installed.packages_here,
        "engines": machine.engines,
        "working folder": machine.folder,
        "temporary files": machine.temporary,
        "cache": machine.cache,
        "cores and memory": machine.memory,
        "font of figures": installed.font_here,
        "display": machine.windows,
        "browser": machine.browser,
        "ffmpeg": machine.ffmpeg,
        "Chromium": machine.chromium,
    }
    with ThreadPoolExecutor() as pool:  # most of the time is spent waiting for other processes
        return [
            one
            for items in pool.map(guard, *zip(*examinations.items(), strict=True))
            for one in items
        ]


def _runs(findings: Sequence[HealthItem]) -> bool:
    return all(each.works for each in findings if each.needed)


def _document(findings: Sequence[HealthItem]) -> dict[str, object]:
    import platform
    from dataclasses import asdict

    from sim.cli.doctor.installed import own_version

    return {
        "works": _runs(findings),
        "sim": own_version(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "findings": [asdict(each) for each in findings],
    }


def _text(findings: Sequence[HealthItem]) -> str:
    import platform
    import shutil
    import textwrap

    from sim import shipped
    from sim.cli.doctor.installed import own_version

    room = shutil.get_terminal_size((NO_END, 24)).columns
    width = max(len(each.name) for each in findings)
    lines = [f"sim {own_version()} from {shipped.root()}, {platform.platform()}", ""]
    for each in findings:
        mark = "ok     " if each.works else "MISSING" if each.needed else "absent "
        text = each.found if each.works else f"{each.found}; {each.remedy}"
        head = f"{mark}  {each.name:{width}}  "
        lines += textwrap.wrap(
            head + text, room, subsequent_indent=" " * len(head), break_long_words=False,
            break_on_hyphens=False,
        )  # fmt: skip
    faults = [each.name for each in findings if each.needed and not each.works]
    lacking = [each.name for each in findings if not (each.needed or each.works)]
    verdict = f"runs do not work: {', '.join(faults)}" if faults else "runs work"
    lines += ["", verdict + (f"; not available: {', '.join(lacking)}" if lacking else "")]
    return "\n".join(lines) + "\n"
