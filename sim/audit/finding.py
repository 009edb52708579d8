"""Finding: one result of the audit of a robot file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

Severity = Literal["error", "warning", "note"]

_ORDER: tuple[str, ...] = get_args(Severity)


@dataclass(frozen=True)
class Finding:
    """One finding, where it is, and what to do.

    Parameters
    ----------
    severity : str
        ``error``: numbers of a run would be wrong, or there is no run. ``warning``: it can be
        meant, but seldom is. ``note``: good to know where programs differ.
    code : str
        What kind of finding it is, one word for programs that read the result.
    link_or_joint : str
        Name of the link or joint, or ``robot``.
    line : int or None
        In the file; None for what belongs to no line.
    text : str
        The finding.
    remedy : str
        What to do about it.
    """

    severity: Severity
    code: str
    link_or_joint: str
    line: int | None
    text: str
    remedy: str


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings without duplicates: errors first, then by line."""
    once = dict.fromkeys(findings)
    return tuple(sorted(once, key=lambda f: (_ORDER.index(f.severity), f.line or 0, f.code)))
