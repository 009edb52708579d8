"""How many random examples a test takes."""

import os

from hypothesis import settings

EXPLORES = "SIM_EXPLORE" in os.environ  # make explore
USUAL = 20


def examples(number: int) -> settings:
    """So many random examples, for a test to which the usual twenty are too many or too few."""
    return settings(max_examples=number * 25 if EXPLORES else number)
