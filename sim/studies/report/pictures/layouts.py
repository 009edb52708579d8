"""Which layout a study has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.studies.case_row import CaseRow
from sim.studies.design import SAMPLED, Design
from sim.studies.report.pictures.blocks import Layout, Said, bold
from sim.studies.report.pictures.influences import influences
from sim.studies.report.pictures.many_cases import draws, samples
from sim.studies.report.pictures.one_number import one_number
from sim.studies.report.pictures.search import search
from sim.studies.report.pictures.study_data import StudyData
from sim.studies.report.pictures.texts import texts
from sim.studies.report.pictures.two_numbers import is_whole_grid, two_numbers
from sim.studies.study import Study
from sim.studies.study_answer import Answer, EffectsFound, SearchFound


def layout_of(
    study: Study, data: StudyData, rows: Sequence[CaseRow], answer: Answer | None
) -> Layout:
    """What a study answers and shows; `rows` are all of its cases."""
    design, cases = study.design, len(rows)
    if not data.rows:
        return Layout(
            Said(bold("No case") + " could be computed", (rows[0].reason,) if rows else ())
        )
    if isinstance(answer, EffectsFound):
        return influences(data, answer, design, cases)
    if isinstance(answer, SearchFound):
        return search(data, answer, cases)
    return draws(data, cases) if design.draws else _by_parameters(data, design, cases)


def _by_parameters(data: StudyData, design: Design, cases: int) -> Layout:
    """The layout by how many numbers and texts vary."""
    numbers = [name for name, values in data.inputs.items() if np.ptp(values) > 0]
    if len(numbers) <= 1:
        if data.words or not numbers:
            return texts(data, numbers[0] if numbers else None, cases)
        return one_number(data, numbers[0], cases)
    if not data.words and data.uses and is_whole_grid(data, numbers):
        return two_numbers(data, numbers[0], numbers[1], cases)
    return samples(data, cases, "samples" if design.name in SAMPLED else "cases")
