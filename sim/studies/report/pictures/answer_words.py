"""Results of a study, as sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.reports.svg.scales import num, share_text
from sim.studies.report.pictures.blocks import bold, capital, join_names
from sim.studies.report.pictures.inside import Span, crossings
from sim.studies.report.pictures.rating_use import Cases, Use
from sim.studies.report.pictures.study_data import StudyData

ON_LINES = "Linearly interpolated between cases."


def sort_cases(data: StudyData, name: str, cases: Cases | None = None) -> Cases:
    """Return case indices (default: all) by ascending values of a parameter."""
    on = np.arange(len(data.rows)) if cases is None else cases
    return on[np.argsort(data.inputs[name][on], kind="stable")]


def headline_of_one(data: StudyData, name: str, on: Cases, spans: Sequence[Span]) -> Markup:
    """Return the ranges of one parameter within all ratings."""
    x = data.inputs[name][on]
    ends = f"{num(x[0])} to {data.quantity(name, x[-1])}"
    if not spans:
        return bold("No") + f" {name} from {ends} stays inside all ratings"
    if len(spans) == 1 and spans[0].is_all:
        return bold("Every") + f" {name} from {ends} stays inside all ratings"
    if len(spans) == 1 and not spans[0].low_by:
        return (
            bold(data.quantity(name, spans[0].high)) + f" is the largest {name} inside all ratings"
        )
    if len(spans) == 1 and not spans[0].high_by:
        return (
            bold(data.quantity(name, spans[0].low)) + f" is the smallest {name} inside all ratings"
        )
    return Markup("{} stays inside all ratings {}").format(
        capital(name), intervals_text(data, name, spans)
    )


def intervals_text(data: StudyData, name: str, spans: Sequence[Span], digits: int = 4) -> Markup:
    """Return intervals as text: ``up to 15.23 kg``, ``from 2 to 5 kg and from 7 kg on``."""

    def one(span: Span) -> Markup:
        low = num(span.low, digits) if span.high_by else data.quantity(name, span.low, digits)
        high = data.quantity(name, span.high, digits)
        if span.is_all:
            return Markup("throughout, {} to {}").format(num(span.low, digits), bold(high))
        if not span.low_by:
            return Markup("up to ") + bold(high)
        if not span.high_by:
            return Markup("from ") + bold(low) + " on"
        return (
            Markup("at {}").format(bold(high))
            if low == num(span.high, digits)
            else Markup("from {} to {}").format(bold(low), bold(high))
        )

    return Markup(" and ").join(one(span) for span in spans[:3])


def binding(data: StudyData, name: str, on: Cases, spans: Sequence[Span]) -> list[str]:
    """Return the limiting ratings along one parameter, and those that would be next."""
    x = data.inputs[name][on]
    if not spans or (len(spans) == 1 and spans[0].is_all):
        return [closest(data, name, on, beyond=not spans)]
    sentences = []
    for span in spans[:2]:
        for by, at, is_high in ((span.low_by, span.low, False), (span.high_by, span.high, True)):
            if not by:
                continue
            where_at = (
                ""
                if len(spans) == 1 and bool(span.low_by) != bool(span.high_by)
                else (f" at {data.quantity(name, at)}")
            )
            sentences.append(f"{_binds(by)}{where_at}.")
            following = _next_ratings(data.uses, x, on, by, at, is_high)
            if following and not where_at:
                nexts, place = following
                names = join_names(
                    [use.joint if use.kind == "torque" else use.name for use in nexts]
                )
                sentences.append(f"Next limit: {names} at {data.quantity(name, place)}.")
    return sentences


def _binds(by: Sequence[Use]) -> str:
    if len(by) > 1:
        return f"Limiting: {join_names([use.name for use in by])}"
    return f"Limiting: {by[0].joint}, {by[0].rating}"


def _next_ratings(
    uses: Sequence[Use], x: Array, on: Cases, by: Sequence[Use], at: float, is_high: bool
) -> tuple[list[Use], float] | None:
    """Return the ratings reached next beyond a value."""
    places = [
        (place, use)
        for use in uses
        if use not in by
        for place in crossings(x, use.share[on])
        if (place > at if is_high else place < at)
    ]
    if not places:
        return None
    first = (min if is_high else max)(place for place, _ in places)
    return [use for place, use in places if place == first], first


def closest(data: StudyData, name: str, on: Cases, *, beyond: bool) -> str:
    """Return the case closest to a rating or, if all exceed one, that with the smallest excess."""
    share = data.nearest.share[on]
    if np.isnan(share).all():
        return ""
    k = int(on[np.nanargmin(share) if beyond else np.nanargmax(share)])
    at = data.quantity(name, data.inputs[name][k])
    sentence = f"{data.nearest.words(k)} is at {share_text(float(data.nearest.share[k]))} at {at}"
    if not beyond:
        return f"Closest to limit: {sentence.replace(' is at ', ', ', 1)}."
    return f"Smallest excess: {sentence}."


def counts(data: StudyData, cases: int, known: int = -1) -> list[str]:
    """Return the number of passed cases, unless equal to `known`, and other causes of failure."""
    passing = int(data.passed.sum())
    sentences = ["All cases pass." if passing == cases else f"{passing} of {cases} cases pass."]
    sentences = [] if passing == known else sentences
    if others := [k for k in np.flatnonzero(~data.passed & data.inside)]:
        reasons = join_names(list(dict.fromkeys(data.rows[k].reason for k in others)), 2)
        fail = "case fails" if len(others) == 1 else "cases fail"
        sentences.append(f"{len(others)} {fail} a check other than a rating: {reasons}.")
    if missing := cases - len(data.rows):
        sentences.append(f"{missing} could not be computed.")
    return sentences
