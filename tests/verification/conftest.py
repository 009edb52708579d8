"""Which cases of the manual a run of the tests verifies: a part that changes with the commit."""

from __future__ import annotations

import os

from sim.verification import case_names
from tests.mutations.rotation import drawn

PARTS = 9
EVERY = "SIM_EXPLORE"  # set in the environment: all are verified


def cases_now() -> set[str]:
    """The cases that are verified now."""
    if EVERY in os.environ:
        return set(case_names())
    return set(list(case_names())[drawn()[0] % PARTS :: PARTS])


def pytest_collection_modifyitems(config, items):
    """Leave out cases that do not have their turn, unless one is asked for by its name."""
    if any("::" in word for word in config.args):
        return
    chosen = cases_now()

    def has_turn(item):
        name = getattr(item, "callspec", None) and item.callspec.params.get("turn")
        return name is None or name in chosen

    config.hook.pytest_deselected(items=[item for item in items if not has_turn(item)])
    items[:] = [item for item in items if has_turn(item)]
