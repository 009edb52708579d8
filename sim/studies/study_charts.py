"""Which charts a study has, in the order of its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.studies.case_charts import all_cases, histograms
from sim.studies.case_row import CaseRow
from sim.studies.chart_data import Card, columns_of
from sim.studies.effect_charts import effect_bars
from sim.studies.response_charts import curves, families, surfaces
from sim.studies.study import Study
from sim.studies.study_answer import Answer, EffectsFound, SearchFound


@dataclass(frozen=True)
class Section:
    """Charts of one kind."""

    id: str
    title: str
    cards: list[Card]
    note: str = ""


def sections(study: Study, rows: Sequence[CaseRow], answer: Answer | None) -> list[Section]:
    """The charts of a study, in the order of the page."""
    data, design = columns_of(rows), study.design
    if not data.passed.size:
        return []
    found: list[Section] = []
    if isinstance(answer, EffectsFound):
        bars, name = list(effect_bars(answer, data, design)), answer.design
        found.append(Section("effects", _EFFECTS[name], bars, _WORDS[name]))
    numeric = [name for name in design.names if name in data.inputs]
    on_grid = design.name in ("grid", "search") and not design.draws
    if on_grid and len(numeric) == len(design.names) == 1:
        (name,) = numeric
        title = f"Responses over {name}"
        note = "" if data.passed.all() else "Orange points fail their checks."
        if isinstance(answer, SearchFound) and answer.holds is not None:
            note += f" The dotted line is {name} = {answer.holds:.6g}, which keeps the limit."
        found.append(Section("curves", title, list(curves(data, name, answer)), note.strip()))
    elif on_grid and len(numeric) == len(design.names) == 2:
        title = f"Responses over {numeric[0]} and {numeric[1]}"
        found.append(Section("surfaces", title, list(surfaces(data, numeric[0], numeric[1]))))
    elif on_grid and len(numeric) == 1 and len(design.names) == 2:
        (name,), (each,) = numeric, (name for name in design.names if name not in numeric)
        title = f"Responses over {name} for each {each}"
        found.append(Section("families", title, list(families(data, name, each))))
    elif design.draws:
        found.append(Section("spread", "Spread of the responses", list(histograms(data))))
    if len(data.inputs) >= 2 and design.name != "tornado":
        found.append(Section("parallel", "All cases", list(all_cases(data)), _LEGEND))
    return [section for section in found if section.cards]


_EFFECTS = {
    "tornado": "Tornado: one parameter at a time",
    "morris": "Morris: mean effect over the range (mu*)",
    "sobol-indices": "Sobol: share of the variance",
}
_WORDS = {
    "tornado": "A bar goes from the nominal case, the line, to the response at an end of a range.",
    "morris": "The mean size of the effect over the whole range, in the unit of the response, with "
    "its 95 % interval.",
    "sobol-indices": "The share of the variance that a parameter has alone, and in all with its "
    "interactions, with their 95 % intervals.",
}
_LEGEND = "One line or point a case: blue passes, orange fails its checks."
