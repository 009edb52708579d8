"""Finding: one result of the audit of a robot file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from msgspec import Struct

Severity = Literal["error", "warning", "note"]

_ORDER: tuple[str, ...] = get_args(Severity)


class Finding(Struct, frozen=True):
    """One finding, its place, and its remedy.

    Parameters
    ----------
    severity : str
        ``error``: numbers of a run would be wrong, or there is no run. ``warning``: possible, but
        seldom intended. ``note``: of interest where programs differ.
    code : str
        Kind of the finding, one word for programs.
    link_or_joint : str
        Name of the link or joint, or ``robot``.
    line : int or None
        In the file; None if it belongs to no line.
    text : str
        The finding.
    remedy : str
        Proposed action.
    """

    severity: Severity
    code: str
    link_or_joint: str
    line: int | None
    text: str
    remedy: str


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings without duplicates: errors first, then by line."""
    once = dict.fromkeys(findings)
    return tuple(sorted(once, key=lambda f: (_ORDER.index(f.severity), f.line or 0, f.code)))
