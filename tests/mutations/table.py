"""The table of all mutations: rows that are texts, and those of finished runs."""

from tests.mutations import comparison_rows, file_rows, limit_rows
from tests.mutations.mutation import Mutation
from tests.mutations.row_text import read_rows

MUTATIONS: tuple[Mutation, ...] = (
    *read_rows(),
    *file_rows.ROWS,
    *limit_rows.ROWS,
    *comparison_rows.ROWS,
)
