"""Layout of a study of texts, alone or with one number: one row per text, one dot per case."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import LETTER, Marks, middle_cut
from sim.reports.svg.scales import num, share_text
from sim.studies.report.pictures.answer_words import (
    ON_LINES,
    closest,
    counts,
    intervals_text,
    sort_cases,
)
from sim.studies.report.pictures.blocks import (
    Figure,
    Layout,
    PageSection,
    PageStatement,
    bold,
    join_names,
)
from sim.studies.report.pictures.inside import Span, spans_inside
from sim.studies.report.pictures.rating_use import KINDS, Cases, Use
from sim.studies.report.pictures.response_chart import family_figure
from sim.studies.report.pictures.study_data import NOTHING, STILL, StudyData

MOST_ROWS = 24
MOST_FAMILIES = 12
WIDE, NARROW = 620, 372  # px
GAP, TOP, BOTTOM = 34, 8, 22  # px
NAMED = 8  # dots of a row that are labelled

Families = dict[str, Cases]


def texts_layout(data: StudyData, number: str | None, cases: int) -> Layout:
    """Return the layout of a study of texts, with one number or none."""
    families = _families(data, number)
    what = join_names(list(data.words)) or join_names(list(data.inputs))
    changed, same = _checks(data)
    shown = dict(list(families.items())[:MOST_ROWS])
    shares = [use.share[np.isfinite(use.share)] for uses in changed for use in uses]
    top = max([1.2, *(1.1 * float(share.max(initial=0.0)) for share in shares)])
    figures = [_panel(data, uses, number, shown, top) for uses in changed]
    still = [(check, f"{share_text(share)} of the limit") for check, share in same]
    sections = []
    if figures or still:
        note = "share of limit; one dot per case" + (
            f", with its {data.heading(number)}" if number else ""
        )
        sections.append(
            PageSection(
                "shares", f"Responses that change with {what}", note, figures=figures, still=still
            )
        )
    differing = _differing_responses(data, families)
    if number and len(families) <= MOST_FAMILIES and np.ptp(data.inputs[number]) > 0:
        drawn = [family_figure(data, number, one, families) for one in differing[:MOST_ROWS]]
        note = f"responses that change with {what}"
        if drawn:
            sections.append(
                PageSection(
                    "families", f"Responses over {data.heading(number)}", note, figures=drawn
                )
            )
    return Layout(_statement(data, number, families, differing, what, cases), sections)


def _families(data: StudyData, number: str | None) -> Families:
    """Return cases by their texts, with ascending values of the number."""
    labels = [", ".join(map(str, parts)) for parts in zip(*data.words.values(), strict=True)]
    if not labels:
        name, values = next(
            iter(data.inputs.items()), ("case", np.array(data.numbers, dtype=float))
        )
        labels = [f"{name} {data.quantity(name, v)}" for v in values]
    table = np.array(labels)
    on = sort_cases(data, number) if number else np.arange(len(labels))
    return {word: on[table[on] == word] for word in dict.fromkeys(labels)}


def _checks(data: StudyData) -> tuple[list[list[Use]], list[tuple[str, float]]]:
    """Return checks that differ between texts, with ratings, and others with their fraction."""
    changed, same = [], []
    for check in KINDS:
        if not (uses := [use for use in data.uses if use.check == check]):
            continue
        most = np.max(np.stack([np.nan_to_num(use.share, posinf=1e9) for use in uses]), axis=0)
        if np.ptp(most) > STILL or most.max() > 1:
            changed.append(uses)
        else:
            same.append((check, float(most[0])))
    return changed, same


def _panel(
    data: StudyData, uses: list[Use], number: str | None, families: Families, top: float
) -> Figure:
    check = uses[0].check
    table = np.stack([use.share for use in uses])
    most = np.nanmax(table, axis=0)
    whose = uses[int(np.nanargmax(np.nanmax(np.nan_to_num(table, posinf=1e9), axis=1)))].joint
    nothing = np.full(len(data.rows), np.nan)
    x = data.inputs[number] if number else nothing
    rows = {word: (x[on], most[on]) for word, on in families.items()}
    unit = data.units.get(number or "", "")
    svg = _row_chart(check, rows, number or "", "" if unit == "1" else unit, top)
    return Figure(check, svg, f"worst in {whose}")


def _differing_responses(data: StudyData, families: Families) -> list[str]:
    """Return responses that differ between texts."""
    names = []
    for name in data.moving:
        y, unit = data.outputs[name], data.units.get(name)
        like = [data.outputs[one] for one in data.outputs if data.units.get(one) == unit]
        size = max(float(np.nanmax(np.abs(v), initial=0.0)) for v in like)
        sets = [y[on] for on in families.values()]
        if len({s.size for s in sets}) > 1:
            names.append(name)  # nothing to compare
            continue
        difference = float(np.nanmax(np.ptp(np.stack(sets), axis=0), initial=0.0))
        if difference > 100 * NOTHING * size:
            names.append(name)
    return names


def _statement(
    data: StudyData,
    number: str | None,
    families: Families,
    differing: list[str],
    what: str,
    cases: int,
) -> PageStatement:
    tail = counts(data, cases)
    if data.uses and not differing and len(families) > 1 and data.moving:
        tail.append(f"All responses are the same for every {what}, within 0.01 % of the largest.")
    elif differing and len(differing) < len(data.moving):
        tail.append(f"Changed: {join_names([data.title(one) for one in differing])}.")
    if not data.uses:
        passing = int(data.passed.sum())
        headline = bold(f"{passing} of {cases}") + " cases pass"
        return PageStatement(headline, ("The robot has no ratings to compare with.",))
    spans = {word: _spans(data, number, on) for word, on in families.items()}
    free = [w for w, s in spans.items() if s and all(one.is_all for one in s)]
    none = [w for w, s in spans.items() if not s]
    ended = [w for w in spans if w not in free and w not in none]
    parts = []
    if not ended and not none:
        parts.append(bold("Every case") + " stays inside all ratings")
    elif not ended and not free:
        parts.append(bold("No case") + " stays inside all ratings")
    else:
        for word in sorted(ended, key=lambda w: -spans[w][-1].high)[:3]:
            intervals = intervals_text(data, number or "", spans[word])
            parts.append(bold(word) + f" stays inside all ratings with {number} " + intervals)
        if len(ended) > 3:
            parts.append(Markup("{} more with less").format(len(ended) - 3))
        always = (
            "always does"
            if ended
            else "always stays inside all ratings"
            if number
            else "stays inside all ratings"
        )
        if free:
            parts.append(bold(join_names(free)) + f" {always}")
        never = "never does" if number else "does not"
        if none:
            parts.append(bold(join_names(none)) + f" {never}")
    why = _why(data, number, families, none, ended, spans)
    if ended:
        tail.append(ON_LINES)
    return PageStatement(Markup("; ").join(parts), (*filter(None, why), *tail))


def _spans(data: StudyData, number: str | None, on: Cases) -> list[Span]:
    if number is not None:
        return spans_inside(data.inputs[number][on], data.uses, on)
    return [Span(0.0, 0.0)] if bool(data.inside[on].all()) else []


def _why(
    data: StudyData,
    number: str | None,
    families: Families,
    none: list[str],
    ended: list[str],
    spans: dict[str, list[Span]],
) -> list[str]:
    lines = []
    for word in none[:2]:
        on = families[word]
        k = int(on[np.nanargmin(data.nearest.share[on])])
        least = share_text(float(data.nearest.share[k]))
        lines.append(
            f"{word}: {data.nearest.words(k)} is at {least}{' at best' if number else ''}."
        )
    for word in ended[:2]:
        by = [use.name for one in spans[word] for use in (*one.low_by, *one.high_by)]
        lines.append(f"{word}: limiting is {join_names(list(dict.fromkeys(by)), 3)}.")
    if not none and not ended and number is not None:
        every = np.concatenate(list(families.values()))
        lines.append(closest(data, number, every, beyond=False))
    return lines


def _row_chart(
    title: str, rows: Mapping[str, tuple[Array, Array]], of: str, unit: str, top: float
) -> Markup:
    """Return fractions of a check by text, for wide and narrow windows.

    Parameters
    ----------
    rows : mapping
        For each text: values of the number (N,) and fractions (N,); NaN values without a number.
    of, unit : str
        Name and unit of the number.
    top : float
        Fraction at the end of the scale.
    """
    return _rows(title, rows, of, unit, top, WIDE) + _rows(title, rows, of, unit, top, NARROW)


def _rows(
    title: str, rows: Mapping[str, tuple[Array, Array]], of: str, unit: str, top: float, width: int
) -> Markup:
    most = 24 if width == WIDE else 14
    margin = 14 + LETTER * 1.1 * min(most, max(map(len, rows)))
    depth = GAP * len(rows)
    ends = (0.0, top), (len(rows) - 0.5, -0.5)
    chart = Chart(width, TOP + depth + BOTTOM, margin, 16, TOP, BOTTOM, *ends)
    marks: list[Marks] = [
        chart.area("beyond", (1.0, None)),
        chart.grid(x=3 if width == NARROW else 6, percent="x"),
        chart.rule_x(1.0, "limit"),
    ]
    for i, (word, (numbers, share)) in enumerate(rows.items()):
        marks.append(chart.label(0, i, middle_cut(word, most), "end", "name", (-10, 4)))
        marks.append(_dots(chart, i, numbers, share, (title, of, unit)))
    return chart.drawing(marks, title, "wide-only" if width == WIDE else "narrow-only")


def _dots(chart: Chart, i: int, x: Array, share: Array, names: tuple[str, str, str]) -> list[str]:
    title, of, unit = names
    at = np.minimum(np.where(np.isfinite(share), share, np.inf), chart.x[1])
    marks = [chart.segment((at.min(), at.max()), (i, i), "range")]
    is_one = bool(np.ptp(np.where(np.isfinite(share), share, 1e9)) < 1e-6)
    free = -1e9
    for k in range(1 if is_one else x.size):
        bad = bool(share[k] > 1)
        place = "" if np.isnan(x[k]) else f"{of} {num(x[k])} {unit}: "
        label = f"{place}{share_text(share[k])} {title}"
        marks.append(chart.dot(at[k], i, 5, "point bad" if bad else "point", label))
        if np.isnan(x[k]):
            words = share_text(share[k])
        elif is_one:
            words = f"{num(x.min())} … {num(x.max())} {unit}".strip() if x.size > 1 else num(x[0])
        else:
            words = num(x[k])
        px, half = chart.across(at[k]), LETTER * len(words) / 2
        if px - half > free:
            cls = "tick halo soft" if bad else "tick halo"
            marks.append(chart.label(at[k], i, words, cls=cls, shift=(0, -9)))
            free = px + half
    return marks
