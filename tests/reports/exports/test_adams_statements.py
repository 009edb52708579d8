import numpy as np
import pytest

from sim.functions.expression import expression
from sim.functions.write_expression import write_expression
from sim.reports.exports.adams_statements import comment, function, number_list, statement
from tests.helpers.adams_dataset import numbers, statements


def test_a_statement_has_an_argument_a_line():
    text = statement("MOTION/1", "JOINT = 1", "ROTATION", function("30D * TIME"))
    assert text == "MOTION/1\n, JOINT = 1\n, ROTATION\n, FUNCTION = 30D * TIME"


def test_a_list_goes_on_behind_a_comma_and_no_number_is_cut():
    x = np.random.default_rng(1).normal(size=500) * 10.0 ** np.arange(-250, 250)
    text = statement(
        "SPLINE/1", number_list("X", np.sort(x).tolist()), number_list("Y", x.tolist())
    )
    assert max(map(len, text.splitlines())) <= 80
    read = statements(text)["SPLINE/1"]
    np.testing.assert_array_equal(numbers(read["Y"]), x)
    np.testing.assert_array_equal(numbers(read["X"]), np.sort(x))


@pytest.mark.parametrize(
    "typed",
    [
        "+".join(f"STEP(time,{k},0,{k}.5,{k * 1.23456789e-7!r})" for k in range(1, 40)),
        "-(" * 60 + "time" + ")" * 60,
        "*".join(["time"] * 90),
        "POLY(time,0," + ",".join(f"{k / 7!r}" for k in range(31)) + ")",
    ],
)
def test_a_long_function_goes_on_in_lines_of_80_columns(typed):
    text = statement("MOTION/1", function(write_expression(expression(typed).tree)))
    assert max(map(len, text.splitlines())) <= 80
    t = np.linspace(0, 3, 31)
    read = expression(statements(text)["MOTION/1"]["FUNCTION"])
    np.testing.assert_array_equal(read.value(t), expression(typed).value(t))


def test_a_comment_never_leaves_its_lines():
    text = comment("words and words " * 20 + "/a" * 100 + " end\nof it")
    lines = text.splitlines()
    assert all(line.startswith("! ") and len(line) <= 80 for line in lines)
    assert text.replace("\n! ", "").count("/a") == 100
