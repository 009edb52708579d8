"""Rows of the language: their ways to say the same, and a function that is one row."""

import numpy as np
import pytest

import sim
from sim.functions.jet import Jet
from sim.functions.operation import Operation
from sim.functions.operations import FUNCTIONS, OPERATIONS
from sim.functions.parser import written_out
from sim.functions.syntax import Call, Number, evaluate
from sim.functions.write_expression import write_expression

STEPS = (0.4, 0.1, 2.0, 0.9, 5.0)
ARGUMENTS = {
    **dict.fromkeys(("STEP", "STEP5", "HAVSIN"), STEPS),
    "SWEEP": (0.4, 2.0, 0.1, 1.0, 0.9, 3.0, 0.5),
    "BISTOP": (0.7, 0.2, 0.1, 0.6, 30.0, 1.5, 2.0, 0.2),
}


@np.errstate(invalid="ignore")
@pytest.mark.parametrize("name", [n for n, row in OPERATIONS.items() if row.text])
def test_texts_are_the_values_of_the_jets(name):
    row = OPERATIONS[name]
    args = ARGUMENTS.get(name) or np.linspace(0.3, 0.9, min(len(row.parameters), 7))
    expected = row.formula(*map(Jet.constant, args)).value
    call = Call(name, tuple(Number(repr(x), x, 0) for x in args), 0)
    assert evaluate(written_out(call), Jet.time(0.0)).value == pytest.approx(expected, rel=1e-13)


@pytest.fixture
def funnel(monkeypatch):
    """x exp(-x²) as a row of its own."""
    monkeypatch.setitem(FUNCTIONS, "FUNNEL", Operation("FUNNEL(x)", text="x*EXP(-x**2)"))
    return lambda x: x * np.exp(-(x**2))


def test_a_function_of_one_row_drives_with_exact_derivatives(funnel):
    t = np.linspace(0, 2, 9)
    f, f1, f2 = sim.expression("FUNNEL(2*time)").derivatives(t)
    x, e = 2 * t, np.exp(-4 * t**2)
    np.testing.assert_allclose(f, funnel(x), atol=1e-15)
    np.testing.assert_allclose(f1, 2 * (1 - 2 * x**2) * e, atol=1e-14)
    np.testing.assert_allclose(f2, 4 * (4 * x**3 - 6 * x) * e, atol=1e-13)
    with pytest.raises(sim.SimError, match="FUNNEL requires 1 argument"):
        sim.expression("FUNNEL(1, 2)")
    nested = "FUNNEL(" * 20 + "time" + ")" * 20
    with pytest.raises(sim.SimError, match="more than 10000 numbers"):
        sim.expression(nested)


def test_a_function_of_one_row_is_exported_as_what_adams_has(funnel):
    tree = sim.expression("FUNNEL(2*time)").tree
    assert write_expression(tree) == "2 * TIME * EXP(-(2 * TIME)**2)"
