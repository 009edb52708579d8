"""Functions of decks as trees: what is typed, what comes back as text, and how units change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.decks import deck_model, trees
from sim.errors import DeckError, ExpressionError
from sim.functions.grammar import syntax_tree
from tests.decks.decks_of_tests import SLIDERS, SPRING

LEAVES = "1 .5 3. 1E3 1e-12 90D 12.5d 007 PI time TIME DM(21,31) vz(021,1,1) VARVAL(7) name.1"
FORMS = (
    "{0} + {1} - {0}", "{0}-({1}-{0})", "({0} + {1})*{1}", "{0}*{1}/{0}", "{0}/({1}/{0})",
    "-{0}**2", "(-{0})**{1}", "({0}**{1})**2", "2**-{0}", "{0}*-{1}", "((({0})))", "+{0}",
    "If({0} :{1},0 , {0})", "delay({0}, 0.1, {1})", "AKISPL({0}, 0, 07)", "F()",
    "step(time,0,{0},1,\n{1})",
)  # fmt: skip
TEXTS = st.recursive(
    st.sampled_from(LEAVES.split()),
    lambda inner: st.builds(str.format, st.sampled_from(FORMS), inner, inner),
    max_leaves=12,
)


def meaning(tree):
    """What the grammar says of a text: signs and parentheses as they act, numbers by value."""
    if isinstance(tree, str):
        text = tree.upper().rstrip("D") if tree.type == "NUMBER" else tree.upper()
        return (float(text), tree[-1] in "dD") if tree.type == "NUMBER" else text
    parts = [meaning(part) for part in tree.parts]
    if tree.rule == "unary" and parts[0] == "+":
        return parts[1]
    if tree.rule == "sum":  # a - b is a + (-b)
        signs = zip(parts[1::2], parts[2::2], strict=True)
        return ["sum", parts[0], *(["unary", "-", x] if s == "-" else x for s, x in signs)]
    return [tree.rule, *parts]


@given(TEXTS)
def test_a_text_comes_back_with_the_same_meaning(text):
    written = trees.write(trees.parse_text(text))
    assert meaning(syntax_tree(written)) == meaning(syntax_tree(text))


@pytest.mark.parametrize("text", ["IF(1, 2, 3, 4)", "IF(1: 2: 3, 4)", "MAX(1: 2)", "DM(1: 2)"])
def test_a_wrong_separator_is_refused(text):
    with pytest.raises(ExpressionError, match="is expected here"):
        trees.parse_text(text)


def force(function, more=""):
    text = f"SFORCE/1, TRANSLATIONAL, I = 21, J = 31, FUNCTION = {function}\n{more}"
    return deck_model(SLIDERS.format(force=text)).forces[0][1]


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("- dm(021,31)*(2+TIME)", "-(DM(21, 31) / 0.001) * (2 + TIME / 0.001)"),
        ("if(VR(21,31): 1, Time, dm (21,\n, 31))",
         "IF(VR(21, 31): 1, TIME / 0.001, DM(21, 31) / 0.001)"),
        ("DELAY(TIME, 5, 0) + 21", "DELAY(TIME / 0.001, 5, 0) + 21"),
        ("AKISPL(TIME, 0, 0007)", "AKISPL(TIME / 0.001, 0, 7)"),
    ],
)  # fmt: skip
def test_a_function_is_in_si_units(typed, text):
    assert force(typed, "SPLINE/7, X = 0, 1, 2, 3, Y = 0, 1, 4, 9").function == text


def test_only_the_spline_that_is_read_is_passed_on():
    points = "X = 0, 1, 2, 3, Y = 0, 1, 4, 9"
    names = force("AKISPL(8*TIME, 0, 7)", f"SPLINE/7, {points}\nSPLINE/8, {points}").names
    assert [*names.splines] == ["7"]


def test_a_mistake_is_shown_as_it_is_typed():
    with pytest.raises(
        DeckError, match=r"line 11, SFORCE/1: .*opened\n    DM\(021,31\)\)\*2\n +\^"
    ):
        force("DM(021,31))*2")


def test_variables_that_read_arrays_are_recorded():
    """One ends with TIME and the next begins with a parenthesis."""
    states = "ARRAY/1, IC, NUMBERS = 3, 5\nDIFF/2, FUNCTION = 4\n"
    own = "VARIABLE/1, FUNCTION = ARYVAL(1, 2)*TIME\nVARIABLE/2, FUNCTION = (DIF1(2))*VARVAL(1)\n"
    text = SLIDERS.format(force=f"{SPRING}\n{states}{own}REQUEST/1, F2 = VARVAL(2) + VARVAL(1)")
    functions = [request.functions for _, request in deck_model(text).requests.requests]
    assert [*functions[0]] == ["F2"]
    assert [*functions[1]] == ["VARIABLE_1", "VARIABLE_2"]
