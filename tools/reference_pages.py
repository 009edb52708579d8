"""Write the generated pages of the reference: Python interface, channels, limits of methods."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from pathlib import Path

import sim
from sim.audit.reading_facts import MEASURED, MJCF_FEATURES, SDF_FEATURES, URDF_FEATURES, Feature
from sim.cli.command import COMMANDS, parser_of
from sim.recording.schema.channels import GROUPS, ChannelGroup
from sim.recording.schema.methods import METHODS, MethodLimits

FINDINGS = Path(__file__).parents[1] / "findings"
_HEAD = re.compile(r"^# ([A-Z]+): (.*)$", re.MULTILINE)
_LABELS = {
    "GUESS": "a good guess",
    "SEEN": "what it does",
    "VERSIONS": "versions",
    "MATTERS": "why it matters",
}
NOTE = "<!-- Written by tools/reference_pages.py from the code; edits are lost. -->\n"


def write_pages(folder: Path) -> None:
    """Write the pages into a folder, except unchanged ones."""
    pages = {
        "api.md": api(),
        "channel_table.md": channels(),
        "limits_of_methods.md": limits(),
        "reading_table.md": readings(URDF_FEATURES),
        "mjcf_reading_table.md": readings(MJCF_FEATURES),
        "sdf_reading_table.md": readings(SDF_FEATURES),
        "findings.md": findings(),
    }
    for name, text in pages.items():
        page = folder / name
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def api() -> str:
    """List every name of `sim` with its docstring."""
    return "\n".join((NOTE, *_api_lines()))


def _api_lines() -> Iterator[str]:
    yield "# Python interface\n"
    yield "The public interface is exported from `sim`. Angles are in radians, all else in SI.\n"
    names = sorted(sim.__all__, key=str.lower)
    kinds = {name: getattr(sim, name) for name in names}
    classes = [name for name in names if inspect.isclass(kinds[name])]
    errors = [name for name in classes if issubclass(kinds[name], Exception)]
    functions = [name for name in names if name not in classes]
    for heading, group, directive in (
        ("Functions", functions, "autofunction"),
        ("Classes", [name for name in classes if name not in errors], "autoclass"),
        ("Errors", errors, "autoexception"),
    ):
        yield f"## {heading}\n"
        yield "| | |\n|---|---|"
        for name in group:
            yield f"| {{py:obj}}`{name} <sim.{name}>` | {_fact(kinds[name])} |"
        yield ""
        for name in group:
            members = "\n   :members:" if directive == "autoclass" else ""
            if any(map(is_dataclass, kinds[name].__mro__[1:] if members else ())):
                members += "\n   :inherited-members:"  # the base is a part of the same value
            yield f"### {name}\n"
            yield f"```{{eval-rst}}\n.. {directive}:: sim.{name}{members}\n```\n"


def _fact(value: object) -> str:
    """Return the first line of a docstring, as a table cell."""
    line = (inspect.getdoc(value) or "").partition("\n")[0]
    return line.replace("``", "`").replace("|", "\\|")


def channels() -> str:
    """Return the table of the channel groups."""
    rows = ["| channels | quantity | unit | unit (prismatic) | compared |", "|---|---|---|---|---|"]
    rows += [_channel_row(group) for group in GROUPS.values() if group.name != "other"]
    return NOTE + "\n" + "\n".join(rows) + "\n"


def _channel_row(group: ChannelGroup) -> str:
    parts = {part.unit for part in group.components.values()}
    unit = ", ".join((group.unit, *sorted(parts - {group.unit})))
    compared = "yes" if group.is_compared else "no"
    return f"| `{group.name}` | {group.heading} | {unit} | {group.sliding} | {compared} |"


def limits() -> str:
    """Return the table of the limits of each method, one row per field."""
    rows = ["| limit | " + " | ".join(f"`{name}`" for name in METHODS) + " |"]
    rows.append("|---" * (len(METHODS) + 1) + "|")
    for name in MethodLimits.__struct_fields__:
        values = (getattr(method.limits, name) for method in METHODS.values())
        rows.append(f"| {name} | " + " | ".join(f"{v:.3g}" for v in values) + " |")
    return NOTE + "\n" + "\n".join(rows) + "\n"


def readings(features: Mapping[str, Feature]) -> str:
    """Return the table of other programs' readings of each feature of a format."""
    programs = next(iter(features.values())).by_program
    heads = [f"{program} {MEASURED[program][1]}" for program in programs]
    rows = [f"| feature | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    rows += [
        f"| {escape(feature.title)} | {' | '.join(feature.by_program.values())} |"
        for feature in features.values()
    ]
    return NOTE + "\n" + "\n".join(rows) + "\n"


def findings() -> str:
    """List surprising behaviour of public programs, from the heads of `findings/*.sh`."""
    lines = [
        NOTE,
        "# What other programs do\n",
        "Behaviour of public programs on valid input that a good guess gets wrong. A script in\n"
        "`findings/` repeats each with the versions below; `make findings` runs all.\n",
    ]
    for script in sorted(FINDINGS.glob("*.sh")):
        head = dict(_HEAD.findall(script.read_text(encoding="utf-8")))
        lines += [
            f"## {escape(head['TITLE'])}\n",
            *("| | |", "|---|---|"),
            *(f"| {label} | {escape(head[key])} |" for key, label in _LABELS.items()),
            f"| script | `findings/{script.name}` |\n",
        ]
    return "\n".join(lines)


def escape(text: str) -> str:
    """Return a text as a table cell, with tags and bars escaped."""
    for character, written in (("<", "\\<"), ("|", "\\|")):
        text = text.replace(character, written)
    return text


def command_parser() -> argparse.ArgumentParser:
    """Return the parser of `sim` with all commands, for the page of the command line."""
    return parser_of(list(COMMANDS), whole=True)
