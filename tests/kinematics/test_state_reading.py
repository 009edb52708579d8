"""Functions of the state against Pinocchio's frames, SciPy's rotations and the language's rules."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sim.errors import ExpressionError, ModelError, ScenarioError
from sim.kinematics import Kinematics, StateReading
from sim.robots import Marker, Names
from tests.helpers.arm_markers import ARM, MARKERS, place
from tests.helpers.small_robots import cylindrical, double_pendulum

CLOSE = 1e-12  # m, rad: rounding over a few metres
STEP = 1e-3  # s, of differences; what is left of five points is h⁴/30 of the fifth derivative
SLOPE = 1e-9  # per second

WORLD = Marker("w", "world")
RNG = np.random.default_rng(3)
Q, QD = RNG.uniform(-2, 2, (6, 9)), RNG.uniform(-2, 2, (6, 9))


def read(text, robot=ARM, q=Q, qd=QD, names=None, t=None):
    names = names or Names(tuple(MARKERS.values()))
    t = np.zeros(q.shape[1]) if t is None else t
    return names.parse("it", text).value(t, StateReading(t, Kinematics(robot, q, qd), names))


def rate(curve):
    """d/dt of a function of q along qd, by five points."""
    at = [curve(Q + s * STEP * QD) for s in (-2, -1, 1, 2)]
    return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * STEP)


def along(k, axis, vector):
    return np.einsum("aN,aN->N", place(k, Q)[0][:, axis], vector)


@pytest.mark.parametrize(("axis", "letter"), list(enumerate("XYZ")))
def test_displacements_and_velocities_are_those_of_pinocchio(axis, letter):
    apart = place("i", Q)[1] - place("j", Q)[1]
    for call, k in (("(i, j, k)", "k"), ("(I,J)", None), ("(i,j,0)", None)):
        wanted = along(k, axis, apart)
        np.testing.assert_allclose(read(f"D{letter}{call}"), wanted, rtol=0, atol=CLOSE)
    own = place("i", Q)[1][axis]
    np.testing.assert_allclose(read(f"D{letter}(i)"), own, rtol=0, atol=CLOSE)
    for call, k, seen in (("(i, j, k, l)", "k", "l"), ("(i, j, k)", "k", None)):

        def components(q, seen=seen):
            d = place("i", q)[1] - place("j", q)[1]
            return np.einsum("baN,bN->aN", place(seen, q)[0], d)

        velocity = np.einsum("abN,bN->aN", place(seen, Q)[0], rate(components))
        wanted = along(k, axis, velocity)
        np.testing.assert_allclose(read(f"V{letter}{call}"), wanted, rtol=0, atol=SLOPE)
    speed = np.linalg.norm(velocity, axis=0)
    np.testing.assert_allclose(read("VM(i, j)"), speed, rtol=0, atol=SLOPE)


def test_distance_and_its_rate():
    def length(q):
        return np.linalg.norm(place("i", q)[1] - place("j", q)[1], axis=0)

    np.testing.assert_allclose(read("DM(i, j)"), length(Q), rtol=0, atol=CLOSE)
    np.testing.assert_allclose(read("VR(i, j)"), rate(length), rtol=0, atol=SLOPE)


def test_angular_velocities_are_the_rate_of_the_rotation():
    """[ω]× = dR/dt Rᵀ, of i less that of j."""

    def turning(name):
        R = place(name, Q)[0]
        Rd = rate(lambda q: place(name, q)[0])
        W = np.einsum("abN,cbN->acN", Rd, R)
        return np.stack([W[2, 1], W[0, 2], W[1, 0]])

    w = turning("i") - turning("j")
    for axis, letter in enumerate("XYZ"):
        wanted = along("k", axis, w)
        np.testing.assert_allclose(read(f"W{letter}(i,j,k)"), wanted, rtol=0, atol=SLOPE)
    np.testing.assert_allclose(read("WM(i,j)"), np.linalg.norm(w, axis=0), rtol=0, atol=SLOPE)


def test_the_included_angle_and_its_rate_are_those_of_the_law_of_cosines():
    def angle(q):
        to_i, to_k = (place(name, q)[1] - place("j", q)[1] for name in "ik")
        sides = [np.linalg.norm(d, axis=0) for d in (to_i, to_k, to_i - to_k)]
        return np.arccos(
            (sides[0] ** 2 + sides[1] ** 2 - sides[2] ** 2) / (2 * sides[0] * sides[1])
        )

    np.testing.assert_allclose(read("INCANG(i, j, k)"), angle(Q), rtol=0, atol=CLOSE)
    names = Names(tuple(MARKERS.values()))
    (reading,) = names.parse("it", "INCANG(i, j, k)").readings
    found = StateReading(np.zeros(9), Kinematics(ARM, Q, QD), names)(reading).first
    np.testing.assert_allclose(found, rate(angle), rtol=0, atol=SLOPE)


@pytest.mark.parametrize(("axis", "tilt"), [("x", "y"), ("y", "x"), ("z", "y")])
def test_a_projected_angle_is_that_about_its_axis_whatever_the_tilt(axis, tilt):
    """Of R_ji = R_axis(a) R_tilt(b) the angle is a, for |b| < 90°; both markers on one link."""
    base = Rotation.from_euler("xyz", [0.4, -1.0, 2.0])
    turned = base * Rotation.from_euler(axis, 2.5) * Rotation.from_euler(tilt, -1.2)
    i, j = (
        Marker(name, "forearm_link", (0, 0, 0), R.as_euler("xyz"))
        for name, R in (("i", turned), ("j", base))
    )
    found = read(f"A{axis.upper()}(i, j)", names=Names((i, j)))
    np.testing.assert_allclose(found, 2.5, rtol=0, atol=CLOSE)


def test_hinges_along_z_count_whole_turns():
    down = (-np.pi / 2, 0.0, 0.0)  # z along the hinges, which is y
    names = Names((Marker("low", "lower", rpy=down), Marker("wall", "ground", rpy=down)))
    plant, q = double_pendulum(1.0, 1.0, 0.5, 0.5), np.array([[20.0, -9.0], [0.5, -4.0]])
    qd = np.array([[1.0, 2.0], [0.5, -4.0]])
    assert read("AZ(low, wall)", plant, q, qd, names) == pytest.approx([20.5, -13.0], abs=CLOSE)
    assert read("AZ(wall, low)", plant, q, qd, names) == pytest.approx([-20.5, 13.0], abs=CLOSE)
    assert read("WZ(low, wall, wall)", plant, q, qd, names) == pytest.approx([1.5, -2.0])
    aside = Names((Marker("b", "body", rpy=(0, 0, 0.7)), Marker("g", "world", rpy=(0, 0, -0.2))))
    found = read("AZ(b, g)", cylindrical(), np.array([[30.0], [2.0]]), np.zeros((2, 1)), aside)
    assert found == pytest.approx([30.9], abs=CLOSE)


def test_an_angle_that_would_jump_is_refused():
    names = Names((Marker("b", "body", rpy=(0, 1.2, 0)), Marker("g", "world")))
    q = np.array([[0.0, 3.14159], [0.0, 0.0]])
    with pytest.raises(ScenarioError, match=r"AZ\(b, g\) comes to half a turn at t = 2 s"):
        read("AZ(b, g)", cylindrical(), q, 0 * q, names, t=np.array([1.0, 2.0]))


def test_a_switch_takes_the_side_that_the_state_goes_to():
    """At the very place IF has the value of where it goes; at rest there the middle one."""
    names = Names((Marker("b", "body"), Marker("g", "world")))
    q, qd = np.array([[0.0] * 3, [0.25] * 3]), np.array([[0.0] * 3, [-1.0, 0.0, 1.0]])
    for text in ("DZ(b,g)", "DM(b,g)"):
        found = read(f"IF({text}-0.25: 1, 2, 3)", cylindrical(), q, qd, names)
        assert found.tolist() == [1.0, 2.0, 3.0]


def test_variables_may_read_variables_and_impact_is_a_law_of_the_state():
    markers = tuple(MARKERS.values())
    names = Names(markers, {"gap": "DM(i,j)-0.1", "Twice": "2*VARVAL(GAP)+TIME"})
    d, v = read("DM(i,j)"), read("VR(i,j)")
    found = read("VARVAL(twice)", names=names, t=np.full(9, 3.0))
    np.testing.assert_allclose(found, 2 * (d - 0.1) + 3.0, rtol=1e-14)
    found = read("IMPACT(VARVAL(gap), VR(i,j), 2, 100, 1.5, 0, 0.1)", names=names)
    np.testing.assert_allclose(found, 100 * np.maximum(2.1 - d, 0) ** 1.5, rtol=1e-12)
    assert np.any(found)
    found = read("BISTOP(DM(i,j), VR(i,j), 0, 0.5, 100, 1, 0, 0.1)")
    np.testing.assert_allclose(found, -100 * np.maximum(d - 0.5, 0), rtol=1e-12)
    assert v.shape == d.shape


def test_a_string_breaks_at_known_times_and_switches_with_the_state():
    names = Names(tuple(MARKERS.values()))
    both = names.parse("it", "STEP(TIME,0.2,0,0.5,1)*DM(i,j) + IF(DM(i,j)-TIME: 1, 2, 3)")
    assert names.breaks([both], 1.0).tolist() == [0.2, 0.5]
    assert both.switches_with_state
    mixed = names.parse("it", "IF(TIME-0.4: DX(i), 0, MAX(0, 2*DX(i)))")
    assert names.breaks([mixed], 1.0).tolist() == [0.4]
    smooth = names.parse("it", "STEP(TIME,0.2,0,0.5,1)*DM(i,j)**2")
    assert names.breaks([smooth], 1.0).tolist() == [0.2, 0.5]
    assert not smooth.switches_with_state


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("2*DM(i, q)", 8, "'q' is not a marker; given are: i, j, k, l"),
        ("DM(0, i)", 3, "nothing"),
        ("DX()", 0, "DX requires 1 to 3 arguments, DX(i[, j][, k]); here it has 0"),
        ("DM(i+1, j)", 0, "the name of a marker is required"),
        ("AZ(i: j)", 4, "',' is expected here"),
        ("VARVAL(speed)", 7, "'speed' is not a variable; given are: none"),
        ("SFORCE(pull, 0, 1, i)", 7, "'pull' is not a force; given are: none"),
        ("ACCX(i, j)", 0, "is an acceleration, which follows from the forces"),
        ("1+JOINT(3, 0, 2, 0)", 2, "is the force of a constraint"),
        ("FX(i, j)", 0, "is the force of a constraint"),
        ("PSI(i, j)", 0, "PSI is read by a sim.Request only"),
        ("UVX(i, j)", 0, "UVX is not supported; functions of the state are DM"),
        ("DELAY(DM(i,j), 0.1, 0)", 6, "DM in DELAY"),
        ("3 + DN(i, j)", 4, "did you mean D"),
    ],
)
def test_a_mistake_is_told_with_its_place(text, position, words):
    if words == "nothing":  # the world is a marker like any other
        assert read(text) == pytest.approx(read("DM(i)"))
        return
    with pytest.raises(ExpressionError) as raised:
        read(text)
    assert words in str(raised.value)
    assert raised.value.position == position


def test_names_that_cannot_be():
    i = MARKERS["i"]
    with pytest.raises(ScenarioError, match="Two markers are called 'I'"):
        Names((i, Marker("I", "forearm_link")))
    with pytest.raises(ScenarioError, match=r"in a circle: a -> b -> a"):
        Names((), {"a": "VARVAL(b)", "b": "1+VARVAL(A)", "c": "VARVAL(a)"})
    with pytest.raises(ExpressionError, match=r"Variable 'a': .*'z' is not a marker"):
        Names((i,), {"a": "DX(z)"})
    for given, words in (
        ({"variables": {"a": "1", "A": "2"}}, "Two variables are called 'a'"),
        ({"variables": {"my gap": "1"}}, "variables: 'my gap' is not a name"),
        ({"markers": i}, "markers must be a row of sim.Marker, got Marker"),
        ({"markers": ("i",)}, "markers must be sim.Marker each, got str"),
        ({"splines": {"a": [1, 2]}}, r"splines must be sim.spline\(x, y\) each, got list"),
    ):
        with pytest.raises(ScenarioError, match=words):
            Names(**given)
    for name in ("", "my marker", "0", "1.5", "-a", None):
        with pytest.raises(ModelError, match="a name is a letter"):
            Marker(name, "forearm_link")
    for xyz in ((0, 0), (0, 0, np.nan), "abc", None):
        with pytest.raises(ModelError, match=r"xyz .* m must be three finite numbers"):
            Marker("a", "forearm_link", xyz)
    with pytest.raises(ModelError, match=r"Marker 'a': link 'hook' is not in robot .*available"):
        read("DX(a)", names=Names((Marker("a", "hook"),)))
