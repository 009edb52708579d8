"""Links that bend, against Euler and Bernoulli, a published rotating beam and finite elements."""

from functools import partial

import numpy as np
import pytest
from scipy.linalg import eigh

import sim
from tests.helpers.small_robots import joint, link, robot

EI, MU = 10.0, 1.0  # N·m², kg/m
WEIGHTLESS = (0.0, 0.0, 0.0)


def arm():
    return robot(
        link("arm", 1.0, "0.5 0 0", "0 0.08 0.08"),
        joint("hub", "revolute", "ground", "arm", "0 0 1"),
    )


def beam(axis="z", **more):
    return sim.FlexibleLink("arm", 1.0, {axis: EI}, mass_per_length=MU, **more)


def scaled(modes):
    """Frequencies of a beam of length 1, over √(EI/μ)."""
    return np.asarray(modes.frequency) * 2 * np.pi / np.sqrt(EI / MU)


@pytest.mark.parametrize("modes", [1, 2, 3])
def test_the_number_of_hinges_is_chosen_for_the_frequencies_of_a_clamped_beam(modes):
    # Blevins, Formulas for Natural Frequency and Mode Shape, table 8-1: clamped, free
    published = np.array([1.87510407, 4.69409113, 7.85475744])[:modes] ** 2
    flexible = beam(modes=modes)
    robot_ = flexible.on(arm())
    found = scaled(sim.modes(robot_, np.zeros(len(robot_.row_names)), gravity=WEIGHTLESS))
    assert found[:modes] == pytest.approx(published, rel=1e-3)
    assert flexible.count == 4 * modes
    assert f"{flexible.count + 1} rigid pieces" in flexible.describe()


def test_the_deflection_under_its_weight_is_that_of_the_beam_with_any_number_of_hinges():
    g = 1e-3  # m/s²: small enough for a linear beam
    for hinges in (2, 6):
        flexible = beam("y", hinges=hinges)
        robot_ = flexible.on(arm())
        q = np.zeros(len(robot_.row_names))
        at_rest = sim.equilibrium(robot_, flexible.joint_names, q, gravity=(0, 0, -g))
        tip = sim.frame_pose(robot_, at_rest.q, frame="arm_tip")
        assert tip[2, 3] == pytest.approx(-MU * g / (8 * EI), rel=1e-9)
        assert tip[2, 0] == pytest.approx(-MU * g / (6 * EI), rel=1e-9)


def rotating_beam(speed):
    """First frequency out of the plane of rotation by Ritz with ten powers; all of length 1."""
    n = np.arange(2, 12)
    total = n[:, None] + n[None, :]
    bending = np.outer(n * (n - 1), n * (n - 1)) / (total - 3)
    # ∫ (1 - x²)/2 w' w' dx of the tension
    tension = np.outer(n, n) * 0.5 * (1 / (total - 1) - 1 / (total + 1))
    return np.sqrt(eigh(bending + speed**2 * tension, 1 / (total + 1), eigvals_only=True)[0])


@pytest.mark.parametrize(("speed", "published"), [(2, 4.1373), (6, 7.3604), (12, 13.1702)])
def test_a_rotating_beam_has_the_published_frequency_by_second_order(speed, published):
    """Wright, Smith, Thresher and Wang, J. Appl. Mech. 49 (1982) 197, table 1, no hub."""
    assert rotating_beam(speed) == pytest.approx(published, abs=5e-4)
    errors = []
    for hinges in (8, 16, 32):
        robot_ = beam("y", hinges=hinges).on(arm())
        q = np.zeros(len(robot_.row_names))
        qd = np.where(np.arange(q.size) == 0, speed * np.sqrt(EI / MU), 0.0)
        moving = sim.modes(robot_, q, gravity=WEIGHTLESS, speeds=(qd, 0 * q))
        errors.append(scaled(moving)[0] / rotating_beam(speed) - 1)
    assert errors[-1] == pytest.approx(0, abs=4e-4)
    assert errors[0] / errors[1] == pytest.approx(4, abs=1.2)
    assert errors[1] / errors[2] == pytest.approx(4, abs=1.2)


def frame_frequencies(angle, elbow, hand, elements=12):
    """Frequencies of two beams in a plane, of length 1, by Hermite's finite elements.

    The first is clamped, the second stands at an angle to it; masses at elbow and hand.
    """
    h, size = 1.0 / elements, 3 * (2 * elements + 1)
    stretching = 1e9 * EI  # next to none
    bend = EI / h**3 * np.array(
        [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2],
         [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]]
    )  # fmt: skip
    mass = MU * h / 420 * np.array(
        [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2],
         [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h**2, -22 * h, 4 * h**2]]
    )  # fmt: skip
    K, M = np.zeros((2, size, size))
    across, along = [1, 2, 4, 5], [0, 3]
    for number in range(2 * elements):
        turn = angle if number >= elements else 0.0
        c, s = np.cos(turn), np.sin(turn)
        R = np.kron(np.eye(2), [[c, s, 0], [-s, c, 0], [0, 0, 1]])
        k, m = np.zeros((2, 6, 6))
        k[np.ix_(across, across)], m[np.ix_(across, across)] = bend, mass
        k[np.ix_(along, along)] = stretching / h * np.array([[1, -1], [-1, 1]])
        m[np.ix_(along, along)] = MU * h / 6 * np.array([[2, 1], [1, 2]])
        rows = np.ix_(*2 * [np.arange(3 * number, 3 * number + 6)])
        K[rows] += R.T @ k @ R
        M[rows] += R.T @ m @ R
    for node, own in ((elements, elbow), (2 * elements, hand)):
        M[3 * node, 3 * node] += own
        M[3 * node + 1, 3 * node + 1] += own
    return np.sqrt(eigh(K[3:, 3:], M[3:, 3:], eigvals_only=True)) / (2 * np.pi)


def test_an_arm_of_two_flexible_links_has_the_frequencies_of_finite_elements():
    elbow, hand, angle = 0.5, 0.3, np.pi / 3
    at_end = '<origin xyz="1 0 0"/>'
    rigid = robot(
        link("upper", 1.0, "0.5 0 0", "0 0.08 0.08"),
        link("motor", elbow),
        link("fore", 1.0, "0.5 0 0", "0 0.08 0.08"),
        link("hand", hand),
        joint("hub", "revolute", "ground", "upper", "0 0 1"),
        joint("mount", "fixed", "upper", "motor", "0 0 1", at_end),
        joint("elbow", "revolute", "upper", "fore", "0 0 1", at_end),
        joint("grip", "fixed", "fore", "hand", "0 0 1", at_end),
    )
    both = [sim.FlexibleLink(name, 1.0, {"z": EI}) for name in ("upper", "fore")]
    flexible = both[1].on(both[0].on(rigid))
    q = np.where(np.array(flexible.row_names) == "elbow", angle, 0.0)
    found = np.asarray(sim.modes(flexible, q, gravity=WEIGHTLESS).frequency)
    assert found[:3] == pytest.approx(frame_frequencies(angle, elbow, hand)[:3], rel=1e-3)


def test_a_flexible_arm_runs_by_engine_and_model_and_its_torsion_too():
    soft = {"modulus": 7e8, "shear_modulus": 2.6e8, "density": 2700.0}
    flexible = sim.FlexibleLink.of_tube("arm", 1.0, 0.02, 0.002, **soft, modes=1, damping=1e-4)
    motion = sim.JointMotion.velocity({"hub": "STEP(time,0,0,0.05,1)"}, free=flexible.joint_names)
    scenario = sim.Scenario(flexible.on(arm()), motion, 0.1, method="adaptive")
    assert len(flexible.joint_names) == 12
    for engine in ("bullet", "mujoco"):
        recording = sim.run(scenario, engine=engine)
        assert recording.passed
        assert "Link 'arm' bends: a beam in 5 rigid pieces" in " ".join(recording.run.notes)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"length": 0.0}, "length 0.0 m must be above 0"),
        ({"stiffness": {"w": 1.0}}, "stiffness is by axis of the link, x, y, z; got 'w'"),
        ({"stiffness": {}}, "there is none"),
        ({"stiffness": {"z": -1.0}}, "stiffness about z -1.0 N·m² must be above 0"),
        ({"axis": "+x"}, "axis must be x, y, z, -x, -y or -z, got '+x'"),
        ({"at": (1, 2)}, "three finite numbers in m"),
        ({"hinges": 3}, "an even number from 2 to 60, got 3"),
        ({"modes": 9}, "modes must be 1 to 8, got 9"),
        ({"link": "arm.mnf"}, "a flexible body of ADAMS, which sim does not read"),
        ({"link": "leg"}, "'leg'"),
        ({"link": "ground", "mass_per_length": None}, "has no mass; give mass_per_length"),
    ],
)
def test_what_no_beam_is_is_refused_by_name(wrong, reason):
    given = {"link": "arm", "length": 1.0, "stiffness": {"z": 1.0}, "mass_per_length": 1.0}
    with pytest.raises(sim.ModelError) as error:
        sim.FlexibleLink(**{**given, **wrong}).on(arm())
    assert reason in str(error.value)


def test_what_hung_on_a_link_hangs_where_it_was_and_its_mass_is_the_links():
    carrying = robot(
        link("arm", 3.0, "0.5 0 0", "0 0.08 0.08"),
        link("hand", 0.2),
        joint("hub", "revolute", "ground", "arm", "0 0 1"),
        joint("grip", "fixed", "arm", "hand", "0 0 1", '<origin xyz="0.9 0.1 0"/>'),
    )
    flexible = sim.FlexibleLink("arm", 1.0, {"z": EI}).on(carrying)
    q = np.zeros(len(flexible.row_names))
    assert sim.frame_pose(flexible, q, frame="hand")[:3, 3] == pytest.approx([0.9, 0.1, 0])
    q[1] = np.pi / 2  # the first hinge: what hangs on the beam goes along
    x = (1 - 1 / np.sqrt(3)) / 8
    assert sim.frame_pose(flexible, q, frame="hand")[:3, 3] == pytest.approx([x - 0.1, 0.9 - x, 0])
    q[1] = 0.0
    assert sim.frame_pose(flexible, q, frame="arm_tip")[:3, 3] == pytest.approx([1, 0, 0])
    masses = [one.inertia.mass for one in flexible.links if one.inertia is not None]
    assert sum(masses) == pytest.approx(3.2)


def test_a_joint_behind_the_root_is_refused_and_a_turned_beam_carries_it():
    forearm = partial(sim.FlexibleLink, "forearm_link", 0.57, {"y": EI}, mass_per_length=MU)
    with pytest.raises(sim.ModelError, match=r"joint 'wrist_1_joint' is 0\.57\d+ m behind"):
        forearm().on(sim.load_robot("ur10"))
    forearm(axis="-x").on(sim.load_robot("ur10"))


def test_a_beam_may_go_the_other_way_from_anywhere_in_the_link():
    """Turned round about the hub it is the same rotor: same modes, same torque."""
    forth = sim.FlexibleLink("arm", 1.0, {"z": EI}, mass_per_length=MU, at=(0.3, 0, 0.1))
    back = sim.FlexibleLink("arm", 1.0, {"z": EI}, mass_per_length=MU, at=(-0.3, 0, 0.1), axis="-x")
    one, other = forth.on(arm()), back.on(arm())
    q = np.zeros(len(one.row_names))
    q[2] = 0.1
    ends = [sim.frame_pose(each, q, frame="arm_tip")[:3, 3] for each in (one, other)]
    assert ends[0] == pytest.approx(ends[1] * [-1, -1, 1])
    assert np.linalg.norm(ends[0] - [1.3, 0, 0.1]) < 0.1
    M = [sim.mass_matrix(each, q) for each in (one, other)]
    assert M[0] == pytest.approx(M[1], abs=1e-12)
    assert M[0][0, 0] == pytest.approx((1.3**3 - 0.3**3) / 3, rel=5e-3)
