"""Rows of the language: each is complete, and one row suffices for a new function."""

import numpy as np
import pytest

import sim
from sim.curves import Curve, calculate
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.single_state import expression_code, switch
from sim.dynamics.single_state.loops import equations_at
from sim.dynamics.single_state.marker_loads import marker_loads, unsayable_forces
from sim.functions.jet import Jet
from sim.functions.operation import Operation
from sim.functions.operations import FUNCTIONS, LAWS, OPERATIONS, OPERATORS
from sim.functions.parser import written_out
from sim.functions.syntax import Call, Number, evaluate
from sim.reports.exports import adams_functions
from sim.robots import Loop
from tests.dynamics.test_loops_at_one_state import FIRST, SECOND
from tests.dynamics.test_marker_loads import SEAT, TIP, chain

NOT_IN_MACHINE_CODE = {"CHEBY", "DELAY", "AINT", "ANINT", "ATAN2", "INT", "MOD", "NINT"}
NOT_OF_CURVES = {"DELAY", "INT"}
STEPS = (0.4, 0.1, 2.0, 0.9, 5.0)
ARGUMENTS = {
    **dict.fromkeys(("STEP", "STEP5", "HAVSIN"), STEPS),
    "SWEEP": (0.4, 2.0, 0.1, 1.0, 0.9, 3.0, 0.5),
    "IMPACT": (0.2, -0.3, 0.5, 30.0, 1.5, 2.0, 0.1),
    "BISTOP": (0.7, 0.2, 0.1, 0.6, 30.0, 1.5, 2.0, 0.2),
}


def test_every_function_is_in_every_evaluator_or_known_to_be_missing():
    rows = {**FUNCTIONS, **LAWS}
    lacking = {n for n, row in rows.items() if not (row.text or expression_code.instruction_of(n))}
    assert lacking == NOT_IN_MACHINE_CODE
    assert all(expression_code.instruction_of(name) is not None for name in OPERATORS)
    assert {n for n, row in FUNCTIONS.items() if not (row.js or row.text)} == NOT_OF_CURVES
    assert all(row.js for row in FUNCTIONS.values() if callable(row.text))  # the page has no series


@np.errstate(invalid="ignore")
@pytest.mark.parametrize("name", [n for n, row in OPERATIONS.items() if row.text or row.value])
def test_numbers_and_texts_are_the_values_of_the_jets(name):
    row = OPERATIONS[name]
    args = ARGUMENTS.get(name) or np.linspace(0.3, 0.9, min(len(row.parameters), 7))
    expected = row.formula(*map(Jet.constant, args)).value
    if row.value:
        assert row.value(*args) == pytest.approx(expected, rel=1e-15)
    if row.text:
        call = Call(name, tuple(Number(repr(x), x, 0) for x in args), 0)
        found = evaluate(written_out(call), Jet.time(0.0)).value
        assert found == pytest.approx(expected, rel=1e-13)


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


@pytest.mark.usefixtures("compiled")
def test_a_function_of_one_row_acts_in_machine_code(funnel):
    plant, names = chain(), sim.Names((TIP, SEAT))
    forces = [sim.SForce("f", TIP, SEAT, text, names=names) for text in
              ("3*FUNNEL(DM(i, j))", "3*DM(i, j)*EXP(-DM(i, j)**2)")]  # fmt: skip
    q, qd = np.random.default_rng(1).uniform(-0.5, 0.5, (2, len(plant.coordinates)))
    torques = []
    for force in forces:
        loads = ElementSum(plant, (force,))
        assert not unsayable_forces(loads)
        work = marker_loads(loads).workspace()
        assert work.fill(0.1, q, qd, np.zeros(0))
        torques.append(work.torque.copy())
    assert np.abs(torques[0]).max() > 0.1
    np.testing.assert_array_equal(*torques)


@pytest.mark.usefixtures("compiled")
def test_a_function_of_one_row_closes_a_loop(funnel, monkeypatch):
    texts = "FUNNEL(DM(b,a)) - 0.3", "DM(b,a)*EXP(-DM(b,a)**2) - 0.3"
    loops = [Loop("l", "ground", FIRST, "c", SECOND, None, (), "function", function=text)
             for text in texts]  # fmt: skip
    q, qd = np.random.default_rng(2).uniform(-0.8, 0.8, (2, len(chain().coordinates)))
    monkeypatch.setattr(switch, "is_installed", lambda: True)
    for setting in "10":
        monkeypatch.setenv(switch.SWITCH, setting)
        own, plain = (equations_at(chain().with_loops(loop), q, qd) for loop in loops)
        for found, expected in zip(own, plain, strict=True):
            np.testing.assert_array_equal(found, expected)


def test_a_function_of_one_row_is_one_of_curves_with_its_unit(funnel):
    t = np.linspace(0, 1, 11)
    curves = {"q.a": Curve(t, t**2, "rad"), "tau.a": Curve(t, t, "N·m")}
    found = calculate("FUNNEL(q.a) + 1", curves)
    np.testing.assert_allclose(found.values, funnel(t**2) + 1, rtol=1e-15)
    assert found.unit == "rad"
    with pytest.raises(sim.SimError, match=r"FUNNEL\(x\): the argument of EXP is a number"):
        calculate("FUNNEL(tau.a)", curves)


def test_a_function_of_one_row_is_exported_as_what_adams_has(funnel):
    tree = sim.expression("FUNNEL(2*time)").tree
    assert adams_functions.write_expression(tree) == "2 * TIME * EXP(-(2 * TIME)**2)"
