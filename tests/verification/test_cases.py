"""The cases of the manual: each answer within its tolerance, each number from elsewhere."""

import ast
import re
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

import sim
from sim.verification import CHAPTERS, METHODS, case_names, find_cases, verify
from tests.helpers.adams_files import fall, swing, write_case

PACKAGE = Path(sim.__file__).parent
LOG = Path(__file__).parents[1] / "identification" / "ur10" / "exciting_trajectory.parquet"
ENGINES = ("bullet", "mujoco")
# Files that a case may use before it is answered: what it is made of, and where files are.
MADE_OF = ("verification", "shipped.py", "errors.py", "maths/arrays.py", "maths/arguments.py")
ALLOWED = (*MADE_OF, "__init__.py")


@pytest.fixture(autouse=True)
def files(monkeypatch, tmp_path_factory):
    """The log of a real UR10, and no data of ADAMS."""
    monkeypatch.setenv("SIM_UR10_LOG", str(LOG))
    monkeypatch.delenv("SIM_ADAMS_DATA", raising=False)


@pytest.mark.rotates(9)
@pytest.mark.parametrize("turn", case_names())
def test_a_case_is_within_its_tolerances_by_every_method(turn):
    (filed,) = find_cases([turn])
    verdict = verify(filed, ENGINES)
    assert [
        (one.quantity, one.method.name, one.share) for one in verdict.readings if not one.ok
    ] == []
    if filed.case.file != "SIM_ADAMS_DATA":
        assert verdict.status == "passed"
        assert not verdict.skipped


def test_there_are_enough_cases_in_every_chapter():
    names = case_names()
    assert len(names) >= 45
    assert set(names.values()) == set(CHAPTERS)
    assert not set(names) & set(CHAPTERS)


def test_each_source_names_a_work():
    for filed in find_cases():
        source = filed.case.source
        assert re.search(r"[A-Z]\w+", source.author), filed.name
        assert 1600 <= source.year <= date.today().year, filed.name
        assert re.search(r"\d|https://|[Cc]hapter|[Ss]ection|lex", source.place), filed.name
        assert not re.search(r"\bsim\b|this (project|package)", str(source)), filed.name
        assert len(filed.title) > 20 and filed.problem, filed.name


def calls_of_the_package(cases):
    """By case, which functions of the package are called while it says what it expects."""
    find_cases()  # what they import is loaded
    [getattr(sim, name) for name in sim.__all__]
    called = {}

    def watch(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE):
            place = path.relative_to(PACKAGE).as_posix()
            if not place.startswith(ALLOWED):
                called.setdefault(name, set()).add(f"{place}: {frame.f_code.co_name}")

    for filed in cases:
        name = filed.name
        sys.setprofile(watch)
        try:
            assert filed.case.expected(), name
        finally:
            sys.setprofile(None)
    return called


def test_no_expected_value_comes_from_this_project():
    """What is expected is computed without a single call of the package but of the case's parts."""
    cases = [one for one in find_cases() if one.case.file != "SIM_ADAMS_DATA"]
    assert calls_of_the_package(cases) == {}


def test_a_value_that_does_come_from_this_project_is_seen():
    def own():
        still = sim.gravity(sim.load_robot("ur10"), np.zeros(6))
        return {"gravity": sim.Expected(still, "N·m", 1.0, "its own")}

    (filed,) = find_cases(["pendulum"])
    found = calls_of_the_package([replace(filed, case=replace(filed.case, expected=own))])
    assert "robots/loading.py: load_robot" in found["pendulum"]


def test_no_constant_of_a_case_is_computed_by_what_is_verified():
    makes = {"Expected", "Case", "Source"}
    filed = find_cases()
    assert len({one.path for one in filed}) == len(filed)
    for one in filed:
        tree = ast.parse(one.path.read_text("utf-8"))
        assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
        assert [node for node in assigned if ast.unparse(node.targets[0]) == "CASE"]
        for constant in assigned:
            used = {
                node.attr
                for node in ast.walk(constant.value)
                if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "sim"
            }
            if ast.unparse(constant.targets[0]) != "CASE":
                assert used <= makes, one.path


ADAMS = {
    "revolute": ("Revolute_Case01", swing()),
    "prismatic": ("Prismatic_Case01", fall()),
    "torsion_spring": ("RotSpring_Case01", swing(0.0, 200.0, 10.0)),
}


@pytest.mark.parametrize("name", ADAMS)
def test_files_of_adams_are_read_and_a_change_of_them_is_seen(name, tmp_path, monkeypatch):
    """Files in the form of ADAMS, of the closed solution; then one number is another."""
    case, values = ADAMS[name]
    (filed,) = find_cases([name])
    assert verify(filed, ()).skipped == {"": "environment variable SIM_ADAMS_DATA is not set"}
    monkeypatch.setenv("SIM_ADAMS_DATA", str(write_case(tmp_path, case, values)))
    assert verify(filed, ()).status == "passed"
    values = dict(values) | {"Vel": values["Vel"].copy()}
    values["Vel"][2, 250] += 0.01
    write_case(tmp_path, case, values)
    verdict = verify(filed, ())
    assert verdict.status == "failed"
    assert [one.quantity for one in verdict.readings if not one.ok] == ["velocity"]


def test_every_method_answers_some_case():
    answered = {name for filed in find_cases() for name in filed.case.methods}
    assert answered == {name for name, method in METHODS.items() if not method.is_stepped}
