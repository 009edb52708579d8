"""An identification as text and numbers: for a terminal, a page, and as JSON."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.identification.result import FurtherFriction, Identification, Parameter
from sim.identification.task import NEGATIVE
from sim.identification.terms import FRICTION
from sim.showing.one_line import count_text

if TYPE_CHECKING:
    from rich.console import RenderableType


def document(identification: Identification, urdf: Path) -> dict[str, Any]:
    """Return the result as plain values, in SI; unidentified numbers are omitted.

    ``urdf`` is the absolute path of the file with the identified inertias or payload, damping and
    dry friction. In ``friction``, the law that belongs to it, an unidentified term is 0.
    """
    return {
        "urdf": str(urdf.resolve()),
        "friction": {
            name: {"coulomb": law.coulomb, "viscous": law.viscous, "offset": law.offset}
            for name, law in identification.friction.items()
        },
        "parameters": [
            {
                "name": parameter.name,
                "value": parameter.value,
                "interval": None if parameter.interval is None else list(parameter.interval),
                "told": parameter.is_told,
            }
            for parameter in identification.parameters
        ],
    }


def to_terminal(identification: Identification) -> list[RenderableType]:
    """Return log and filter, friction and residuals of joints, the other numbers, and notes."""
    from sim.reports.terminal.sentences import label_sentence

    styles = {"fault": "yellow"}
    before, after = head_lines(identification), tail_lines(identification)
    return [
        *(label_sentence(label, text) for label, text in before),
        _joint_table(identification),
        *(label_sentence(label, text, styles.get(label, "")) for label, text in after),
    ]


def head_lines(identification: Identification) -> list[tuple[str, str]]:
    """Return labels and sentences that precede the numbers."""
    log, times = identification.log, identification.times
    gaps = count_text(len(times.gaps), "gap") if times.gaps else "no gap"
    length = float(log.t[-1] - log.t[0])
    late = 0.0 if times.delay is None else 1e3 * times.delay  # [ms]
    delay = f", velocities {late:.2g} ms late" if abs(late) >= 0.1 else ""
    chosen = (
        f"{identification.cutoff:.3g} Hz low-pass on log, model and friction; bandwidth of the "
        f"log: {identification.bandwidth:.3g} Hz"
    )
    return [
        (
            "log",
            f"{log.source}: {log.t.size} samples in {length:.4g} s, {times.rate:.4g} Hz, "
            f"{gaps}{delay}{_repairs(identification)}",
        ),
        ("filter", chosen),
        ("gravity", identification.gravity),
    ]


def _repairs(identification: Identification) -> str:
    """Return repairs of the log; the notes have their number and reason."""
    done = (("; unwrapped", "wrapped angles unwrapped"), ("are omitted", "samples omitted"))
    notes = identification.log.notes
    return "".join(f", {word}" for mark, word in done if any(mark in note for note in notes))


def tail_lines(identification: Identification) -> list[tuple[str, str]]:
    """Return labels and sentences after the table of joints."""
    lines = []
    if identification.is_of_payload:
        lines += _payload_lines(identification)
    else:
        lines += _arm_lines(identification)
    lines += [("friction", _further_text(identification, term)) for term in identification.further]
    lines += [("fault", text) for text in identification.faults]
    lines += [("not identified", text) for text in _unidentified_lines(identification)]
    return lines + [("note", text) for text in identification.notes]


def plus_minus(parameter: Parameter) -> str:
    """Return value and half width of the interval, to two digits of the latter."""
    if parameter.value is None or parameter.interval is None:
        return "not identified"
    low, high = parameter.interval
    half = (high - low) / 2
    digits = 0 if half <= 0 else max(0, 1 - math.floor(math.log10(half)))
    return f"{parameter.value:.{digits}f} ± {half:.{digits}f}"


def share(value: float) -> str:
    """Return a share of the measured RMS in per cent."""
    return "–" if math.isnan(value) else f"{100 * value:.1f} %"


def _joint_table(identification: Identification) -> RenderableType:
    from sim.reports.terminal.tables import FittedTable

    headings = (
        "joint", "Coulomb\n[N·m]", "viscous\n[N·m·s/rad]", "offset\n[N·m]",
        "fitted", "unseen", "sliding",
    )  # fmt: skip
    table = FittedTable(headings, ("fitted", "sliding"))
    for score in identification.scores:
        table.add_row(
            score.joint.removesuffix("_joint"),
            *friction_cells(identification, score.joint),
            share(score.seen),
            share(score.unseen),
            share(score.sliding),
        )
    return table


def friction_cells(identification: Identification, joint: str) -> list[str]:
    """Return the three friction numbers of a joint with their intervals."""
    by_name = {parameter.name: parameter for parameter in identification.parameters}
    return [
        plus_minus(by_name[name]) if (name := f"{joint}.{kind}") in by_name else "not identified"
        for kind in FRICTION
    ]


def _payload_lines(identification: Identification) -> list[tuple[str, str]]:
    by_name = {p.name: p for p in identification.parameters if p.name.startswith("payload.")}
    mass = by_name.get("payload.mass")
    lines = []
    if mass is not None and mass.interval is not None:
        if identification.payload is None:
            text = f"not distinguishable from zero; at most {mass.interval[1]:.3g} kg"
        else:
            text = f"{plus_minus(mass)} kg at the frame of {identification.payload.frame}"
        lines.append(("payload", text))
    for kind, unit in (("com", "m"), ("i", "kg·m²")):
        parts = [
            f"{name.rpartition('.')[2]} {plus_minus(p)}"
            for name, p in by_name.items()
            if p.is_told and name.startswith(f"payload.{kind}")
        ]
        if parts:
            what = "centre" if kind == "com" else "tensor"
            lines.append((what, f"{', '.join(parts)} {unit}"))
    return lines


def _further_text(identification: Identification, term: FurtherFriction) -> str:
    parameter, law = identification.parameter(term.name), term.law
    unit = "" if parameter.unit == "1" else f" {parameter.unit}"
    return (
        f"{term.name}, {term.meaning}: {plus_minus(parameter)}{unit}; residual of held-out blocks "
        f"{share(term.by_it)} (without this term {share(term.without)}); Coulomb, viscous and "
        f"offset with it {law.coulomb:.3g}, {law.viscous:.3g}, {law.offset:.3g}; not in the URDF"
    )


def _arm_lines(identification: Identification) -> list[tuple[str, str]]:
    base = [p for p in identification.parameters if p.unit.startswith("kg")]
    rotors = [p for p in base if p.name.endswith(".rotor")]
    base = [p for p in base if not p.name.endswith(".rotor")]
    count = sum(p.is_told for p in base)
    lines = [
        (
            "inertia",
            f"{count} of {len(base)} base parameters are identified from this log; the URDF "
            "keeps values close to the original for the others",
        )
    ]
    for rotor in rotors:
        if rotor.is_told:
            joint = rotor.name.removesuffix(".rotor")
            lines.append(("rotor", f"{joint}: {plus_minus(rotor)} {rotor.unit}; in the card"))
    return lines


def _unidentified_lines(identification: Identification) -> list[str]:
    """Return undetermined parameters, grouped by reason."""
    reasons: dict[str, list[str]] = {}
    for parameter in identification.parameters:
        if not parameter.is_told and parameter.why_not != NEGATIVE:
            reasons.setdefault(parameter.why_not, []).append(_short_name(parameter.name))
    return [f"{', '.join(names)}: {why}" for why, names in reasons.items()]


def _short_name(name: str) -> str:
    """Return a name; of a combination only its first part."""
    first = name.partition(" ")[0]
    return first if first == name else f"{first} …"
