"""Inputs that fuzzing found, each of which broke the program once: it takes them now."""

import os
from functools import cache

import pytest

from tools.fuzz.__main__ import TARGETS, target_of
from tools.fuzz.limits import limited
from tools.fuzz.target import CASES

KEPT = sorted(path for path in CASES.rglob("*") if path.is_file())
made = cache(target_of)

pytestmark = pytest.mark.filterwarnings("ignore")  # as the command does


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_kept_case_breaks_nothing(path, monkeypatch):
    monkeypatch.setenv("SIM_TRACEBACK", "1")  # a mistake of the program is to be seen
    with limited():
        made(path.parent.name).tried(path.read_bytes(), whole=True)


def test_every_case_belongs_to_a_target():
    assert {path.parent.name for path in KEPT} <= set(TARGETS)
    assert all(path.suffix == made(path.parent.name).suffix for path in KEPT)


@pytest.mark.rotates(3)
def test_every_target_takes_its_own_seeds(monkeypatch):
    monkeypatch.setenv("SIM_TRACEBACK", "1")
    for name in ("urdf", "expression", "tables", "decks", "logs"):
        target = made(name)
        seeds = target.seeds()
        outcomes = [target.tried(seed) for seed in seeds]
        assert not [told for told in outcomes if not told]
        assert os.environ["SIM_TRACEBACK"] == "1"
