"""Force elements that are defined here alone run in the model and in every engine, and are judged.

Two bodies on slides along x, joined by an element between a point of each, without gravity: their
mass centre moves evenly, and their distance is that of the reduced mass on the element.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.linalg import expm

import sim
from sim.dynamics import AppliedWrench, ElementSum, ForceElement
from sim.dynamics.element_sum import slopes_by_differences
from sim.dynamics.joint_forces import joint_elements
from sim.engine_names import ENGINES
from sim.errors import ScenarioError
from sim.maths.rotations import cross
from sim.recording.schema import element_facts
from tests.helpers.small_robots import geared, joint, lift, link, pendulum_on_cart, robot

pytestmark = pytest.mark.usefixtures("few_steps")

LEFT, RIGHT = 2.0, 3.0  # kg
REDUCED = LEFT * RIGHT / (LEFT + RIGHT)
STIFFNESS, DAMPING, LENGTH = 50.0, 1.5, 0.4
END, STEP = 1.0, 0.02  # s
# Points off the slides, so that the wrenches have levers; the lines between them stay along x.
ON_LEFT, ON_RIGHT = np.array([0.1, 0.2, -0.1]), np.array([-0.3, 0.2, -0.1])
START, SPEED = {"left": -0.2, "right": 0.8}, {"left": 0.3, "right": -0.1}
FIRST = START["right"] - START["left"] - 0.4, SPEED["right"] - SPEED["left"]  # m, m/s


def two_bodies():
    return robot(
        link("left_body", LEFT),
        link("right_body", RIGHT),
        joint("left", "prismatic", "ground", "left_body", "1 0 0"),
        joint("right", "prismatic", "ground", "right_body", "1 0 0"),
    )


@dataclass(frozen=True)
class PointSpring(ForceElement):
    """A spring and damper between two points, along the line between them."""

    def line(self, at):
        """Unit vector from left to right, and the distance with its rate."""
        points, speeds = [], []
        for name, point in (("left_body", ON_LEFT), ("right_body", ON_RIGHT)):
            frame = at.kinematics.frame(name)
            arm = np.einsum("abN,b->aN", frame.R, point)
            points.append(frame.p + arm)
            speeds.append(frame.v + cross(frame.w, arm))
        apart = points[1] - points[0]
        distance = np.linalg.norm(apart, axis=0)
        along = apart / distance
        return along, distance, np.sum(along * (speeds[1] - speeds[0]), axis=0)

    def pull(self, at):
        _, distance, rate = self.line(at)
        return STIFFNESS * (distance - LENGTH) + DAMPING * rate

    def wrenches(self, at):
        force = self.pull(at) * self.line(at)[0]
        return (
            AppliedWrench("left_body", ON_LEFT, force, 0 * force),
            AppliedWrench("right_body", ON_RIGHT, -force, 0 * force),
        )

    def stored_energy(self, at):
        return 0.5 * STIFFNESS * (self.line(at)[1] - LENGTH) ** 2

    def slopes(self, at):
        return slopes_by_differences(self, at)


@dataclass(frozen=True)
class Maxwell(PointSpring):
    """A spring in series with a damper, whose elongation z is the element's own state."""

    def start(self, robot):
        return np.array([0.05])  # m

    def elastic(self, at):
        return self.line(at)[1] - LENGTH - at.z[0]

    def pull(self, at):
        return STIFFNESS * self.elastic(at)

    def rate(self, at):
        return STIFFNESS / DAMPING * self.elastic(at)[None]

    def stored_energy(self, at):
        return 0.5 * STIFFNESS * self.elastic(at) ** 2


@pytest.fixture(scope="module", autouse=True)
def kept():
    """A description keeps these kinds too."""
    own = {"spring between points": PointSpring, "Maxwell element": Maxwell}
    every = {**element_facts.kinds(), **own}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(element_facts, "kinds", lambda: every)
        yield


def scenario(element, method="adaptive", engine="bullet", motion=None):
    free = sim.JointMotion.acceleration({}, q0=START, qd0=SPEED, free=["left", "right"])
    gravity = (0.0, 0.0, 0.0)
    return sim.Scenario(
        two_bodies(), motion or free, END, STEP, method, gravity, forces=(element,), engine=engine
    )


def closed_form(element, t):
    """Positions of the two bodies, and the state of the element, at times (N,)."""
    k, c, m = STIFFNESS, DAMPING, REDUCED
    A = np.array([[0.0, 1.0, 0.0], [-k / m, -c / m, 0.0], [0.0, 0.0, 0.0]])
    x0 = np.array([FIRST[0] - LENGTH, FIRST[1], 0.0])  # elongation, its rate, z
    if isinstance(element, Maxwell):
        A = np.array([[0.0, 1.0, 0.0], [-k / m, 0.0, k / m], [k / c, 0.0, -k / c]])
        x0[2] = 0.05
    x, _, z = (expm(A * t[:, None, None]) @ x0).T
    centre = (LEFT * START["left"] + RIGHT * START["right"]) / (LEFT + RIGHT)
    drift = (LEFT * SPEED["left"] + RIGHT * SPEED["right"]) / (LEFT + RIGHT)
    middle, apart = centre + drift * t, x + LENGTH + 0.4
    left = middle - RIGHT / (LEFT + RIGHT) * apart
    return left, left + apart, z


def farthest(element, table):
    """Largest difference from the closed form [m]."""
    wanted = closed_form(element, table.index.to_numpy())
    names = ["q.left", "q.right", *(["state.0"] if isinstance(element, Maxwell) else [])]
    pairs = zip(names, wanted, strict=False)
    return max(float(np.max(np.abs(table[name].to_numpy() - x))) for name, x in pairs)


@pytest.mark.rotates(2)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("element", [PointSpring(), Maxwell()], ids=["spring", "Maxwell"])
def test_an_element_between_two_links_moves_them_as_the_closed_form_says(element, engine):
    run = sim.run(scenario(element, engine=engine))
    for table in (run.recorded, run.analytic):
        assert farthest(element, table) <= 1e-9  # m
        x = closed_form(element, run.t)
        elastic = x[1] - x[0] - 0.4 - LENGTH - (x[2] if isinstance(element, Maxwell) else 0.0)
        stored = 0.5 * STIFFNESS * elastic**2
        np.testing.assert_allclose(table["stored"], stored, rtol=0, atol=1e-8)  # J
        gained = (table["ke"] + table["pe"] + table["stored"]).to_numpy()
        lost = table["external"].to_numpy()
        np.testing.assert_allclose(gained - gained[0], lost, rtol=0, atol=1e-9)  # J
        assert np.all(np.diff(lost) <= 1e-12)  # a damper takes, and never gives
    assert [one for one in sim.check(run) if not one.ok] == []
    assert {"stored energy", "energy balance"} <= {one.name for one in sim.check(run)}


@pytest.mark.parametrize("method", ["stepped", "ideal"])
def test_drives_carry_an_element_between_links(method):
    drives = {"left": "0.1*SIN(3*time)", "right": "1+0.2*SIN(5*time)"}
    motion = sim.JointMotion.displacement(drives)
    run = sim.run(scenario(PointSpring(), method, motion=motion))
    t = run.t
    x = 1 + 0.2 * np.sin(5 * t) - 0.1 * np.sin(3 * t) - 0.4 - LENGTH
    pull = STIFFNESS * x + DAMPING * (np.cos(5 * t) - 0.3 * np.cos(3 * t))
    wanted = {
        "left": -LEFT * 0.9 * np.sin(3 * t) - pull,
        "right": -RIGHT * 5 * np.sin(5 * t) + pull,
    }
    for name, tau in wanted.items():
        np.testing.assert_allclose(run.analytic[f"tau.{name}"], tau, rtol=0, atol=1e-10)  # N
    np.testing.assert_allclose(run.analytic["stored"], 0.5 * STIFFNESS * x**2, rtol=0, atol=1e-12)
    assert [one for one in sim.check(run) if not one.ok] == []


@pytest.mark.parametrize("method", ["stepped", "ideal"])
def test_states_of_their_own_are_left_to_adaptive(method):
    motion = sim.JointMotion.displacement({"left": 0.0, "right": 1.0})
    with pytest.raises(
        ScenarioError, match=rf"method '{method}' does not .* use method 'adaptive'"
    ):
        sim.run(scenario(Maxwell(), method, motion=motion))


def test_own_states_stand_side_by_side_and_must_be_given():
    both = ElementSum(two_bodies(), (Maxwell(), PointSpring(), Maxwell()))
    state = np.zeros(1), np.array([[0.0], [1.3]]), np.zeros((2, 1))
    assert both.states == 2
    np.testing.assert_array_equal(both.start, [0.05, 0.05])
    found = both.rate(*state, np.array([[0.1], [0.2]]))
    distance = 1.3 - 0.4 - LENGTH
    wanted = STIFFNESS / DAMPING * np.array([[distance - 0.1], [distance - 0.2]])
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
    with pytest.raises(ValueError, match="2 state variables"):
        both.at(*state)


def test_at_rest_an_element_gives_the_slope_of_what_it_stores():
    """-∂E/∂q: the works of an element less what it stores would hide a wrong energy."""
    sprung = two_bodies().with_springs({"right": sim.JointSpring(50.0, 3.0, 0.1, 4.0)})
    for element in (PointSpring(), *joint_elements(sprung)):
        each, h = ElementSum(sprung, (element,)), 1e-6
        at = np.zeros(1), np.array([[0.1], [1.3]]), np.zeros((2, 1))
        for row, torque in enumerate(each.torque(each.at(*at))):
            aside = h * (np.arange(2) == row)[:, None]
            ahead, behind = (
                each.stored_energy(each.at(at[0], at[1] + side, at[2])) for side in (aside, -aside)
            )
            np.testing.assert_allclose(torque, (behind - ahead) / (2 * h), atol=1e-7)


# --- slopes -------------------------------------------------------------------------------------

LAWS = {
    "spring": lambda: pendulum_on_cart(1.0, 2.0, 0.7).with_springs(
        {"slide": sim.JointSpring(50.0, 3.0), "hinge": sim.JointSpring(7.0, 0.2, 0.1, 4.0)}
    ),
    "stop": lambda: pendulum_on_cart(1.0, 2.0, 0.7).with_stops(
        {"slide": sim.Stop(1e3, 1.5, 20.0, 0.1, lower=-0.2, upper=0.3)}
    ),
    "follower": lambda: geared(0.1, 0.1, 2.0).with_springs({"output": sim.JointSpring(5.0, 0.3)}),
}


@pytest.mark.parametrize("law", LAWS)
def test_slopes_of_elements_in_joints_are_those_of_differences(law):
    own = LAWS[law]()
    (element,) = joint_elements(own)
    n = len(own.joint_names)
    q = np.array([[-0.5, -0.25, 0.0, 0.35, 0.6]]) * np.ones((n, 1))
    qd = np.array([[1.0, -0.4, 0.3, 0.7, -0.2]]) * np.ones((n, 1))
    alone = ElementSum(own, (element,))
    at = alone.at(np.zeros(5), q, qd)
    found, wanted = alone.slopes(at), slopes_by_differences(element, at)
    assert np.any(found.q)
    assert np.any(found.qd)
    np.testing.assert_allclose(found.q, wanted.q, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.qd, wanted.qd, rtol=0, atol=1e-6)


def test_slopes_of_a_contact_are_those_of_its_law():
    """k e p^(e-1) against the motion of a lift, at a depth of 0.1 m."""
    contact = sim.GroundContact("load", stiffness=1e4, exponent=1.5, damping=30.0, depth=0.05)
    each = ElementSum(lift(2.0), (contact,))
    slopes = each.slopes(each.at(np.zeros(1), np.array([[-0.1]]), np.zeros((1, 1))))
    np.testing.assert_allclose(slopes.q, -1.5e4 * 0.1**0.5, rtol=1e-7)
    np.testing.assert_allclose(slopes.qd, -30.0, rtol=1e-7)
