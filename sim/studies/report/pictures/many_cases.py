"""Layout of many numbers, gridded or sampled: number of cases inside, and decisive parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.maths.arrays import Array
from sim.reports.svg.scales import num, share_text
from sim.studies.report.pictures.answer_words import counts
from sim.studies.report.pictures.blocks import (
    Layout,
    PageSection,
    PageStatement,
    Row,
    TableBlock,
    bold,
    capital,
)
from sim.studies.report.pictures.response_chart import Bound, dots_figure, histogram_figure
from sim.studies.report.pictures.share_chart import parallel_sections
from sim.studies.report.pictures.study_data import StudyData
from sim.studies.report.pictures.two_numbers import PARALLEL, statement_without_ratings

STRONG = 0.3  # rank correlation from which a parameter is decisive
MOST_DOTTED = 12


def samples_layout(data: StudyData, cases: int, word: str = "cases") -> Layout:
    """Return the layout of three or more numbers, or of samples; `word` is the name of a case."""
    inputs = {n: v for n, v in data.inputs.items() if np.ptp(v) > 0}
    sections = []
    if data.uses:
        statement = _statement(data, inputs, cases, word)
        figures = [
            dots_figure(data, name, x, data.nearest.share, title=data.heading(name))
            for name, x in list(inputs.items())[:MOST_DOTTED]
        ]
        note = (
            "share of the nearest rating over each parameter, one dot per case; failed cases orange"
        )
        table = binders(data)
        sections.append(
            PageSection(
                "shares",
                "Rating closest to limit",
                note,
                figures=figures,
                table=table,
                still=data.still,
            )
        )
    else:
        statement = statement_without_ratings(data, cases)
    if len(data.rows) > 1 and len(inputs) + len(data.moving) > 1:
        sections += parallel_sections(data, "All cases", PARALLEL)
    return Layout(statement, sections)


def _statement(data: StudyData, inputs: dict[str, Array], cases: int, word: str) -> PageStatement:
    inside = int(data.inside.sum())
    total = len(data.rows)
    if inside == total:
        headline = bold(f"All {total}") + f" {word} stay inside all ratings"
    elif inside == 0:
        headline = bold(f"None of {total}") + f" {word} stays inside all ratings"
    else:
        headline = bold(f"{inside} of {total}") + f" {word} stay inside all ratings"
    why = [binding_sentence(data), _deciding_parameter(data, inputs), *counts(data, cases, inside)]
    return PageStatement(headline, tuple(filter(None, why)))


def binding_sentence(data: StudyData) -> str:
    """Return the most often violated rating, or the closest one, as a sentence."""
    share = data.nearest.share
    if np.isnan(share).all():
        return ""
    beyond = np.flatnonzero(share > 1)
    k = int(np.nanargmax(share))
    if not beyond.size:
        text = f"{data.nearest.words(k)}, {share_text(float(share[k]))} in case {data.numbers[k]}"
        return f"Closest to limit: {text}."
    names = [data.nearest.words(int(i)) for i in beyond]
    first = max(dict.fromkeys(names), key=names.count)
    if names.count(first) == len(names):
        return (
            f"Limiting in all {len(names)} failed cases: {first}."
            if len(names) > 1
            else (f"Limiting in the failed case: {first}.")
        )
    return f"Limiting in {names.count(first)} of {len(names)} failed cases: {first}."


def _deciding_parameter(data: StudyData, inputs: dict[str, Array]) -> str:
    """Return the parameter most correlated with the largest fraction, and its dividing value."""
    from scipy.stats import spearmanr

    share = data.nearest.share
    known = np.isfinite(share)
    if known.sum() < 6 or np.ptp(share[known]) == 0:
        return ""
    ranks = {
        name: float(spearmanr(x[known], share[known])[0])
        for name, x in inputs.items()
        if np.ptp(x[known]) > 0
    }
    if not ranks:
        return ""
    name = max(ranks, key=lambda one: abs(ranks[one]))
    rank, x, inside = ranks[name], inputs[name], data.inside
    if abs(rank) < STRONG:
        return "No single parameter is decisive."
    sentence = f"{capital(name)} is decisive (rank correlation {num(rank, 2)})"
    if inside.all() or not inside.any():
        return f"{sentence}."
    good, bad = x[inside], x[~inside]
    failing, sure = (bad.min(), good.max()) if rank > 0 else (bad.max(), good.min())
    words = ("below", "above") if rank > 0 else ("above", "below")
    parts = [
        f"all {word} {data.quantity(name, edge, 3)} are {what}"
        for word, edge, what in zip(words, (failing, sure), ("inside", "beyond"), strict=True)
        if ((x < edge) if word == "below" else (x > edge)).any()
    ]
    return f"{sentence}: {', '.join(parts)}." if parts else f"{sentence}."


def binders(data: StudyData) -> TableBlock | None:
    """Return the use of each rating, and the number of cases that violate it or have it nearest."""
    rows = []
    for use in sorted(
        data.uses, key=lambda use: -float(np.nanmax(use.effective_share, initial=0.0))
    ):
        share = use.effective_share[np.isfinite(use.share)]
        beyond = int((use.share > 1).sum())
        if not (share.size and share.max() > 0.01):
            continue
        nearest = sum(use in whose for whose in data.nearest.uses)
        ends = [share_text(float(share.min())), share_text(float(share.max()))]
        rows.append(Row([use.name, *ends, str(nearest), str(beyond)], beyond > 0))
    heads = ["rating", " smallest share", " largest share", " closest in", " exceeded in"]
    return TableBlock(heads, rows[:14]) if rows else None


def draws_layout(data: StudyData, cases: int) -> Layout:
    """Return the layout of a tolerance study: draws inside, and spread of the fractions."""
    if len(data.inputs) + len(data.words):
        plain = samples_layout(data, cases, "draws")
        spread = replace(_spread(data)[0], table=None, still=())  # the others contain both
        return Layout(plain.statement, [*plain.sections, spread])
    if not data.uses:
        return Layout(statement_without_ratings(data, cases), _spread(data))
    total, inside = len(data.rows), int(data.inside.sum())
    part = bold(f"All {total}") if inside == total else bold(f"{inside} of {total}")
    why = [_chance(inside, total), binding_sentence(data), *counts(data, cases, inside)]
    return Layout(
        PageStatement(part + " draws stay inside all ratings", tuple(filter(None, why))),
        _spread(data),
    )


def _chance(inside: int, total: int) -> str:
    """Return the fraction of all robots inside, with the exact Clopper-Pearson interval."""
    from scipy.stats import binomtest

    interval = binomtest(inside, total).proportion_ci(0.95)
    low, high = 100 * interval.low, 100 * interval.high
    return (
        f"95 % confidence interval for all robots within the tolerances: {num(low, 3)} to "
        f"{num(high, 3)} %."
    )


def _spread(data: StudyData) -> list[PageSection]:
    """Return histograms of the fractions and of the responses."""
    figures = []
    if data.uses and np.ptp(data.nearest.share) > 0:
        share = data.nearest.share
        figures.append(
            histogram_figure("rating closest to limit", share, "", Bound(1.0), percent=True)
        )
    for name in data.moving:
        use = data.rating_of(name)
        bound = Bound(use.limit) if use is not None and use.limit is not None else None
        title = use.name if use is not None else data.title(name)
        unit = data.units.get(name, "")
        figures.append(histogram_figure(title, data.outputs[name], unit, bound))
    note = "lines: 5 %, median, 95 %"
    sections = [
        PageSection(
            "spread", "Spread", note, figures=figures, table=binders(data), still=data.still
        )
    ]
    if len(data.rows) > 1:
        sections += parallel_sections(data, "All draws", PARALLEL)
    return sections
