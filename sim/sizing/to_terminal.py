"""Motors and gears for a run, for a terminal and as a document."""

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
    "joint", "motor", "gear", "peak\nN·m", "RMS\nN·m", "peak\n1/min", "peak\nW", "back\nJ", "rotor",
    "links/\nrotor", "binds", "used",
)  # fmt: skip
SPARE = ("peak\nW", "back\nJ", "links/\nrotor", "rotor", "peak\n1/min", "RMS\nN·m", "peak\nN·m")
ROWS = 4  # of a sentence


def to_terminal(sizing: MotorSizing) -> list[RenderableType]:
    """A row a joint, what does not hold, and what the smallest is by."""
    rows = FittedTable(HEADINGS, SPARE, left=("motor", "gear", "binds"))
    for choice in sizing.choices:
        rows.add_row(*_cells(choice), style=None if choice.holds else "red")
    parts: list[RenderableType] = [rows]
    for label, text, style in sentences(sizing):
        parts.append(label_sentence(label, text, style, rows=ROWS))
    return parts


def _cells(choice: MotorChoice) -> tuple[str, ...]:
    load, ratio = choice.load, choice.inertia_ratio
    return (
        choice.joint,
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
    """Label, text and style of what the table does not say."""
    found = []
    if sizing.verdict != "pass":
        said = "was not judged" if sizing.verdict is None else "has failed its checks"
        found.append(("run", f"it {said}: doubt the figures until sim check shows why", "red"))
    for choice in sizing.choices:
        if not choice.holds:
            lacking = [
                f"{name} {share_text(used)}"
                for name, used in sorted(choice.shares.items(), key=lambda item: -item[1])
                if used > 1.0 - sizing.reserve
            ]
            text = f"nothing in the catalogues; {choice.pair.name} is nearest: {', '.join(lacking)}"
            found.append(("lacks", f"{choice.joint}: {text}", "red"))
    for choice in sizing.choices:
        if choice.smaller is not None and choice.smaller_lacks is not None:
            name, used = choice.smaller_lacks
            text = f"{choice.joint}: {choice.smaller.name} lacks {name}, {share_text(used)}"
            found.append(("smaller", text, "dim"))
    if sizing.rank == "mass":
        whole = (
            ""
            if sizing.mass is None or not sizing.holds
            else f"; all pairs weigh {number(sizing.mass)} kg"
        )
        found.append(("rank", f"the smallest is the lightest{whole}", ""))
    else:
        text = (
            "the smallest has the least torque of motor and gear at the joint: without a mass are "
        )
        found.append(("rank", text + ", ".join(sizing.without_mass), ""))
    if sizing.reserve:
        found.append(("reserve", f"{100 * sizing.reserve:g} % of each rating stay free", ""))
    for name, why in sizing.left_out.items():
        found.append(("left out", f"{name}: {why}", ""))
    if unknown := _unknown(sizing):
        found.append(("unknown", f"and not judged: {unknown}", "dim"))
    if made_up := _made_up(sizing):
        found.append(("made up", f"by their catalogue's own word: {made_up}", ""))
    apart = max(choice.differs for choice in sizing.choices)
    found.append(
        ("model", f"its torques, speeds, powers differ by at most {apart:.0e} of peaks", "")
    )
    return found


def _unknown(sizing: MotorSizing) -> str:
    """Ratings of the chosen parts that their catalogue leaves open."""
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
    """All of it as plain data in SI units."""
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
        name, used = choice.smaller_lacks
        pair = choice.smaller
        smaller = {"motor": pair.motor.name, "gear": pair.gear.name, "lacks": name, "share": used}
    ratio = choice.inertia_ratio
    return {
        "joint": choice.joint,
        "motor": vars(choice.pair.motor),
        "gear": vars(choice.pair.gear),
        "mass": choice.pair.mass,
        "holds": choice.holds,
        "shares": dict(choice.shares),
        "margins": {name: 1.0 - used for name, used in choice.shares.items()},
        "binds": choice.tightest,
        "inertia_ratio": ratio if ratio is None or math.isfinite(ratio) else None,
        "load": load,
        "model_differs": choice.differs,
        "smaller": smaller,
    }
