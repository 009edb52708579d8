"""Values of VARIABLEs as channels: what a plant shows a controller, in the deck's units."""

import numpy as np
import pytest

from sim.decks import deck_model
from sim.simulation import run
from tests.helpers.small_robots import lift

CART = """a cart that is pushed, in millimetres
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, REULER = 90D, 90D, 0D
PART/2, MASS = 2, CM = 20, IP = 1E4, 1E4, 1E4
MARKER/20, PART = 2
MARKER/21, PART = 2, REULER = 90D, 90D, 0D
JOINT/1, TRANSLATIONAL, I = 21, J = 10
SFORCE/1, TRANSLATIONAL, I = 21, J = 10, ACTIONONLY, FUNCTION = 4
{variables}
ACCGRAV/KGRAV = -9806.65
END
"""
T = np.linspace(0.0, 0.2, 5)

# 4 N on 2 kg, and gravity across: by the text of a FUNCTION its value in the deck's units
VALUES = {
    "DX(20,10,0)": 1e3 * T**2,
    "VX(20,10,0)": 2e3 * T,
    "ACCX(20,10)": 2e3 + 0 * T,
    "JOINT(1,0,4,0)": 19.6133 + 0 * T,
    "SFORCE(1,0,2,0)": 4.0 + 0 * T,
    "DX(20,10,0)*VX(20,10,0)": 2e6 * T**3,
    "SIN(3*TIME)": np.sin(3 * T),
}


def recorded(variables):
    model = deck_model(CART.format(variables=variables), "cart.adm")
    recording = run(model.scenario(0.2, 0.05))
    assert recording.units.keys() >= {*map(str, recording.recorded.columns)}
    return recording


def test_values_are_recorded_in_the_units_of_the_deck():
    own = [f"VARIABLE/{k}, FUNCTION = {text}" for k, text in enumerate(VALUES, 1)]
    own += ["VARIABLE/80, FUNCTION = 2*VARVAL(3)", "!  adams_view_name='pos'"]
    recording = recorded("\n".join((*own, "VARIABLE/90, FUNCTION = VARVAL(1)")))
    named = {f"variable.VARIABLE_{k}": row for k, row in enumerate(VALUES.values(), 1)}
    named |= {"variable.VARIABLE_80": 4e3 + 0 * T, "variable.pos": 1e3 * T**2}
    for table in (recording.recorded, recording.analytic):
        for channel, values in named.items():
            assert table[channel].to_numpy() == pytest.approx(values, rel=1e-9, abs=1e-9), channel
            assert recording.units[channel] == "1"


def test_numbers_are_recorded_only_where_a_plant_has_them():
    recording = recorded(
        "VARIABLE/1, FUNCTION = 3\nVARIABLE/2, FUNCTION = 5\nVARIABLE/3, FUNCTION = 0\n"
        "POUTPUT/1, VARIABLES = 2\nPINPUT/1, VARIABLES = 3"
    )
    channels = [c for c in recording.recorded.columns if c.startswith("variable.")]
    assert channels == ["variable.VARIABLE_2", "variable.VARIABLE_3"]
    assert (recording.recorded["variable.VARIABLE_2"] == 5.0).all()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("USER(1,2)", "USER: a subroutine cannot be called here"),
        ("NOFUN(1,2)", "NOFUN is not an ADAMS function"),
        ("DX(999,10)", "999"),
        ("(((", "VARIABLE/1"),
        ("VARVAL(1)", "depend"),
    ],
)
def test_one_that_cannot_be_is_a_note_and_ends_nothing(text, reason):
    recording = recorded(f"VARIABLE/1, FUNCTION = {text}\nVARIABLE/2, FUNCTION = 2*TIME")
    assert "variable.VARIABLE_1" not in recording.units
    assert recording.analytic["variable.VARIABLE_2"].to_numpy() == pytest.approx(2 * T)
    (note,) = (one for one in recording.run.notes if "VARIABLEs that are not recorded" in one)
    assert "VARIABLE_1" in note
    assert reason in note


def test_one_that_is_not_finite_is_left_out_with_the_time():
    recording = recorded(
        "VARIABLE/1, FUNCTION = 1/(TIME - 0.1)\nVARIABLE/2, FUNCTION = SQRT(0.11 - TIME)\n"
        "VARIABLE/3, FUNCTION = TIME"
    )
    assert "variable.VARIABLE_1" not in recording.recorded
    assert "variable.VARIABLE_3" in recording.analytic
    (note,) = (one for one in recording.run.notes if "not finite throughout" in one)
    assert "VARIABLE_1, VARIABLE_2; VARIABLE_1 first at t = 0.1 s" in note


def test_more_than_can_be_looked_at_are_cut_with_a_note():
    own = "\n".join(f"VARIABLE/{k}, FUNCTION = {k}*TIME" for k in range(1, 305))
    model = deck_model(CART.format(variables=f"{own}\nPOUTPUT/1, VARIABLES = 304"), "cart.adm")
    (request,) = (one for _, one in model.requests.requests)
    assert len(request.functions) == 300
    assert "VARIABLE_304" in request.functions
    assert any("of 304 VARIABLEs 300 are recorded" in note for note in model.notes)


def test_groups_of_requests_are_checked():
    import sim

    with pytest.raises(sim.ScenarioError, match="group 'curve': choose one of request, variable"):
        sim.Request("a", {"b": "TIME"}, group="curve")
    motion = sim.JointMotion.displacement({"slide": "0"})
    with pytest.raises(sim.ScenarioError, match=r"model_names must be a sim\.ModelNames"):
        sim.Scenario(lift(1.0), motion, 1.0, model_names={"parts": {}})
    same = [sim.Request("a", {"b": "TIME"}, group=group) for group in ("part", "part")]
    with pytest.raises(sim.ScenarioError, match="Two requests are called 'a'"):
        sim.Scenario(lift(1.0), motion, 1.0, requests=same)
