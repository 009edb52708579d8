"""The table of all mutations, package by package."""

from tests.mutations import (
    comparison_rows,
    curve_rows,
    deck_rows,
    drive_rows,
    dynamics_rows,
    file_rows,
    input_rows,
    kinematics_rows,
    limit_rows,
    loads_rows,
    marker_rows,
    mass_rows,
    mujoco_rows,
    program_rows,
    study_rows,
    symbolic_rows,
    vibration_rows,
)
from tests.mutations.mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = (
    *kinematics_rows.ROWS,
    *dynamics_rows.ROWS,
    *loads_rows.ROWS,
    *mass_rows.ROWS,
    *marker_rows.ROWS,
    *deck_rows.ROWS,
    *program_rows.ROWS,
    *mujoco_rows.ROWS,
    *input_rows.ROWS,
    *file_rows.ROWS,
    *limit_rows.ROWS,
    *comparison_rows.ROWS,
    *drive_rows.ROWS,
    *study_rows.ROWS,
    *symbolic_rows.ROWS,
    *vibration_rows.ROWS,
    *curve_rows.ROWS,
)
