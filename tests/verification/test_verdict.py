"""A case is judged by its tolerance, and what cannot be judged is said."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sim
from sim.errors import ScenarioError
from sim.verification import CHAPTERS, METHODS, FiledCase, verify
from sim.verification.suite import suite

SOURCE = sim.Source("Euclid", 1900, "Elements", "book I, proposition 47")
ENGINES = ("bullet", "mujoco")


def filed(found=5.0, methods=("model",), tmp="x.py", **more):
    """A case that expects 5 within 0.5, and finds what it is given."""

    def expected():
        return {"long side": sim.Expected(5.0, "m", 0.5, "a ruler")}

    given = {"source": SOURCE, "expected": expected, "methods": methods}
    given |= {"compute": lambda _: {"long side": found}, **more}
    return FiledCase("triangle", "own", "A triangle", "", sim.Case(**given), Path(tmp))


@pytest.mark.parametrize(
    ("found", "share", "status"),
    [(5.0, 0.0, "passed"), (4.75, 0.5, "passed"), (5.5, 1.0, "passed"), (5.51, 1.02, "failed")],
)
def test_the_worst_error_is_a_share_of_the_tolerance(found, share, status):
    verdict = verify(filed(found), ENGINES)
    assert verdict.status == status
    assert verdict.worst.share == pytest.approx(share)


@pytest.mark.parametrize("found", [np.nan, np.inf, [5.0, 5.0]])
def test_what_is_no_number_or_of_another_shape_fails(found):
    verdict = verify(filed(found), ENGINES)
    assert verdict.status == "failed"
    assert verdict.worst.words


def test_an_error_of_a_solver_is_a_failed_reading_and_one_of_the_case_is_bad_input():
    def refuse(_):
        raise ScenarioError("no such joint")

    verdict = verify(filed(compute=refuse), ENGINES)
    assert (verdict.status, verdict.worst.words) == ("failed", "no such joint")
    with pytest.raises(ScenarioError, match="Case 'triangle': ZeroDivisionError"):
        verify(filed(compute=lambda _: 1 / 0), ENGINES)
    with pytest.raises(ScenarioError, match="no 'long side' is read; there are short side"):
        verify(filed(compute=lambda _: {"short side": 3.0}), ENGINES)
    with pytest.raises(ScenarioError, match="`expected` gives no"):
        verify(filed(expected=lambda: {"long side": 5.0}), ENGINES)


def test_what_is_not_there_is_skipped_by_its_name(monkeypatch):
    verdict = verify(filed(oracle="no_such_program"), ENGINES)
    assert (verdict.status, verdict.skipped) == (
        "skipped",
        {"": "no_such_program is not installed"},
    )
    monkeypatch.delenv("SIM_NO_SUCH_LOG", raising=False)
    verdict = verify(filed(file="SIM_NO_SUCH_LOG"), ENGINES)
    assert verdict.skipped == {"": "environment variable SIM_NO_SUCH_LOG is not set"}
    monkeypatch.setattr("sim.verification.solving.is_installed", lambda name: name != "mujoco")
    verdict = verify(filed(methods=("model", "mujoco")), ENGINES)
    assert verdict.status == "passed"
    assert verdict.skipped == {"MuJoCo": "mujoco-core is not installed"}
    root = ET.fromstring(suite([verdict]))
    (skipped,) = root.iter("skipped")
    assert skipped.get("message") == "mujoco-core is not installed"


def test_a_quantity_whose_package_is_missing_is_skipped_alone():
    def solve():
        raise AssertionError("it is not there")

    sides = {"long side": 5.0, "area": solve}
    lacking = sim.Expected(6.0, "m²", 1e-9, "exact", needs="no_such_package")
    case = filed().case
    both = replace(
        case, compute=lambda method: sides, expected=lambda: {**case.expected(), "area": lacking}
    )
    verdict = verify(replace(filed(), case=both), ENGINES)
    assert (verdict.status, verdict.skipped) == (
        "passed",
        {"area": "no_such_package is not installed"},
    )
    assert {one.quantity for one in verdict.readings} == {"long side"}
    (skipped,) = ET.fromstring(suite([verdict])).iter("skipped")
    assert skipped.get("message") == "no_such_package is not installed"


def test_a_suite_has_a_test_case_for_each_quantity_and_method():
    verdicts = [verify(filed(one, ("model", "bullet")), ENGINES) for one in (5.0, 6.0)]
    (of_chapter,) = ET.fromstring(suite(verdicts))
    assert (of_chapter.get("tests"), of_chapter.get("failures")) == ("4", "2")
    (failure, _) = of_chapter.iter("failure")
    assert failure.get("message") == "model: error of long side 1 m, tolerance 0.5 m"
    assert failure.text.startswith("Euclid (1900)")


def test_engines_answer_only_where_they_are_asked():
    both = filed(methods=("model", "bullet", "mujoco"))
    for engines in ((), ("bullet",), ENGINES):
        verdict = verify(both, engines)
        assert [one.method.name for one in verdict.readings] == ["model", *engines]
    alone = verify(filed(methods=("bullet",)), ())
    assert (alone.status, alone.skipped) == (
        "skipped",
        {"": "requires an engine that --engine excludes"},
    )


def test_a_case_that_leaves_out_its_source_or_its_answer_is_told_which():
    with pytest.raises(ScenarioError, match="needs a source"):
        sim.Case(expected=dict, compute=dict)
    with pytest.raises(ScenarioError, match="needs `expected`"):
        sim.Case(source=sim.Source("Euclid", 1600, "Elements", "I, 47"), compute=dict)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"source": None}, "needs a source: sim.Source"),
        ({"source": "Euclid"}, "needs a source: sim.Source"),
        ({"expected": {}}, "needs `expected`, a function"),
        ({"compute": None}, "either a `scenario` with a `read`, or a `compute`"),
        ({"scenario": lambda: None}, "either a `scenario` with a `read`, or a `compute`"),
        ({"methods": ("adams",)}, "answered by methods of model, newton_euler"),
        ({"methods": ()}, "answered by methods of"),
    ],
)
def test_a_case_that_lacks_something_is_refused(change, words):
    with pytest.raises(ScenarioError, match=words):
        replace(filed().case, **change)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (("", 1900, "a", "b"), "names its author"),
        (("a", 1900, "", "b"), "names its title"),
        (("a", 1900, "b", " "), "names its place"),
        (("a", 19, "b", "c"), "names its year"),
        (("a", "1900", "b", "c"), "names its year"),
    ],
)
def test_a_source_that_names_no_work_is_refused(parts, words):
    with pytest.raises(ScenarioError, match=words):
        sim.Source(*parts)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((1.0, "m", 0.0, "why"), "needs `within`, a tolerance above 0 in m, got 0.0"),
        ((1.0, "m", None, "why"), "needs `within`"),
        ((1.0, "m", np.nan, "why"), "needs `within`"),
        ((1.0, "", 1.0, "why"), "needs its `unit`"),
        ((1.0, "m", 1.0, ""), "needs its `why`"),
        ((np.nan, "m", 1.0, "why"), "needs finite numbers"),
        (([], "m", 1.0, "why"), "needs finite numbers"),
        (("one", "m", 1.0, "why"), "needs finite numbers"),
        (([1.0, 2.0], "m", 1.0, "why", [0.0]), r"has times of shape \(1,\)"),
    ],
)
def test_an_expected_value_that_lacks_something_is_refused(parts, words):
    with pytest.raises(ScenarioError, match=words):
        sim.Expected(*parts)


def test_methods_and_chapters_have_names_of_their_own():
    assert not set(METHODS) & set(CHAPTERS)
