"""Motors and gears for a run, for a terminal and as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sim.maths.quadrature import Estimate
from sim.reports.terminal.sentences import label_sentence
from sim.reports.terminal.tables import FittedTable, number
from sim.showing.shares import share_text
from sim.sizing.choice import MotorChoice, MotorSizing
from sim.sizing.parts import Gear, Motor

if TYPE_CHECKING:
    from rich.console import RenderableType

RPM = math.pi / 30  # rad/s
HEADINGS = (
    "joint", "motor", "gear", "peak\nN·m", "RMS\nN·m", "peak\n1/min", "peak\nW", "regen.\nJ",
    "rotor", "links/\nrotor", "limiting", "used",
)  # fmt: skip
SPARE = ("links/\nrotor", "regen.\nJ", "rotor", "peak\nW", "peak\n1/min")
ROWS = 4  # lines of a sentence


def to_terminal(sizing: MotorSizing) -> list[RenderableType]:
    """Return one row per joint, exceeded ratings, and the ranking."""
    rows = FittedTable(HEADINGS, SPARE, left=("motor", "gear"), prose=("limiting",))
    for choice in sizing.choices:
        rows.add_row(*_cells(choice), style=None if choice.holds else "red")
    parts: list[RenderableType] = [rows]
    for label, text, style in sentences(sizing):
        parts.append(label_sentence(label, text, style, rows=ROWS))
    return parts


def _cells(choice: MotorChoice) -> tuple[str, ...]:
    load, ratio = choice.load, choice.inertia_ratio
    return (
        choice.joint.removesuffix("_joint"),
        choice.pair.motor.name,
        choice.pair.gear.name,
        number(load.peak_torque),
        number(load.rms_torque.value),
        f"{load.peak_speed / RPM:.0f}",
        number(load.peak_power),
        number(load.regenerated.value),
        f"{100 * load.rotor_share:.0f} %",
        "-" if ratio is None else f"{ratio:.3g}",
        choice.tightest,
        share_text(choice.shares[choice.tightest]),
    )


def sentences(sizing: MotorSizing) -> list[tuple[str, str, str]]:
    """Return label, text and style of the notes below the table."""
    lines = []
    if sizing.verdict != "pass":
        state = "has no verdict" if sizing.verdict is None else "failed its checks"
        lines.append(
            (
                "run",
                f"the run {state}: do not rely on these loads; sim check lists the reasons",
                "red",
            )
        )
    for choice in sizing.choices:
        if not choice.holds:
            lacking = [
                f"{name} {share_text(share)}"
                for name, share in sorted(choice.shares.items(), key=lambda item: -item[1])
                if share > 1.0 - sizing.reserve
            ]
            text = f"no pair in the catalogues; {choice.pair.name} is closest: {', '.join(lacking)}"
            lines.append(("exceeded", f"{choice.joint}: {text}", "red"))
    for choice in sizing.choices:
        if choice.smaller is not None and choice.smaller_lacks is not None:
            name, share = choice.smaller_lacks
            text = (
                f"{choice.joint}: next smaller pair {choice.smaller.name} exceeds {name} "
                f"({share_text(share)})"
            )
            lines.append(("smaller", text, "dim"))
    if sizing.rank == "mass":
        whole = (
            "" if sizing.mass is None or not sizing.holds else f"; total {number(sizing.mass)} kg"
        )
        lines.append(("rank", f"by mass{whole}", ""))
    else:
        text = "by torque of motor and gear at the joint, because no mass is given for "
        lines.append(("rank", text + ", ".join(sizing.without_mass), ""))
    if sizing.reserve:
        lines.append(("reserve", f"{100 * sizing.reserve:g} % of each rating is reserved", ""))
    for name, why in sizing.left_out.items():
        lines.append(("left out", f"{name}: {why}", ""))
    if unknown := _unknown_ratings(sizing):
        lines.append(("unknown", f"not checked, no catalogue data: {unknown}", "dim"))
    if made_up := _made_up(sizing):
        lines.append(("note", f"fictitious catalogue data: {made_up}", ""))
    worst = max(choice.differs for choice in sizing.choices)
    lines.append(
        ("model", f"analytic torques, speeds, powers differ by at most {worst:.0e} of peak", "")
    )
    return lines


def _unknown_ratings(sizing: MotorSizing) -> str:
    """Return ratings of the chosen parts that their catalogue does not state."""
    judged = {
        "winding heat": "a motor's heat",
        "gear mean torque": "a gear's mean torque",
        "gear peak speed": "a gear's peak speed",
        "gear mean speed": "a gear's mean speed",
    }
    open_ = {
        text: [choice.joint for choice in sizing.choices if name not in choice.shares]
        for name, text in judged.items()
    }
    return "; ".join(
        text if len(joints) == len(sizing.choices) else f"{text} of {', '.join(joints)}"
        for text, joints in open_.items()
        if joints
    )


def _made_up(sizing: MotorSizing) -> str:
    parts: list[Motor | Gear] = []
    for choice in sizing.choices:
        parts += [choice.pair.motor, choice.pair.gear]
    names = (part.name for part in parts if "made up" in part.source.lower())
    return ", ".join(dict.fromkeys(names))


def document(sizing: MotorSizing) -> dict[str, object]:
    """Return all results as plain data in SI units."""
    return {
        "scenario": sizing.scenario,
        "verdict": sizing.verdict,
        "holds": sizing.holds,
        "rank": sizing.rank,
        "reserve": sizing.reserve,
        "mass": sizing.mass,
        "left_out": dict(sizing.left_out),
        "joints": [_document(choice) for choice in sizing.choices],
    }


def _document(choice: MotorChoice) -> dict[str, object]:
    load = {
        name: {"value": value.value, "error": value.error} if isinstance(value, Estimate) else value
        for name, value in vars(choice.load).items()
    }
    smaller = None
    if choice.smaller is not None and choice.smaller_lacks is not None:
        name, share = choice.smaller_lacks
        pair = choice.smaller
        smaller = {"motor": pair.motor.name, "gear": pair.gear.name, "lacks": name, "share": share}
    ratio = choice.inertia_ratio
    return {
        "joint": choice.joint,
        "motor": vars(choice.pair.motor),
        "gear": vars(choice.pair.gear),
        "mass": choice.pair.mass,
        "holds": choice.holds,
        "shares": dict(choice.shares),
        "margins": {name: 1.0 - share for name, share in choice.shares.items()},
        "binds": choice.tightest,
        "inertia_ratio": ratio if ratio is None or math.isfinite(ratio) else None,
        "load": load,
        "model_differs": choice.differs,
        "smaller": smaller,
    }
