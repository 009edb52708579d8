"""Card of a robot as TOML text: angles in degrees, one list entry per joint."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from sim.robots.card import Card, Group, Numbers, Tool
from sim.robots.robot import Robot

Tables = Mapping[str, Any]
DIGITS = 12  # of an angle in degrees: 90 instead of 90.00000000000001


def card_text(card: Card, remark: str = "") -> str:
    """Return TOML that `sim.robots.card.read_card` reads as the same card, up to rounding.

    Parameters
    ----------
    card : Card
    remark : str
        Comment in the first line.
    """
    head = {"title": card.title, "joints": card.joints, "prismatic": card.prismatic, "ik": card.ik}
    lines = [f"# {remark}", ""] if remark else []
    lines += [f"{key} = {_value(value)}" for key, value in head.items() if value]
    lines += ["", "[sources]"]
    lines += [f"{_key(code)} = {_value(text)}" for code, text in card.sources.items()]
    for key, group in card.groups().items():
        name, _, entry = key.partition(".")
        lines += ["", f"[{name}.{_key(entry)}]" if entry else f"[{name}]"]
        lines += [f"{field} = {_value(value)}" for field, value in _fields(card, name, group)]
    return "\n".join(lines) + "\n"


def plain_card(robot: Robot) -> Card:
    """Return a minimal card for a robot without one: its name, joints and tool."""
    return Card(
        title=robot.name,
        joints=robot.row_names,
        prismatic=tuple(row.name for row in robot.coordinates if not row.is_angle),
        sources={},
        tool=None if robot.tool is None else Tool(link=robot.tool, source=(), status="computed"),
    )


def _fields(card: Card, name: str, group: Group) -> Iterator[tuple[str, Any]]:
    """Fields of a group in the units of the file; absent ones are omitted."""
    for field, value in msgspec.structs.asdict(group).items():
        if value is None or (field == "note" and not value):
            continue
        if (name, field) in {("dh", "alpha"), ("dh", "theta")}:
            yield field, tuple(map(_degrees, value))
        elif name in ("pose", "range", "speed") and field != "source" and isinstance(value, tuple):
            yield field, _of_joints(card, value)
        else:
            yield field, value


def _of_joints(card: Card, values: Numbers) -> Numbers:
    pairs = zip(card.joints, values, strict=True)
    return tuple(x if name in card.prismatic else _degrees(x) for name, x in pairs)


def _degrees(angle: float) -> float:
    return float(f"{math.degrees(angle):.{DIGITS}g}")


def _value(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return repr(float(value))


def _key(text: str) -> str:
    """A TOML key, quoted if necessary."""
    is_plain = text.isascii() and text.replace("_", "").replace("-", "").isalnum()
    return text if is_plain else json.dumps(text)
