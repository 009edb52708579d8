"""Runs of decks are held against closed solutions, each in no more steps than those take."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def few_steps(few_steps):
    return few_steps
