import numpy as np
import pinocchio as pin
import pytest

from sim import Bushing, JointSpring, Marker, SForce, Stop
from sim.dynamics import GRAVITY, LagrangianDynamics, gravity_stiffness
from sim.engines import EngineDynamics
from sim.engines.opening import open_engine
from sim.errors import ScenarioError
from sim.robots import DriveTrain, load_robot, read_urdf
from sim.vibration import modes
from sim.vibration.second_answer import roots_apart
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_robots import random_urdf
from tests.helpers.small_robots import (
    cylindrical,
    double_pendulum,
    geared,
    lift,
    pendulum,
    pendulum_on_cart,
)

G = 9.81
# Six-point differences of step 0.01: rounding 1e-13 over it; of the largest root over the smallest.
DIFFERENTIATED = 1e-9


def turns(squared):
    """Frequency of a squared circular frequency [Hz]."""
    return np.sqrt(squared) / (2 * np.pi)


@pytest.mark.parametrize("q", [0.0, 0.7, 2.5, np.pi])
def test_a_pendulum_with_a_spring_adds_its_weight(q):
    m, length, moment, k = 2.0, 0.7, 0.05, 40.0
    found = modes(pendulum(m, length, moment), [q], k)
    wanted = turns((k + m * G * length * np.cos(q)) / (moment + m * length**2))
    np.testing.assert_allclose(found.frequency, [wanted], rtol=1e-14)
    (mode,) = found.modes
    assert mode.frequency == pytest.approx(wanted, rel=1e-12)
    assert mode.shape == {"hinge": 1.0}


def test_a_damped_pendulum_has_the_ratio_of_the_books():
    m, length, k, d = 2.0, 0.7, 40.0, 1.5
    rubbing = pendulum(m, length, 0.1, '<dynamics damping="0.4" friction="0"/>')
    (mode,) = modes(rubbing, [0.0], k, d).modes
    inertia, stiff = 0.1 + m * length**2, k + m * G * length
    assert mode.frequency == pytest.approx(turns(stiff / inertia), rel=1e-12)
    ratio = (d + 0.4) / (2 * np.sqrt(inertia * stiff))
    assert mode.damping_ratio == pytest.approx(ratio, rel=1e-12)


def test_a_creeping_pendulum_has_two_real_roots():
    inertia, k, d = 0.5, 2.0, 6.0
    found = modes(pendulum(0.0001, 0.1, inertia - 1e-6), [np.pi / 2], k, d).modes
    s = np.roots([inertia, d, k])
    np.testing.assert_allclose([mode.root for mode in found], sorted(s, key=abs), rtol=1e-12)
    assert not any(mode.oscillates or mode.runs_away for mode in found)


def test_an_upright_pendulum_runs_away_where_its_weight_is_too_much():
    (away, back) = sorted(
        modes(pendulum(2.0, 0.7), [np.pi], 10.0).modes, key=lambda m: -m.root.real
    )
    grows = np.sqrt((2 * G * 0.7 - 10) / (2 * 0.7**2))
    assert away.runs_away and away.root == pytest.approx(grows, rel=1e-12)
    assert not back.runs_away
    assert np.isnan(modes(pendulum(2.0, 0.7), [np.pi], 10.0).frequency).all()


def test_a_double_pendulum_with_springs_is_that_of_the_books():
    m1, m2, l1, l2, k1, k2 = 1.3, 0.7, 0.8, 0.5, 30.0, 9.0
    coupled = m2 * l2 * (l1 + l2)
    M = np.array([[(m1 + m2) * l1**2 + m2 * (l2**2 + 2 * l1 * l2), coupled], [coupled, m2 * l2**2]])
    low = m2 * G * l2
    K = np.array([[k1 + (m1 + m2) * G * l1 + low, low], [low, k2 + low]])
    found = modes(double_pendulum(m1, m2, l1, l2), [0, 0], {"shoulder": k1, "elbow": k2})
    squared = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)))
    np.testing.assert_allclose(found.frequency, turns(squared), rtol=1e-13)
    for mode in found.modes:  # each shape fulfils K φ = ω² M φ
        shape = np.array(list(mode.shape.values()))
        left = K @ shape + mode.root**2 * M @ shape
        assert np.abs(left).max() < 1e-11 * np.abs(K).max()


def test_a_damped_two_link_arm_has_the_complex_roots_of_the_books():
    """Hanging, with springs and dampers in its joints: M, D and K in closed form."""
    m1, m2, l1, l2, k, d = 1.3, 0.7, 0.8, 0.5, (30.0, 9.0), (0.4, 0.2)
    low = m2 * l2 * (l1 + l2)
    M = np.array([[(m1 + m2) * l1**2 + m2 * (l2**2 + 2 * l1 * l2), low], [low, m2 * l2**2]])
    hang = m2 * G * l2
    K = np.array([[k[0] + (m1 + m2) * G * l1 + hang, hang], [hang, k[1] + hang]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, np.hstack([K, np.diag(d)]))]])
    roots = np.linalg.eigvals(A)
    wanted = sorted(roots[roots.imag > 0], key=abs)
    springs = {"shoulder": JointSpring(k[0], d[0]), "elbow": JointSpring(k[1], d[1])}
    found = modes(double_pendulum(m1, m2, l1, l2).with_springs(springs), [0, 0])
    np.testing.assert_allclose([mode.root for mode in found.modes], wanted, rtol=1e-12)


def test_springs_of_the_robot_and_stiffness_of_the_drive_add():
    of = pendulum(2.0, 0.7).with_springs({"hinge": JointSpring(15.0, 0.2)})
    own, both = modes(of, [0.3]), modes(of, [0.3], 25.0)
    alone = modes(pendulum(2.0, 0.7), [0.3], 40.0, 0.2)
    assert both.frequency == pytest.approx(alone.frequency, rel=1e-14)
    assert both.modes[0].damping_ratio == pytest.approx(alone.modes[0].damping_ratio, rel=1e-12)
    assert own.frequency[0] < both.frequency[0]


def test_one_stiffness_for_all_drives_leaves_elastic_gears_as_they_are():
    """The pendulum's motor is locked; of its gear's own 400 N·m/rad, I = 1 kg (0.5 m)²."""
    gear = DriveTrain(50, rotor_inertia=2e-5, stiffness=400.0)
    elastic = pendulum(1.0, 0.5).with_drives({"hinge": gear})
    found = modes(elastic, np.zeros(2), stiffness=700.0, gravity=(0, 0, 0))
    assert found.frequency == pytest.approx([np.sqrt(400.0 / 0.25) / (2 * np.pi)], rel=1e-12)
    for name in ("hinge", "spin_of_hinge"):
        with pytest.raises(ScenarioError, match=f"{name}' has no drive .* or its gear is elastic"):
            modes(elastic, np.zeros(2), stiffness={name: 5.0})


def test_a_rigid_joint_takes_no_part():
    found = modes(double_pendulum(1.3, 0.7, 0.8, 0.5), [0.0, 0.0], {"shoulder": 30.0})
    inertia = 1.3 * 0.8**2 + 0.7 * 1.3**2
    weight = G * (1.3 * 0.8 + 0.7 * 1.3)
    np.testing.assert_allclose(found.frequency, [turns((30 + weight) / inertia)], rtol=1e-14)
    assert found.drives.rigid == ("elbow",)


def test_a_gear_and_a_slide():
    found = modes(geared(0.4, 0.03, 2.5), [0.2], 50.0)
    np.testing.assert_allclose(found.frequency, [turns(50 / (0.4 + 0.03 * 2.5**2))], rtol=1e-14)
    np.testing.assert_allclose(
        modes(lift(3.0), [0.1], 1200.0).frequency, [turns(400.0)], rtol=1e-14
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_slope_of_gravity_is_that_of_pinocchio(seed):
    of = read_urdf(random_urdf(np.random.default_rng(seed), 6))
    q = np.random.default_rng(9).uniform(-2, 2, (6, 5))
    down = (1.0, -2.0, -9.0)
    oracle = PinocchioModel(of, down)
    wanted = [
        pin.computeGeneralizedGravityDerivatives(
            oracle.model, oracle.data, row[np.argsort(oracle.order)]
        )[np.ix_(oracle.order, oracle.order)]
        for row in q.T
    ]
    found = gravity_stiffness(of, q, down)
    np.testing.assert_allclose(found, np.stack(wanted, axis=-1), rtol=0, atol=1e-11)


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_engines_differentiated_have_the_same_roots(engine):
    pytest.importorskip({"bullet": "pybullet", "mujoco": "mujoco"}[engine])
    for of, q in (
        (load_robot("ur10"), np.full(6, 0.4)),
        (load_robot("irb460"), np.full(4, 0.2)),  # its rods follow
        (pendulum_on_cart(3.0, 1.0, 0.6), np.array([0.1, 0.3])),
    ):
        found = modes(of, q, 3e3, 1.0)
        with open_engine(engine, of, GRAVITY) as opened:
            assert roots_apart(found, EngineDynamics(opened)) < DIFFERENTIATED


def test_roots_of_one_size_are_no_difference():
    # upright without damping each link runs away: s and -s, and rounding decides their order
    robot = double_pendulum(1.0, 1.0, 0.5, 0.5)
    for stiffness in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        found = modes(robot, [np.pi, 0.0], stiffness)
        assert sum(mode.runs_away for mode in found.modes) == 2
        assert roots_apart(found, LagrangianDynamics(robot)) < DIFFERENTIATED


def test_a_second_answer_that_differs_is_seen():
    found = modes(double_pendulum(1.3, 0.7, 0.8, 0.5), [0.2, 0.1], 20.0, 0.1)
    heavier = LagrangianDynamics(double_pendulum(1.3, 0.7001, 0.8, 0.5))
    assert 1e-6 < roots_apart(found, heavier) < 1e-3
    assert roots_apart(found, LagrangianDynamics(found.drives.robot)) < DIFFERENTIATED


@pytest.mark.parametrize(
    ("stiffness", "damping", "says"),
    [
        (None, None, "No joint of robot 'small' is elastic: a drive is rigid"),
        ({"knee": 1.0}, None, "no joint 'knee'.*shoulder, elbow"),
        (-1.0, None, "stiffness of joint 'shoulder'.*not negative; got -1.0"),
        (float("nan"), None, "got nan"),
        ({"elbow": True}, None, "got True"),
        (0.0, None, "is elastic"),
        ({"elbow": 1.0}, {"shoulder": 1.0}, "'shoulder' has damping but is rigid"),
    ],
)
def test_drives_that_are_refused(stiffness, damping, says):
    with pytest.raises(ScenarioError, match=says):
        modes(double_pendulum(1.0, 1.0, 1.0, 1.0), [0, 0], stiffness, damping)


@pytest.mark.parametrize("q", [[0.0], [0.0, np.nan], "zero", None])
def test_poses_that_are_refused(q):
    with pytest.raises(
        ScenarioError, match=r"is 2 finite numbers .rad or m., one per joint .shoulder"
    ):
        modes(double_pendulum(1.0, 1.0, 1.0, 1.0), q, 1.0)


def test_what_has_no_inertia_is_refused():
    spun = cylindrical()
    assert modes(spun, [0, 0], 1.0).frequency.size == 2
    with pytest.raises(ScenarioError, match="'hinge' is free and has no inertia along it"):
        modes(pendulum(1.0, 0.0), [0.0], 1.0)


def test_a_body_on_a_stop_bounces_as_the_law_is_steep_there():
    """m g = k p^e at rest, and the slope is e k p^(e - 1)."""
    m, k, e = 3.0, 1e5, 1.5
    on = lift(m).with_stops({"slide": Stop(k, e, damping=40.0, depth=1e-3, lower=-0.1, upper=1.0)})
    depth = (m * G / k) ** (1 / e)
    found = modes(on, [-0.1 - depth], free=["slide"])
    np.testing.assert_allclose(found.frequency, [turns(e * k * depth ** (e - 1) / m)], rtol=1e-12)
    assert found.unbalanced == {}
    assert found.modes[0].damping_ratio == pytest.approx(
        40.0 / (2 * np.sqrt(m * e * k * depth ** (e - 1))), rel=1e-12
    )
    assert roots_apart(found, LagrangianDynamics(on)) < DIFFERENTIATED
    above = modes(on, [0.2], free=["slide"])
    assert above.frequency == [0.0] and set(above.unbalanced) == {"slide"}


@pytest.mark.parametrize("q", [0.0, 0.8])
def test_forces_between_links_stiffen_and_damp_as_by_hand(q):
    """A turning spring about the hinge, as a bushing, as a string of the state and in the joint."""
    m, length, k, d = 2.0, 0.7, 35.0, 1.1
    i, j = Marker("i", "bob", (0, 0, 0)), Marker("j", "ground", (0, 0, 0))
    bushing = Bushing("b", i, j, turning_stiffness=(0, k, 0), turning_damping=(0, d, 0))
    turned = (np.pi / 2, 0, 0)  # z along -y
    i, j = (Marker(f"{one.name}z", one.link, one.xyz, turned) for one in (i, j))
    string = SForce("s", i, j, f"-{k}*AZ(iz,jz)-{d}*WZ(iz,jz,jz)", acts="rotational")
    inertia, stiffness = m * length**2, k + m * G * length * np.cos(q)
    for force in (bushing, string):
        (mode,) = modes(pendulum(m, length), [q], free=["hinge"], forces=(force,)).modes
        wanted = np.roots([inertia, d, stiffness])
        assert mode.root == pytest.approx(wanted[np.argmax(wanted.imag)], rel=1e-11)


def test_what_creeps_is_slow_and_no_drift():
    """d x' + k x = 0 in effect: -k/d of a lift with ten thousand times the critical damping."""
    m, k = 3.0, 900.0
    d = 1e4 * 2 * np.sqrt(k * m)
    found = modes(lift(m), [0.0], k, d)
    assert found.modes[0].root == pytest.approx(-k / d, rel=1e-6)


@pytest.mark.parametrize("q", [0.0, 0.7])
def test_what_nothing_holds_or_pulls_at_drifts(q):
    """All roots are zero, the engine's too: its differences leave 1e-7 1/s of rounding."""
    robot = double_pendulum(1.0, 2.0, 0.5, 0.7)
    found = modes(robot, [q, 1.1], 0.0, gravity=(0.0, 0.0, 0.0), free=robot.row_names)
    assert [mode.root for mode in found.modes] == [0, 0, 0, 0]
    with open_engine("bullet", found.drives.robot, found.gravity) as engine:
        assert roots_apart(found, EngineDynamics(engine, found.drives.robot)) < 1e-6


def test_a_slow_pendulum_is_no_rounding():
    """A hinge held by a spring of a micro-newton metre: a period of two hours."""
    (mode,) = modes(pendulum(1.0, 1.0, 0.0), [0.0], 1e-6, gravity=(0.0, 0.0, 0.0)).modes
    assert mode.frequency == pytest.approx(turns(1e-6), rel=1e-9)
