"""Public decks of ADAMS as they are, against ADAMS's own files: `make adams DATA=folder`.

What ADAMS is off by itself is measured in docs/adams_cases.md: noise of its solver, six printed
digits, and the files of one motion by two joints that differ by 8.4e-4 m. Its table of shares is
printed by `SIM_ADAMS_DATA=folder python -m tests.decks.check_adams_data`.
"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from sim.decks import deck_model
from tests.helpers.solved_models import solved

DATA = os.environ["SIM_ADAMS_DATA"]

COMPONENTS = {
    "Pos": "REQUEST_1.X REQUEST_1.Y REQUEST_1.Z",
    "Quat": "REQUEST_4.F2 REQUEST_4.F3 REQUEST_4.F4 REQUEST_4.F6",
    "Vel": "REQUEST_2.VX REQUEST_2.VY REQUEST_2.VZ",
    "Avel": "REQUEST_2.WX REQUEST_2.WY REQUEST_2.WZ",
    "Acc": "REQUEST_3.ACCX REQUEST_3.ACCY REQUEST_3.ACCZ",
    "Aacc": "REQUEST_3.WDTX REQUEST_3.WDTY REQUEST_3.WDTZ",
    "Rforce": "REQUEST_5.F2 REQUEST_5.F3 REQUEST_5.F4",
    "Rtorque": "REQUEST_5.F6 REQUEST_5.F7 REQUEST_5.F8",
}
AS_SUMS = {  # of a REQUEST of kind FORCE
    "Rforce": "REQUEST_5.FX REQUEST_5.FY REQUEST_5.FZ",
    "Rtorque": "REQUEST_5.TX REQUEST_5.TY REQUEST_5.TZ",
}
# SI units of what is integrated; of the peak of what is solved for, at least as if it were 1.
STATES, SOLVED = 2e-5, 2e-4
INTEGRATED = ("Pos", "Quat", "Vel", "Avel")
# ADAMS's files of one motion by a hinge and by a cross.
TWIN = {"Pos": 8.5e-4, "Quat": 2.2e-4, "Vel": 2.7e-3, "Avel": 1.1e-3, "Acc": 1.3e-2}
TWIN |= {"Aacc": 2.4e-3, "Rforce": 1.3e-2, "Rtorque": 0.0}


def deck(case):
    found = next(Path(DATA).expanduser().rglob(f"test_{case}.adm"))
    return found, found.read_text(encoding="utf-8", errors="replace")


def shares(case, text, components=None, own=None):
    """Solve a deck for 5 s: of each quantity the largest difference beyond the print, by limit."""
    folder = next(Path(DATA).expanduser().rglob(f"{case}_ADAMS_Pos.txt")).parent
    columns, found = solved(deck_model(text).scenario(5.0, 0.01)), {}
    for quantity, names in (COMPONENTS | (components or {})).items():
        theirs = np.loadtxt(folder / f"{case}_ADAMS_{quantity}.txt", skiprows=3).T[1:]
        peak = max(np.max(np.abs(theirs)), 1.0)
        limit = STATES if quantity in INTEGRATED else SOLVED * peak
        digit = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(theirs), 1e-30))) - 5)
        ours = np.stack([columns[f"request.{name}"].to_numpy() for name in names.split()])
        off = np.max(np.maximum(np.abs(ours - theirs) - digit / 2, 0.0))
        found[quantity] = off / (limit + (own or {}).get(quantity, 0.0))
    return found


def compared(*given, **options):
    for quantity, share in shares(*given, **options).items():
        assert share <= 1, (given[0], quantity, share)


def with_law(case, *typed_and_obeyed):
    """A deck with the numbers that its files obey."""
    text = deck(case)[1]
    for typed, obeyed in typed_and_obeyed:
        assert typed in text
        text = text.replace(typed, obeyed)
    return text


def torsion_spring():
    """Files obey 200 N·m/rad and 10 N·m·s/rad; REQUEST/5 is the spring, their force the joint's."""
    text = with_law("RotSpring_Case01", ("1.0*RTOD", "200.0"), ("5.0E-002*RTOD", "10.0"))
    held = "REQUEST/6, " + "\\".join(f"F{k}=JOINT(1,0,{k},0)" for k in (2, 3, 4))
    return text.replace("\nEND", f"\n{held}\nEND")


def spring():
    """Files obey 10 N/m and 0.5 N·s/m without length, from the origin.

    There an SFORCE has no direction; a force by its components is the same law.
    """
    text = with_law("TransSpring_Case01", (", QP = 0, 2, 0", ""))
    start, end = text.index("SFORCE/1"), text.index("VARIABLE/1")
    components = "\\\n".join(
        f", F{axis} = -10*D{axis}(205,204) - 0.5*V{axis}(205,204)" for axis in "XYZ"
    )
    law = f"VFORCE/1, I = 205, JFLOAT = 206, RM = 101\n{components}\n"
    text = text[:start] + "MARKER/206, PART = 1, FLOATING\n" + law + text[end:]
    line = next(line for line in text.splitlines() if line.startswith("REQUEST/05"))
    asked = "\\".join(f"F{k}=VFORCE(1,1,{k},101)" for k in (2, 3, 4, 6, 7, 8))
    return text.replace(line, f"REQUEST/05, {asked}")


@pytest.mark.parametrize("case", ["Revolute_Case01", "Prismatic_Case01", "Cylindrical_Case01"])
def test_a_deck_gives_adams_s_own_curves(case):
    compared(case, deck(case)[1])


@pytest.mark.parametrize(("case", "own"), [("Spherical_Case01", TWIN), ("Revolute_Case01", None)])
def test_a_ball_is_nearer_to_the_files_of_the_hinge_than_to_its_own(case, own):
    """Files of one motion differ by ADAMS's own error; the marker of the hinge is turned."""
    found = shares(case, deck("Spherical_Case01")[1], own=own)
    if own is None:
        assert found.pop("Quat") > 1
    assert max(found.values()) <= 1


def test_a_cross_is_as_near_as_adams_is_to_itself():
    compared("Universal_Case01", deck("Universal_Case01")[1], own=TWIN)


def test_a_rod_holds_with_adams_s_force():
    compared("Distance_Case01", deck("Distance_Case01")[1], AS_SUMS)


OF_JOINT = {"Rforce": "REQUEST_6.F2 REQUEST_6.F3 REQUEST_6.F4"}


def test_the_torsion_spring_of_the_files_has_other_numbers_than_its_deck():
    compared("RotSpring_Case01", torsion_spring(), OF_JOINT)
    assert shares("RotSpring_Case01", deck("RotSpring_Case01")[1])["Pos"] > 1e4


def test_the_spring_of_the_files_is_another_model_than_its_deck():
    compared("TranSpring_Case01", spring())


def test_the_rack_falls_by_its_closed_form():
    """g / 41 of 1 kg, 0.1 kg·m² and 0.05 m; REQUEST/05 has the rack."""
    columns = solved(deck_model(deck("RackPinion_Case01")[1]).scenario(5.0, 0.01))
    t = columns.t
    fall = 9.80665 / 41 * t**2 / 2
    assert fall[-1] == pytest.approx(2.98983232, abs=5e-9)  # m
    assert columns["request.REQUEST_5.Z"].to_numpy() == pytest.approx(-fall, abs=1e-9)
    assert columns["request.REQUEST_6.VZ"].to_numpy() == pytest.approx(-9.80665 / 41 * t, abs=1e-9)


def table():
    """Rows of docs/adams_cases.md: shares of each quantity, in percent."""
    alike = ("Revolute_Case01", "Prismatic_Case01", "Cylindrical_Case01")
    rows = {case: shares(case, deck(case)[1]) for case in alike}
    rows["Distance_Case01"] = shares("Distance_Case01", deck("Distance_Case01")[1], AS_SUMS)
    rows["RotSpring_Case01"] = shares("RotSpring_Case01", torsion_spring(), OF_JOINT)
    rows["TransSpring_Case01"] = shares("TranSpring_Case01", spring())
    for case in ("Spherical_Case01", "Universal_Case01"):
        rows[case] = shares(case, deck(case)[1], own=TWIN)
    for case, found in rows.items():
        percents = " | ".join(f"{100 * share:.2g}" for share in found.values())
        sys.stdout.write(f"| `{case}` | {percents} |\n")


if __name__ == "__main__":
    table()
