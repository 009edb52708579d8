import numpy as np
import pytest

from sim.functions.jet import Jet
from sim.functions.state_expression import state_expression
from sim.functions.state_functions import Scope
from sim.functions.syntax import evaluate

TEXTS = (
    "2*time - 3*DIF(x)/DIF(y) + 7", "-DIF(x)**2 + (DIF(y) - 9)**3", "MIN(DIF(x), 2)*MAX(time, 0.5)",
    "IF(DIF(x): 1, 2, DIF(y))", "IF(time - 0.3: 1, 2, 3)", "ABS(DIF(x))*SIN(3*time)/COS(DIF(y))",
    "STEP5(time, 0, 1, 1, 2)*TANH(DIF(x)) + EXP(-time)", "STEP(DIF(x), -2, 5, 3, 1)",
    "STEP5(time, 1 + DIF(x), 0, 1, 2)", "SQRT(DIF(y))", "1/(time - 0.3)",
    "(DIF(x) - 4)**0.5", "SIGN(2, DIF(x))", "MAX(DIF(x), 0/0*time)",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("state", [(-1.5, 2.25), (0.0, 3.0), (2.0, 1e-3)])
def test_one_value_is_the_jets(text, state):
    expression, t = state_expression(text, Scope(states=("x", "y"))), 0.3
    z = dict(zip("XY", state, strict=True))

    class Read:
        def __call__(self, reading):
            return Jet.constant(z[reading.labels[0]])

        def number(self, reading):
            return z[reading.labels[0]]

    with np.errstate(all="ignore"):
        expected = evaluate(expression.tree, Jet.time(t), Read()).value.item()
    assert expression.number(t, Read()) == pytest.approx(expected, rel=1e-15, nan_ok=True)
