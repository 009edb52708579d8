"""Parts that are typed apart come together as near as they can, against SciPy's least change."""

import numpy as np
import pytest
from scipy.optimize import minimize

from sim.decks import deck_model
from sim.errors import DeckError
from sim.maths import inverse_pose
from tests.decks.test_deck_loops import DRIVE, rocker
from tests.decks.test_deck_loops import FOUR_BAR as CRANKED
from tests.helpers.solved_models import solved

FOUR_BAR = """a four-bar, typed with few digits
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1
MARKER/2, PART = 1, QP = {base}, 0, 0
PART/2, MASS = 1, CM = 21, IP = 1E3, 1E3, 1E3, REULER = 90D, 0, 0{exact}
MARKER/21, PART = 2, QP = 50, 0, 0
MARKER/22, PART = 2
MARKER/23, PART = 2, QP = 100, 0, 0
PART/3, MASS = 2, CM = 31, IP = 1E3, 2E4, 2E4, QG = 0, 100, 0, REULER = 20D, 0, 0
MARKER/31, PART = 3, QP = 180, 0, 0
MARKER/32, PART = 3
MARKER/33, PART = 3, QP = 360, 0, 0
PART/4, MASS = 1.5, CM = 41, IP = 1E3, 1E4, 1E4, QG = 400, 0, 0, REULER = 105D, 0, 0
MARKER/41, PART = 4, QP = 120, 0, 0
MARKER/42, PART = 4
MARKER/43, PART = 4, QP = 240, 0, 0
JOINT/1, REVOLUTE, I = 22, J = 1
JOINT/2, REVOLUTE, I = 32, J = 23
JOINT/3, REVOLUTE, I = 33, J = 43
JOINT/4, REVOLUTE, I = 42, J = 2
ACCGRAV/JGRAV = -9806.65
END
"""
TYPED = np.array([[0, 50, np.pi / 2], [0, 0, np.radians(20)], [0, 0, np.radians(105)]])
HALVES = np.array([50, 180, 120])  # mm, of each bar, to its furthest marker
WEIGHTS = np.column_stack([np.ones(3), np.ones(3), HALVES])
TYPED[1, :2] = np.array([0, 100]) + 180 * np.array([np.cos(TYPED[1, 2]), np.sin(TYPED[1, 2])])
TYPED[2, :2] = np.array([400, 0]) + 120 * np.array([np.cos(TYPED[2, 2]), np.sin(TYPED[2, 2])])


def least_change():
    """Centres [mm] and angles [rad] of the bars that are nearest to those typed."""

    def ends(x):
        x = x.reshape(3, 3)
        half = HALVES[:, None] * np.column_stack([np.cos(x[:, 2]), np.sin(x[:, 2])])
        return x[:, :2] - half, x[:, :2] + half

    def gaps(x):
        near, far = ends(x)
        apart = [near[0], near[1] - far[0], far[1] - far[2], near[2] - [400, 0]]
        return np.concatenate(apart)

    found = minimize(
        lambda x: np.sum(((x - TYPED.ravel()) * WEIGHTS.ravel()) ** 2),
        TYPED.ravel(),
        constraints={"type": "eq", "fun": gaps},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert abs(gaps(found.x)).max() < 1e-8
    return found.x.reshape(3, 3)


def placed(model):
    """Centres [mm] and angles [rad] of the three bars."""
    found = []
    for id in (2, 3, 4):
        part = model.deck.parts[id]
        centre = 1e3 * (part.T_0p[:3, :3] @ part.com + part.T_0p[:3, 3])
        found.append([*centre[:2], np.arctan2(part.T_0p[1, 0], part.T_0p[0, 0])])
    return np.array(found)


def test_parts_come_together_by_the_least_change():
    """Newton's method ends where the change is square to all ways that keep the bars together."""
    model, wanted = deck_model(FOUR_BAR.format(base=400, exact="")), least_change()
    change = WEIGHTS * (wanted - TYPED)
    assert abs(change).max() > 2  # mm
    assert abs(WEIGHTS * (placed(model) - wanted)).max() < 1e-5  # mm
    (note,) = (note for note in model.notes if "moved together" in note)
    assert "JOINT/3: its markers are 8.7" in note
    columns = solved(model.scenario(0.1, 0.02))
    assert np.ptp(columns["ke"].to_numpy() + columns["pe"].to_numpy()) < 1e-9  # J


@pytest.mark.parametrize("exact", ["X:Y:PSI", "X, Y, PSI", "x,y,psi, VX = 0"])
def test_what_is_exact_stays(exact):
    """It counts a thousand times as much in the sum of squares of a thousand times the change."""
    model = deck_model(FOUR_BAR.format(base=400, exact=f", EXACT = {exact}"))
    assert placed(model)[0] == pytest.approx(TYPED[0], abs=1e-5)


def test_parts_that_are_together_are_not_touched():
    text = FOUR_BAR.format(base=400, exact="")
    first = deck_model(text)
    lines = [f"QG = {x!r}, {y!r}, 0, REULER = {a!r}, 0, 0" for x, y, a in origins(first)]
    old = ("REULER = 90D, 0, 0", "QG = 0, 100, 0, REULER = 20D, 0, 0",
           "QG = 400, 0, 0, REULER = 105D, 0, 0")  # fmt: skip
    for one, other in zip(old, lines, strict=True):
        text = text.replace(one, other)
    again = deck_model(text)
    assert not any("moved" in note for note in again.notes)
    assert placed(again) == pytest.approx(placed(first), abs=1e-12)


def origins(model):
    poses = [model.deck.parts[id].T_0p for id in (2, 3, 4)]
    rows = [(*(1e3 * T[:2, 3]), np.arctan2(T[1, 0], T[0, 0])) for T in poses]
    return np.array(rows).tolist()


@pytest.mark.parametrize(("reach", "by"), [("50", "0.0025"), ("5E7", "")])
def test_bars_that_do_not_reach_are_named_with_what_stays_open(reach, by):
    """Of the sum of squares the least: 10 mm that lack are shared by all four joints."""
    text = FOUR_BAR.format(base=400, exact="").replace("QP = 360", f"QP = {reach}")
    told = r"JOINT/\d: .*; no place nearby .*" + 3 * rf"JOINT/\d by {by}.*"
    with np.errstate(all="ignore"), pytest.raises(DeckError, match=told):
        deck_model(text)


BAR = """a bar on one joint, typed beside it
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1, QP = 10, 20, 30, REULER = 20D, 30D, 40D
PART/2, MASS = 1, CM = 21, IP = 4E3, 1E4, 1E4, QG = 9, 21.5, 29, REULER = 21D, 31D, 38D
MARKER/21, PART = 2, QP = 200, 0, 0
MARKER/22, PART = 2
MARKER/23, PART = 2, REULER = 0, 90D, 0
{held}
ACCGRAV/KGRAV = -9806.65
END
"""
# Of I in J: the coordinates of its place that are zero, and of R = T_ji[:3, :3] those that are.
KEPT = {
    "JOINT/1, REVOLUTE, I = 22, J = 1": ("xyz", "xz yz"),
    "JOINT/1, TRANSLATIONAL, I = 22, J = 1": ("xy", "xz yz"),
    "JOINT/1, CYLINDRICAL, I = 22, J = 1": ("xy", "xz yz"),
    "JOINT/1, SCREW, PITCH = 5, I = 22, J = 1": ("xy", "xz yz"),
    "JOINT/1, SPHERICAL, I = 22, J = 1": ("xyz", ""),
    "JOINT/1, PLANAR, I = 22, J = 1": ("z", "xz yz"),
    "JOINT/1, UNIVERSAL, I = 23, J = 1": ("xyz", "zz"),
    "JOINT/1, HOOKE, I = 22, J = 1": ("xyz", "yx"),
    "JOINT/1, CONVEL, I = 22, J = 1": ("xyz", ""),
    "JPRIM/1, ATPOINT, I = 22, J = 1": ("xyz", ""),
    "JPRIM/1, INPLANE, I = 22, J = 1": ("z", ""),
    "JPRIM/1, PARALLEL_AXES, I = 22, J = 1": ("", "xz yz"),
    "GCON/1, I = 22, FUNCTION = DZ(22, 1, 1)": ("z", ""),
}


@pytest.mark.parametrize("turned", ["21D, 31D, 38D", "25D, 50D, 60D"])
@pytest.mark.parametrize("held", KEPT)
def test_every_kind_of_joint_brings_its_markers_together(held, turned):
    deck = deck_model(BAR.replace("21D, 31D, 38D", turned).format(held=held)).deck
    T = inverse_pose(deck.T_0m(1)) @ deck.T_0m(23 if "23" in held else 22)
    places, turns = KEPT[held]
    assert [T["xyz".index(axis), 3] for axis in places] == pytest.approx(
        [0] * len(places), abs=1e-9
    )
    left = [T["xyz".index(a), "xyz".index(b)] for a, b in turns.split()]
    assert left == pytest.approx([0] * len(left), abs=1e-9)


@pytest.mark.parametrize(("turned", "side"), [("50D", 1), ("130D", -1), ("180D", -1)])
def test_shafts_that_are_typed_half_a_turn_apart_stay_there(turned, side):
    """x_i · y_j = y_i · x_j of a CONVEL knows no difference: x of I points with x of J or back."""
    text = BAR.replace("MARKER/22, PART = 2", f"MARKER/22, PART = 2, REULER = 0, 0, {turned}")
    model = deck_model(text.format(held="JOINT/1, CONVEL, I = 22, J = 1"))
    T = inverse_pose(model.deck.T_0m(1)) @ model.deck.T_0m(22)
    assert T[0, 1] == pytest.approx(T[1, 0], abs=1e-9)
    assert T[0, 0] * side > 0.9
    assert any("moved together" in note for note in model.deck.notes)


def test_a_loop_that_is_typed_with_few_digits_is_closed():
    """Bars keep their lengths: the law of cosines, whatever the angles are typed to."""
    coupler, angle = rocker(0.0)
    typed = {"coupler": f"{coupler:.3f}", "rocker": f"{angle:.3f}"}
    more = f"{DRIVE}\nREQUEST/2, D, I = 31, J = 41"
    scenario = deck_model(CRANKED.format(**typed, kind="REVOLUTE", more=more)).scenario(0.5, 0.1)
    (told,) = (note for note in scenario.notes if "moved together" in note)
    gap = 0.4 * np.exp(1j * np.round(coupler, 3)) - 0.3 * np.exp(1j * np.round(angle, 3)) - 0.25
    assert float(told.split("its markers are ")[1].split()[0]) == pytest.approx(
        1e3 * abs(gap), rel=1e-2
    )
    columns = solved(scenario)
    angle = rocker(2 * columns.t)[1]
    for axis, row in zip("XY", (np.cos(angle), np.sin(angle)), strict=True):
        of_tip = columns[f"request.REQUEST_1.{axis}"].to_numpy()
        assert of_tip == pytest.approx(0.3 * row, abs=1e-9)  # m
        assert np.abs(columns[f"request.REQUEST_2.{axis}"]).max() < 1e-9
