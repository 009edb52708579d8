"""Merging of findings with one cause: a file in millimetres or degrees, a mesh in millimetres."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from sim.audit.finding import Finding

LENGTHS = {"millimetres-in-origin": "origin", "millimetres-in-limit": "stroke"}
ANGLES = {
    "degrees-in-rpy": "orientation",
    "degrees-in-limit": "range",
    "degrees-in-velocity": "speed",
}
CODE = "wrong-units"
# Findings that depend on lengths, and are meaningless while these are wrong.
OF_SHAPES = (
    "inertia-too-large",
    "inertia-too-small",
    "inertia-beyond-shape",
    "centre-outside",
    "centre-outside-shape",
    "implied-density",
    "too-dense",
)
FOLLOW = (*OF_SHAPES, "weak-drive")
FEWEST = 3  # findings, two of them errors: fewer are separate slips


def one_cause(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings, those on units merged if they agree on the whole file."""
    findings = list(findings)
    alike = [one for one in findings if one.code in LENGTHS or one.code in ANGLES]
    if len(alike) < FEWEST or sum(one.severity == "error" for one in alike) < 2:
        return findings
    first = min(alike, key=lambda one: one.line or 0)
    text = f"this file is in {_units(alike)}: {_places(alike)}, the first at {first.link_or_joint}"
    remedy = "sim audit FILE --fix OUT.urdf converts it to metres and radians"
    whole = Finding("error", CODE, "robot", first.line, text, remedy)
    follow = FOLLOW if any(one.code in LENGTHS for one in alike) else ()
    return [whole, *(one for one in findings if one not in alike and one.code not in follow)]


def _units(alike: Sequence[Finding]) -> str:
    codes = {one.code for one in alike}
    wrong = (("millimetres", LENGTHS), ("degrees", ANGLES))
    return " and ".join(name for name, kinds in wrong if codes & kinds.keys())


def _places(alike: Sequence[Finding]) -> str:
    """Return numbers of findings by kind: ``4 origins, 2 ranges``."""
    counts = Counter(one.code for one in alike)
    words = LENGTHS | ANGLES
    return ", ".join(
        f"{count} {words[code]}{'' if count == 1 else 's'}" for code, count in counts.items()
    )
