"""Outcome of a repeated run, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sim.reports.terminal.styled_text import Text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.comparison.sameness import Sameness

MOST = 12  # changed inputs that are listed one by one


def repeats(
    earlier: str, tables: Mapping[str, Sameness], inputs: Sequence[str], units: Mapping[str, str]
) -> list[RenderableType]:
    """Return the outcome, each table that differs, and the changed inputs.

    Parameters
    ----------
    earlier : str
        The original run.
    tables : mapping of str to Sameness
        By file name.
    inputs : sequence of str
        Changed inputs, as text.
    units : mapping of str to str
        Unit of each channel.
    """
    same = all(one.same for one in tables.values())
    line = Text(f"repeats  {earlier}  ")
    line.append("same to the bit" if same else "differs", "bold green" if same else "bold red")
    lines: list[RenderableType] = [line]
    lines += [
        Text(f"differs  {name}: {sentence}", style="red")
        for name, one in tables.items()
        if not one.same
        for sentence in _difference_sentences(one, units)
    ]
    lines += [Text(f"changed  {one}", style="yellow") for one in inputs[:MOST]]
    if len(inputs) > MOST:
        lines.append(Text(f"changed  {len(inputs) - MOST} more: see --json", style="yellow"))
    if not same and not inputs:
        lines.append(Text("changed  no input that the descriptions list"))
    return lines


def _difference_sentences(one: Sameness, units: Mapping[str, str]) -> list[str]:
    """Return a sentence for each difference of a table."""
    sentences = [] if one.same_times else ["its times differ"]
    for word, channels in (("lacks", one.missing), ("adds", one.new)):
        if channels:
            sentences.append(f"{word} {', '.join(channels)}")
    if one.apart:
        sentences.append(f"{len(one.apart)} channels differ{_furthest(one, units)}")
    return sentences or ["its columns are in a different order"]


def _furthest(one: Sameness, units: Mapping[str, str]) -> str:
    if one.furthest is None:
        return ", only in the sign of zero"
    far = one.furthest
    size = f"{far.worst:.3g} {units.get(far.channel, '')}".strip()
    share = "and was zero" if far.relative is None else f"{far.relative:.2g} of its peak"
    return f", {far.channel} most: {size} at {far.at:.4g} s, {share}"
