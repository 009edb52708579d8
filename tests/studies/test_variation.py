import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import ScenarioError
from sim.scenario import load_script
from sim.studies.design import grid
from sim.studies.optimum import parse_limit
from sim.studies.responses import parse_response
from sim.studies.tolerances import parse_tolerance
from sim.studies.variation import parse_variation
from tests.helpers.studies import swing_script

TYPED = """
import sim


def scenario(times: int = 1, name: str = "a:b", at: tuple[float, float] = (0.0, 1.0), on=True):
    pass
"""


@pytest.fixture
def typed(tmp_path):
    (tmp_path / "typed.py").write_text(TYPED, "utf-8")
    return load_script(str(tmp_path / "typed.py"))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("load=0:1:3", (0.0, 0.5, 1.0)),
        ("load=0:0.9:10", (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)),
        ("load=2:0:3", (2.0, 1.0, 0.0)),
        ("load = 0.5, 1,1.5", (0.5, 1.0, 1.5)),
        ("load=-1e-3:1e-3:2", (-1e-3, 1e-3)),
    ],
)
def test_a_range_with_a_count_and_a_list_are_values_as_they_would_be_typed(tmp_path, text, values):
    found = parse_variation(swing_script(tmp_path), text)
    assert (found.name, found.values) == ("load", values)


def test_a_range_without_a_count_is_left_to_a_design(tmp_path):
    found = parse_variation(swing_script(tmp_path), "load=1:3")
    assert (found.values, found.range) == ((), (1.0, 3.0))
    assert [found.at(share) for share in (0.0, 0.25, 1.0)] == [1.0, 1.5, 3.0]


def test_values_have_the_types_of_their_parameters(typed):
    assert parse_variation(typed, "times=1:5:3").values == (1, 3, 5)
    assert parse_variation(typed, "name=c:d,e").values == ("c:d", "e")
    assert parse_variation(typed, "at=0,1;2,3").values == ((0.0, 1.0), (2.0, 3.0))
    assert parse_variation(typed, "on=yes,no").values == (True, False)
    assert parse_variation(typed, "times=0:9").at(0.5) in (4, 5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mass=0:1:3", "has no parameter 'mass'; parameters: load=0.5, duration=0.1, dt=0.001"),
        ("mass=", "has no parameter 'mass'"),
        ("laod=0:1:3", "did you mean 'load'?"),
        ("load", "--vary requires NAME=VALUES, got 'load'"),
        ("load=", "has no values"),
        ("load=,", "has no values"),
        ("load=1,1", "the value 1 twice"),
        ("load=1:1:3", "is an empty range"),
        ("load=5:3", "the upper end of its range; write load=3:5; load=5:3:3 lists three values"),
        ("load=0:inf:3", "'load' must be a finite number"),
        ("load=nan:1:3", "'load' must be a finite number"),
        ("load=0:1:1", "a count of 2 or more"),
        ("load=0:1:2.5", "a count of 2 or more"),
        ("load=0:1:2:3", "first:last:count"),
        ("load=0:1:99999999999", "99,999,999,999 cases; at most 1,000,000"),
        ("load=a:b:3", "'load' is a number"),
        ("load=1_0:20:3", "'load' is a number in the digits"),
    ],
)
def test_what_is_no_variation_is_refused_in_words(tmp_path, text, said):
    with pytest.raises(ScenarioError) as caught:
        parse_variation(swing_script(tmp_path), text)
    assert said in str(caught.value)


def test_a_range_of_what_is_no_number_or_not_whole_is_refused(typed):
    with pytest.raises(ScenarioError, match="'on' is not a number and has no range"):
        parse_variation(typed, "on=no:yes:2")
    with pytest.raises(ScenarioError, match=r"requires whole numbers.* 11 values are"):
        parse_variation(typed, "times=0:10:4")
    with pytest.raises(ScenarioError, match=r"--largest times=9:1 .*; write times=1:9$"):
        parse_variation(typed, "times=9:1", "--largest")


PIECES = st.sampled_from(
    [*"0123456789:=,;.-+%e_ \t", "load", "dt", "inf", "nan", "1e308", "margin", ">=", "<=", "peak",
     "tau.*", "mass", "é", "٣", "x.py:f", "0:1:3", "load=0:1"]
)  # fmt: skip


@pytest.fixture(scope="module")
def swing(tmp_path_factory):
    return swing_script(tmp_path_factory.mktemp("swing"))


@given(text=st.lists(PIECES, max_size=12).map("".join))
def test_any_text_is_taken_or_refused_in_words(swing, text):
    for read in (lambda: grid([parse_variation(swing, text)]), lambda: parse_tolerance(swing, text),
                 lambda: parse_limit(text), lambda: parse_response(text)):  # fmt: skip
        try:
            read()
        except ScenarioError as error:
            assert str(error)
            assert "\n" not in str(error)
