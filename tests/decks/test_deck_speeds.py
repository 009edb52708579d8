"""Start speeds of decks against least squares of all parts' speeds, by NumPy from the geometry.

The other program knows no joint coordinates: 6 unknowns a part, rows for what joints and motions
keep, and the least sum of squares under them.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.linalg import null_space

from sim.decks import deck_model
from tests.helpers.solved_models import solved_deck

GROUND = 1
X, Y, Z = np.eye(3)
REULER = {"x": "90D, 90D, 0D", "y": "180D, 90D, 180D", "z": "0, 0, 0"}  # z of a marker along it
AXES = dict(zip("xyz", np.eye(3), strict=True))
LOCKED = {  # what a joint keeps of the translations and the turns, along (0) or across (1) its axis
    "REVOLUTE": ("01", "1"),
    "SPHERICAL": ("01", ""),
    "TRANSLATIONAL": ("1", "01"),
    "CYLINDRICAL": ("1", "1"),
    "PLANAR": ("0", "1"),
    "FIXED": ("01", "01"),
}


@dataclass(frozen=True)
class Joint:
    kind: str
    i: int
    j: int
    at: tuple[float, float, float]
    axis: str = "z"
    motion: str = ""
    rate: float = 0.0


@dataclass(frozen=True)
class Machine:
    """Mass centres by part [m], joints, and what parts type [m/s], [rad/s]."""

    com: dict[int, tuple[float, float, float]]
    joints: tuple[Joint, ...]
    typed: dict[int, dict[str, float]]

    def deck(self, unit: float) -> str:
        """The deck in metres, or in another unit of length [m]."""
        name = {1.0: "METER", 1e-3: "MILLIMETER", 0.0254: "INCH"}[unit]
        lines = ["machine", f"UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH={name}, TIME=SECOND"]
        lines.append("PART/1, GROUND")

        def vector(x):
            return ", ".join(repr(float(value / unit)) for value in x)

        for id, com in self.com.items():
            own = self.typed.get(id, {}).items()
            typed = "".join(f", {k} = {v / unit if k[0] == 'V' else v!r}" for k, v in own)
            inertia = ", ".join(repr(value / unit**2) for value in (0.1, 0.11, 0.12))
            lines += [
                f"PART/{id}, MASS = {id}, CM = {id}00, IP = {inertia}{typed}",
                f"MARKER/{id}00, PART = {id}, QP = {vector(com)}",
                f"REQUEST/{id}, F2 = VX({id}00)\\F3 = VY({id}00)\\F4 = VZ({id}00)\\"
                f"F6 = WX({id}00)\\F7 = WY({id}00)\\F8 = WZ({id}00)",
            ]
        for number, one in enumerate(self.joints, 1):
            place = f"QP = {vector(one.at)}, REULER = {REULER[one.axis]}"
            lines += [
                f"MARKER/{90 + number}{part}, PART = {part}, {place}" for part in (one.i, one.j)
            ]
            ends = f"I = {90 + number}{one.i}, J = {90 + number}{one.j}"
            lines.append(f"JOINT/{number}, {one.kind}, {ends}")
            if one.motion:
                lines.append(f"MOTION/{number}, JOINT = {number}, {one.motion}")
        return "\n".join([*lines, "END\n"])

    def speeds(self, unit: float) -> dict[int, np.ndarray]:
        """v of the mass centre and ω of each part: what is typed, then least squares."""
        ids, rows, values = list(self.com), [], []

        def keep(one, direction, value, *, is_turn):
            row = np.zeros((len(ids), 6))
            for part, sign in ((one.i, 1.0), (one.j, -1.0)):
                if part == GROUND:
                    continue
                k, arm = ids.index(part), np.subtract(one.at, self.com[part])
                if is_turn:
                    row[k, 3:] += sign * direction
                else:  # v + ω × arm along the direction
                    row[k, :3] += sign * direction
                    row[k, 3:] += sign * np.cross(arm, direction)
            rows.append(row.ravel())
            values.append(value)

        for one in self.joints:
            axis = AXES[one.axis]
            across = [other for other in np.eye(3) if other @ axis == 0]
            for is_turn, kept in enumerate(LOCKED[one.kind]):
                for direction in [axis] * ("0" in kept) + across * ("1" in kept):
                    keep(one, direction, 0.0, is_turn=bool(is_turn))
            if one.motion:
                keep(one, axis, one.rate, is_turn="ROTATION" in one.motion)
        C, d = np.array(rows), np.array(values)
        wanted = np.array(
            [[self.typed.get(id, {}).get(key, 0.0) for key in KEYS] for id in ids]
        ).ravel()
        is_typed = np.array([[key in self.typed.get(id, {}) for key in KEYS] for id in ids]).ravel()
        weight = np.tile([1 / unit] * 3 + [1.0] * 3, len(ids))
        N = null_space(C, rcond=1e-10)
        normal = N.T * (weight**2 * is_typed)  # of the least squares of what is typed
        C, d = np.vstack([C, normal * unit]), np.append(d, normal @ wanted * unit)
        some = np.linalg.lstsq(C, d, rcond=1e-12)[0]
        assert np.abs(C @ some - d).max() < 1e-12
        N = null_space(C, rcond=1e-10)
        own = weight * ~is_typed
        y = np.linalg.lstsq(own[:, None] * N, -own * some, rcond=1e-12)[0]
        return dict(zip(ids, (some + N @ y).reshape(-1, 6), strict=True))


KEYS = ("VX", "VY", "VZ", "WX", "WY", "WZ")
TURNS = "ROTATION, VELOCITY, FUNCTION = 30D"
RATE = np.radians(30)
CRANK = Machine(
    {2: (0.5, 0, 0), 3: (1.3, 0, 0)},
    (
        Joint("REVOLUTE", 2, GROUND, (0, 0, 0), "z", TURNS, RATE),
        Joint("REVOLUTE", 3, 2, (1, 0, 0)),
    ),
    {},
)
THROWER = Machine(  # a long arm, a weight on a free pin, a sling with a stone on a ball
    {2: (0.3, 0.2, 0), 3: (-0.7, -0.5, 0.1), 4: (1.9, 0.3, 0), 5: (2.2, -0.4, 0.2)},
    (
        Joint("REVOLUTE", 2, GROUND, (0, 0, 0), "z", "ROTATION, FUNCTION = 0.4*SIN(3*TIME)", 1.2),
        Joint("REVOLUTE", 3, 2, (-0.6, -0.1, 0)),
        Joint("REVOLUTE", 4, 2, (1.5, 0.4, 0)),
        Joint("SPHERICAL", 5, 4, (2.1, 0.1, 0)),
    ),
    {},
)
CAROUSEL = Machine(
    {2: (0.1, 0.2, 0.4), 3: (0.8, -0.2, 0.3), 4: (1.1, 0.3, -0.2), 5: (0.4, 1.2, 0.7)},
    (
        Joint("REVOLUTE", 2, GROUND, (0, 0, 0), "z", "ROTATION, FUNCTION = -2*TIME", -2.0),
        Joint("SPHERICAL", 3, 2, (0.5, 0, 0.3)),
        Joint("SPHERICAL", 3, 4, (1.0, 0, 0.1)),  # I on the part that is nearer
        Joint("CYLINDRICAL", 5, 2, (0.3, 0.9, 0.5), "x"),
    ),
    {},
)
SLIDERS = Machine(
    {2: (0.2, 0, 0.1), 3: (0.3, 0.1, 0.2), 4: (0.5, 0.7, 0.1), 5: (0.1, 0.2, 0.9)},
    (
        Joint("TRANSLATIONAL", 2, GROUND, (0, 0, 0), "x", "TRANSLATION, VELOCITY, {speed}", 0.3),
        Joint("TRANSLATIONAL", 3, 2, (0.2, 0, 0), "x"),
        Joint("REVOLUTE", 4, 3, (0.4, 0.3, 0.2), "y"),
        Joint("PLANAR", 5, 2, (0.1, 0.1, 0.5), "z"),
    ),
    {},
)
FIVE_BAR = Machine(  # two cranks, of which one is driven
    {2: (0.0, 0.2, 0), 3: (0.3, 0.7, 0.1), 4: (0.8, 0.6, 0), 5: (1.1, 0.3, -0.1)},
    (
        Joint("REVOLUTE", 2, GROUND, (0, 0, 0), "z", "ROTATION, FUNCTION = 0.8*TIME", 0.8),
        Joint("REVOLUTE", 3, 2, (0.1, 0.5, 0)),
        Joint("REVOLUTE", 4, 3, (0.6, 0.9, 0)),
        Joint("REVOLUTE", 5, 4, (1.2, 0.6, 0)),
        Joint("REVOLUTE", 5, GROUND, (1.0, 0, 0)),
    ),
    {},
)
TYPED = Machine(
    THROWER.com,
    THROWER.joints,
    {2: {"WZ": 5.0}, 3: {"VX": 0.7, "WZ": -2.0}, 5: {"VY": 1.0, "VZ": -0.4, "WX": 3.0}},
)
MACHINES = {
    "crank": CRANK,
    "thrower": THROWER,
    "carousel": CAROUSEL,
    "sliders": SLIDERS,
    "five bars": FIVE_BAR,
    "typed": TYPED,
}


def started(text):
    """v(CM) and ω of each part at t = 0, along the world's axes, by the run's requests."""
    columns = solved_deck(text, 1e-3, 1e-3)
    numbers = {name.split(".")[1].partition("_")[2] for name in columns if "REQUEST" in name}
    names = ("F2", "F3", "F4", "F6", "F7", "F8")
    return {
        int(id): np.array([float(columns[f"request.REQUEST_{id}.{name}"][0]) for name in names])
        for id in numbers
    }


@pytest.mark.parametrize("unit", [1.0, 1e-3, 0.0254], ids=["m", "mm", "inch"])
@pytest.mark.parametrize("name", MACHINES)
def test_free_parts_start_with_the_least_speeds_that_motions_allow(name, unit):
    machine = MACHINES[name]
    text = machine.deck(unit).replace("{speed}", f"FUNCTION = {0.3 / unit}")
    found, wanted = started(text), machine.speeds(unit)
    assert found.keys() == wanted.keys()
    # m/s, rad/s; rounding grows by the condition of the weights, squared: 1 to 1/unit
    error = 1e-12 + 1e-15 / unit**2
    for id in wanted:
        np.testing.assert_allclose(found[id], wanted[id], rtol=0, atol=error, err_msg=f"PART/{id}")


def test_a_bob_on_a_crank_starts_as_its_closed_form_says():
    """ω = -ω0 l c / (1 + c²) of a bob whose mass centre is c from its pin, l from the hinge."""
    model = deck_model(CRANK.deck(1.0))
    spin = -RATE * 1.0 * 0.3 / (1 + 0.3**2)
    assert model.drives.qd0 == pytest.approx({"JOINT_2": spin - RATE}, abs=1e-14)
    (note,) = [note for note in model.notes if "free joints start" in note]
    assert "JOINT_2 -0.667709 rad/s" in note and "assumed" not in note
    millimetres = deck_model(CRANK.deck(1e-3))
    assert any("in other units it is assumed" in note for note in millimetres.notes)


@pytest.mark.parametrize("unit", [1.0, 1e-3])
@pytest.mark.parametrize("typed", [{"WZ": 2.0}, {"VY": 1.0}, {"VX": 0.0, "VY": 1.0}])
def test_a_speed_that_a_part_types_is_kept(typed, unit):
    """ω = v / c of a pendulum whose mass centre is c = 0.5 m from its pin."""
    pendulum = Machine({2: (0.5, 0, 0)}, CRANK.joints[:1], {2: typed})
    model = deck_model(pendulum.deck(unit).replace(TURNS, "").replace("MOTION/1, JOINT = 1,", "!"))
    assert model.drives.qd0 == pytest.approx({"JOINT_1": 2.0}, abs=1e-12)
    assert not any("speeds" in note or "start" in note for note in model.notes)


@pytest.mark.parametrize("speed", [0.0, 0.25])
def test_a_speed_that_a_joint_types_is_kept(speed):
    text = CRANK.deck(1.0).replace("JOINT/2, REVOLUTE", f"JOINT/2, REVOLUTE, IC = 0, {speed}")
    assert deck_model(text).drives.qd0 == pytest.approx({"JOINT_2": speed}, abs=1e-14)


def test_a_machine_that_starts_at_rest_has_no_speeds_and_no_note():
    text = CRANK.deck(1.0).replace(TURNS, "ROTATION, FUNCTION = TIME**2")
    model = deck_model(text)
    assert model.drives.qd0 == {} and not any("start at" in note for note in model.notes)
