"""A function that is one row of the language, in machine code; which functions are there."""

import numpy as np
import pytest

import sim
from sim.dynamics import ElementSum
from sim.dynamics.kernels import expressions
from sim.dynamics.single_state import switch
from sim.dynamics.single_state.loops import equations_at
from sim.dynamics.single_state.marker_loads import marker_loads
from sim.dynamics.single_state.program_table import python_function
from sim.functions import FUNCTIONS, Operation
from sim.robots import Loop
from tests.dynamics.test_loops_at_one_state import FIRST, SECOND
from tests.dynamics.test_marker_loads import SEAT, TIP, chain

pytestmark = pytest.mark.usefixtures("compiled")


def test_every_instruction_is_one_of_the_machine():
    known, opcodes = vars(expressions), expressions.OPCODES
    named = {name for name in opcodes if known.get(name) == opcodes[name]}
    assert opcodes.keys() - named == set("DY DZ AY AZ VY VZ WY WZ".split())  # by the first axis


@pytest.fixture
def funnel(monkeypatch):
    """x exp(-x²) as a row of its own."""
    monkeypatch.setitem(FUNCTIONS, "FUNNEL", Operation("FUNNEL(x)", text="x*EXP(-x**2)"))


def test_a_function_of_one_row_acts_in_machine_code(funnel):
    plant, names = chain(), sim.Names((TIP, SEAT))
    forces = [sim.SForce("f", TIP, SEAT, text, names=names) for text in
              ("3*FUNNEL(DM(i, j))", "3*DM(i, j)*EXP(-DM(i, j)**2)")]  # fmt: skip
    q, qd = np.random.default_rng(1).uniform(-0.5, 0.5, (2, len(plant.coordinates)))
    torques = []
    for force in forces:
        loads = ElementSum(plant, (force,))
        assert not python_function(force)
        work = marker_loads(loads).workspace()
        assert work.fill(0.1, q, qd, np.zeros(0))
        torques.append(work.torque.copy())
    assert np.abs(torques[0]).max() > 0.1
    np.testing.assert_array_equal(*torques)


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
