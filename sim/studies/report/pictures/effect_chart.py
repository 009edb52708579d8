"""Bars of what each parameter does to a response: tornado, Morris, Sobol."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from sim.studies.report.pictures.response_chart import NEAR
from sim.studies.report.pictures.scales import Frame, num, ticks
from sim.studies.report.pictures.study_data import StudyData
from sim.studies.report.pictures.svg_marks import drawing, line, rect, text
from sim.studies.sensitivity import Effect

WIDTH, GAP, TOP, BOTTOM, SIDE = 360, 38, 6, 24, 14  # px


def effect_chart(
    data: StudyData, design: str, own: Sequence[Effect], ranges: dict[str, str], response: str
) -> Markup:
    """The effects on one response, the strongest on top."""
    use, limit = data.rated(response), None
    if design == "tornado" and use is not None and use.limit is not None:
        highest = max(max(e.numbers["low"] or 0.0, e.numbers["high"] or 0.0) for e in own)
        limit = use.limit if highest > NEAR * use.limit else None
    ends = _ends(design, own, limit)
    height = TOP + GAP * len(own) + BOTTOM
    frame = Frame(WIDTH, height, SIDE, SIDE, TOP, BOTTOM, ends, (0.0, 1.0))
    marks = []
    if limit is not None:
        at = frame.across(limit)
        marks.append(rect(at, TOP, frame.ends[2] - at, frame.ends[3] - TOP, "beyond"))
    for value, said in ticks(*ends, most=5):
        x = frame.across(value)
        marks += [
            line(x, TOP, x, frame.ends[3], "grid"),
            text(x, height - 7, said, "middle", "tick"),
        ]
    if limit is not None:
        marks.append(line(frame.across(limit), TOP, frame.across(limit), frame.ends[3], "limit"))
    for k, effect in enumerate(own):
        y = TOP + GAP * k
        words = f"{effect.parameter} {ranges[effect.parameter]}"
        marks.append(text(SIDE + 1, y + 13, words, "start", "tick halo"))
        marks += _BARS[design](frame, y + 18, effect)
    return drawing(WIDTH, height, marks, f"effects on {response}")


def _ends(design: str, own: Sequence[Effect], limit: float | None) -> tuple[float, float]:
    if design == "tornado":
        values = [v for e in own for v in e.numbers.values() if v is not None]
        values += [limit] if limit is not None else []
        low, high = min(values), max(values)
        room = 0.05 * (high - low) or 1e-3 * abs(high) or 1.0
        return low - room, high + room
    keys = {"morris": ("mu_star",), "sobol-indices": ("S1", "ST")}[design]
    tops = [_of(e, key) + _of(e, f"{key}_conf") for e in own for key in keys]
    return 0.0, 1.05 * max(tops) or 1.0


def _of(effect: Effect, key: str) -> float:
    return effect.numbers[key] or 0.0


def _tornado(frame: Frame, y: float, effect: Effect) -> list[str]:
    start, low, high = (frame.across(_of(effect, key)) for key in ("nominal", "low", "high"))
    said = f"{num(_of(effect, 'low'))} at the first end, {num(_of(effect, 'high'))} at the last"
    return [
        rect(min(start, low), y, abs(low - start), 13, "bar second", said),
        rect(min(start, high), y, abs(high - start), 13, "bar", said),
        line(start, y - 3, start, y + 16, "middle"),
    ]


def _morris(frame: Frame, y: float, effect: Effect) -> list[str]:
    return _bar(frame, y, 13, effect, "mu_star", "bar")


def _sobol(frame: Frame, y: float, effect: Effect) -> list[str]:
    alone = _bar(frame, y, 7, effect, "S1", "bar")
    return alone + _bar(frame, y + 8, 7, effect, "ST", "bar second")


def _bar(frame: Frame, y: float, high: float, effect: Effect, key: str, cls: str) -> list[str]:
    """A bar from zero with its 95 % interval."""
    size, span, zero = _of(effect, key), _of(effect, f"{key}_conf"), frame.across(0)
    low, top = (frame.across(max(v, 0.0)) for v in (size - span, size + span))
    middle, end = y + high / 2, frame.across(max(size, 0.0))
    said = f"{num(size, 3)} ± {num(span, 2)}"
    return [rect(zero, y, end - zero, high, cls, said), line(low, middle, top, middle, "middle")]


_BARS = {"tornado": _tornado, "morris": _morris, "sobol-indices": _sobol}
