import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim.dynamics import inertial_parameters, lagrange, regressor
from sim.errors import ForeignError
from sim.identification import Log, identify, suspicions
from sim.identification.identified_card import identified_card_text
from sim.identification.payload import payload_columns
from sim.identification.rotors import rotor_as_discs
from sim.robots import load_robot, read_urdf
from sim.shipped import urdf
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.robot_logs import (
    GRAVITY,
    clean_log,
    exciting_motion,
    friction_laws,
    noisy,
)

MOMENTS = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))  # of a tensor, as Pinocchio has them
UR10 = load_robot("ur10")
FOUR = load_robot(Path(__file__).parent / "arms" / "four_joints.urdf")
NOISE = np.array([2.0, 3.0, 2.0, 0.5, 0.5, 0.5])  # [N·m], white; a motor current's is smaller


@pytest.fixture(scope="module")
def clean():
    return clean_log(UR10)


@pytest.fixture(scope="module")
def found(clean):
    return identify(UR10, noisy(clean, NOISE))


def inside(parameter, truth):
    return parameter.interval[0] <= truth <= parameter.interval[1]


def test_without_noise_friction_is_the_formulas_and_inertias_are_the_files(clean):
    """What is left is the low-pass of states at 10 Hz, whose harmonics end at 0.5 Hz."""
    exact = identify(UR10, clean)
    for name, law in friction_laws(UR10).items():
        for kind, value in law.items():
            assert getattr(exact.friction[name], kind) == pytest.approx(value, abs=0.005)
    assert max(score.unseen for score in exact.scores) < 2e-3
    theta = inertial_parameters(UR10)
    np.testing.assert_allclose(exact.x[: theta.size], theta, atol=0.02 * np.abs(theta).max())


def test_a_payload_on_an_arm_of_other_masses_is_doubted_and_no_degrees_are_suspected(clean):
    """Every link of the file has 1 kg and 1 kg·m²; the log is of the true arm without a load."""
    text = re.sub(r'<mass value="[^"]*"', '<mass value="1"', (urdf() / "ur10.urdf").read_text())
    text = re.sub(r'(ix[xyz]|iy[yz]|izz)="[^"]*"', r'\1="0"', text)
    text = re.sub(r'(ixx|iyy|izz)="0"', r'\1="1"', text)
    of_file = identify(read_urdf(text), clean, payload=True)
    assert of_file.payload is not None and of_file.payload.mass > 2
    assert "% of the torque of shoulder_lift_joint: masses in the arm's file" in of_file.notes[-1]
    assert not any("masses" in one for one in identify(UR10, clean, payload=True).notes)


@pytest.mark.parametrize(
    "mixed", [lambda tau: np.roll(tau, tau.shape[1] // 3, axis=1), lambda tau: tau[:, ::-1]]
)
def test_torques_of_another_motion_are_named(clean, mixed):
    """As of a second arm in the same log; the residual alone would not say why."""
    notes = identify(UR10, replace(clean, tau=mixed(clean.tau))).notes
    assert "of the torque of shoulder_lift_joint: positions and torques may not" in notes[-1]
    assert not any("may not belong" in one for one in identify(UR10, clean).notes)


def test_friction_is_inside_its_intervals_and_they_are_narrow(found):
    """18 numbers at 95 %: three or more outside have a chance of 6 %, and the seed is fixed."""
    misses = 0
    for name, law in friction_laws(UR10).items():
        for kind, value in law.items():
            parameter = found.parameter(f"{name}.{kind}")
            misses += not inside(parameter, value)
            low, high = parameter.interval
            assert high - low < 1.0 + 0.5 * abs(value), parameter
    assert misses <= 2


def test_base_parameters_are_inside_their_intervals(found):
    from sim.identification.base_parameters import base_parameters

    base = base_parameters(UR10)
    truth = dict(zip(base.names, base.of(inertial_parameters(UR10)), strict=True))
    told = [p for p in found.parameters if p.name in truth and p.is_told]
    assert len(told) > 20
    assert sum(inside(p, truth[p.name]) for p in told) >= 0.85 * len(told)


def test_identified_torques_hold_on_another_motion():
    """The arm is not that of the file; its URDF as identified is read by Pinocchio.

    Every link is a tenth heavier: the file's model is wrong by a tenth of gravity.
    """
    mass = re.compile(r'<mass value="([^"]*)"')
    text = mass.sub(lambda found: f'<mass value="{1.1 * float(found[1]):.9g}"', UR10.text)
    real = read_urdf(text)
    identified = identify(UR10, noisy(clean_log(real), NOISE)).identified
    motion = exciting_motion(6, seed=5)[1:, ::20]
    states = np.split(motion, 3)
    truth, ours, file = (
        PinocchioModel(one, GRAVITY).torque(*states) for one in (real, identified, UR10)
    )
    size = np.sqrt((truth**2).mean(axis=1))
    off = np.sqrt(((ours - truth) ** 2).mean(axis=1))
    before = np.sqrt(((file - truth) ** 2).mean(axis=1))
    assert (off[:3] < 0.02 * size[:3]).all()
    assert (off < 0.5 * before)[:3].all()


@pytest.mark.parametrize("mass", [0.0, 1.5])
def test_a_payload_is_inside_its_intervals(mass):
    com, tensor = (0.02, -0.03, 0.08), mass * np.diag([0.01, 0.012, 0.006])
    log = noisy(clean_log(UR10.with_payload(mass, com, tensor)), NOISE, seed=3)
    found = identify(UR10, log, payload=True)
    parameter = found.parameter("payload.mass")
    assert inside(parameter, mass)
    assert parameter.interval[1] - parameter.interval[0] < 0.2
    if not mass:
        assert found.payload is None or found.payload.mass < 0.1
        return
    for axis, value in zip("xyz", com, strict=True):
        assert inside(found.parameter(f"payload.com.{axis}"), value)
    heavier = sum(link.inertia.mass for link in found.identified.links if link.inertia)
    bare = sum(link.inertia.mass for link in UR10.links if link.inertia)
    assert heavier - bare == pytest.approx(found.payload.mass, rel=1e-9)
    assert found.payload.frame == "tool0"


@pytest.mark.parametrize("name", ["kr210", "weld5"])
def test_columns_of_a_payload_are_what_it_adds_to_the_torques(name):
    """By Lagrange's equations of the robot that carries it, at a tool that is off its last link."""
    robot = load_robot(name)
    states = np.random.default_rng(4).normal(size=(3, len(robot.row_names), 9))
    com, tensor = np.array([0.02, -0.03, 0.08]), np.diag([0.1, 0.12, 0.06])
    loaded = robot.with_payload(2.0, com, tensor)
    added = lagrange.inverse_dynamics(loaded, *states) - lagrange.inverse_dynamics(robot, *states)
    about_tool = tensor + 2.0 * (com @ com * np.eye(3) - np.outer(com, com))
    body = np.array([2.0, *(2.0 * com), *(about_tool[place] for place in MOMENTS)])
    columns = payload_columns(robot, regressor(robot, *states))
    np.testing.assert_allclose(
        np.einsum("npN,p->nN", columns, body), added, rtol=0, atol=1e-10 * np.abs(added).max()
    )


def test_a_payload_that_cannot_be_is_refused():
    """The arm that was logged is 2 kg lighter at its tool than the robot it is held against."""
    log = noisy(clean_log(UR10), NOISE)
    with pytest.raises(ForeignError, match=r"payload of -\d.* kg within .*, which is impossible"):
        identify(UR10.with_payload(2.0), log, payload=True)
    found = identify(UR10.with_payload(0.02), log, payload=True)
    assert found.payload is None
    assert "below 0 beyond its interval" in found.faults[0]


def test_a_joint_that_stands_still_is_named_and_not_told(clean):
    q, qd, tau = clean.q.copy(), clean.qd.copy(), clean.tau.copy()
    q[5], qd[5] = 0.3, 0.0
    stuck = Log(clean.joints, clean.t, q, tau, qd)
    found = identify(UR10, noisy(stuck, NOISE), despite_doubts=True)
    names = {parameter.name for parameter in found.parameters if parameter.is_told}
    assert not [name for name in names if name.startswith("wrist_3_joint.")]
    assert any("wrist_3_joint stands still" in note for note in found.notes)
    assert not found.parameter("wrist_3_joint.coulomb").is_told


def test_no_rotor_is_told_that_the_links_could_be_and_none_that_is_negative(found):
    rotors = {p.name: p for p in found.parameters if p.name.endswith(".rotor")}
    assert len(rotors) == 6
    for name in ("shoulder_pan_joint", "shoulder_lift_joint"):
        assert "not separable" in rotors[f"{name}.rotor"].why_not
    for rotor in rotors.values():
        assert rotor.value is None or rotor.interval[0] > 0


def test_a_rotor_that_is_there_is_told(clean):
    motion = exciting_motion(6)
    tau = clean.tau.copy()
    tau[3] += 3.0 * motion[1:].reshape(3, 6, -1)[2, 3]  # 3 kg·m² at wrist 1
    log = noisy(Log(clean.joints, clean.t, clean.q, tau, clean.qd), 0.1)
    assert inside(identify(UR10, log).parameter("wrist_1_joint.rotor"), 3.0)


ROTORS = (1.5, 2.0, 0.8, 0.2, 0.15, 0.1)  # kg·m², as motors of such arms are at their joints


@pytest.fixture(scope="module")
def geared():
    """What rotors add to the torques, and all that is told of a log with them."""
    qdd = np.split(exciting_motion(6)[1:], 3)[2]
    log = clean_log(UR10)
    tau = log.tau + np.array([ROTORS]).T * qdd
    return identify(UR10, noisy(Log(log.joints, log.t, log.q, tau, log.qd), 0.05))


def test_rotors_are_kept_in_the_drives_and_those_near_the_base_in_the_links(geared):
    """On another motion, by Pinocchio: the URDF alone has the rotors of the first two joints."""
    q, qd, qdd = np.split(exciting_motion(6, seed=5)[1:, ::20], 3)
    truth = PinocchioModel(UR10, GRAVITY).torque(q, qd, qdd) + np.array([ROTORS]).T * qdd
    links = PinocchioModel(geared.identified, GRAVITY).torque(q, qd, qdd)
    rotors = geared.identified.rotor_inertia
    np.testing.assert_array_equal(rotors[:2], 0.0)
    np.testing.assert_allclose(rotors[2:], ROTORS[2:], rtol=0.2)
    size = np.sqrt((truth**2).mean(axis=1))
    off = np.sqrt(((links + rotors[:, None] * qdd - truth) ** 2).mean(axis=1))
    assert (off < 0.03 * size).all(), off / size
    assert max(score.unseen for score in geared.scores) < 0.05


def test_the_card_has_the_rotors_for_the_next_log(geared, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(geared.identified.text, encoding="utf-8")
    path.with_suffix(".toml").write_text(identified_card_text(geared, "test"), encoding="utf-8")
    arm = load_robot(path)
    np.testing.assert_allclose(arm.rotor_inertia, geared.identified.rotor_inertia, rtol=1e-9)
    assert arm.card.drive.status == "identified"


def test_rotors_make_no_payload(geared):
    """The arm is that of its file, which has no rotors; they are no part of what it carries."""
    qdd = np.split(exciting_motion(6)[1:], 3)[2]
    log = clean_log(UR10.with_payload(1.5, (0.02, -0.03, 0.08)))
    tau = log.tau + np.array([ROTORS]).T * qdd
    found = identify(UR10, noisy(Log(log.joints, log.t, log.q, tau, log.qd), NOISE), payload=True)
    parameter = found.parameter("payload.mass")
    assert inside(parameter, 1.5)
    assert parameter.interval[1] - parameter.interval[0] < 0.2
    assert any("rotor inertias are fitted together" in note for note in found.notes)


@pytest.mark.parametrize("name", ["ur10", "kr210"])
def test_discs_in_links_are_the_rotors_that_no_motion_tells(name):
    robot = load_robot(name)
    states = np.random.default_rng(1).uniform(-2, 2, (3, len(robot.row_names), 7))
    found = rotor_as_discs(robot, 1)
    added = np.einsum("npN,p->nN", regressor(robot, *states), found)
    wanted = np.zeros_like(added)
    wanted[1] = states[2][1]
    np.testing.assert_allclose(added, wanted, atol=1e-12 * np.abs(states[2]).max() + 1e-9)
    assert rotor_as_discs(robot, 3) is None


def test_a_gap_is_left_out_and_told(clean):
    keep = (clean.t < 8) | (clean.t > 10)
    gapped = Log(clean.joints, clean.t[keep], clean.q[:, keep], clean.tau[:, keep],
                 clean.qd[:, keep])  # fmt: skip
    found = identify(UR10, gapped)
    assert any("nothing is logged for 2.0" in note for note in found.notes)
    assert found.friction["elbow_joint"].coulomb == pytest.approx(2.0, abs=0.01)


def test_a_cut_off_and_a_length_that_do_not_suit_are_refused(clean):
    with pytest.raises(ForeignError, match=r"A cut-off of 30 Hz .* at most 20 Hz"):
        identify(UR10, clean, cutoff=30.0)
    with pytest.raises(ForeignError, match="too short for a cut-off"):
        identify(UR10, clean.between(0, 1), cutoff=1.0)
    with pytest.raises(ForeignError, match="is of joints"):
        identify(load_robot("kr210"), clean)


def test_a_further_term_is_earned_by_what_is_there_and_by_nothing_else(clean, found):
    """A tenth of the elbow's load as friction; white noise earns none."""
    assert found.further == ()
    q, qd, qdd = np.split(exciting_motion(6)[1:], 3)
    load = np.abs(PinocchioModel(UR10, GRAVITY).torque(q, qd, qdd)[2])
    tau = clean.tau.copy()
    tau[2] += 0.1 * load * np.sign(qd[2])
    log = noisy(Log(clean.joints, clean.t, clean.q, tau, clean.qd), NOISE)
    loaded = identify(UR10, log)
    (term,) = loaded.further
    assert term.name == "elbow_joint.load"
    assert inside(loaded.parameter(term.name), 0.1)
    assert term.law.coulomb == pytest.approx(2.0, abs=0.2)
    assert term.by_it < 0.5 * term.without


def test_a_joint_that_never_reverses_has_its_viscous_friction_without_the_dry():
    """Dry friction and offset are one constant there; neither is identified."""
    motion = exciting_motion(6)
    t, q, qd, qdd = motion[0], *np.split(motion[1:], 3)
    q[5] += 4.0 * t
    qd[5] += 4.0
    tau = PinocchioModel(UR10, GRAVITY).torque(q, qd, qdd) + 5.0 * np.sign(qd) + 3.0 * qd
    found = identify(UR10, noisy(Log(UR10.row_names, t, q, tau, qd), 0.2))
    viscous = found.parameter("wrist_3_joint.viscous")
    assert inside(viscous, 3.0) and np.ptp(viscous.interval) < 0.3
    assert not found.parameter("wrist_3_joint.coulomb").is_told
    assert not found.parameter("wrist_3_joint.offset").is_told
    assert found.friction["wrist_3_joint"].offset == 0


def turning(cubic):
    """A log of four joints, the last of which turns at 4 rad/s and never reverses."""
    motion = exciting_motion(4, 20.0, 50.0)
    t, q, qd, qdd = motion[0], *np.split(motion[1:], 3)
    q[3] += 4.0 * t
    qd[3] += 4.0
    tau = PinocchioModel(FOUR, GRAVITY).torque(q, qd, qdd) + 5.0 * np.sign(qd) + 3.0 * qd
    tau[3] += cubic * qd[3] ** 3
    return noisy(Log(FOUR.row_names, t, q, tau, qd), 0.2)


def test_a_law_beside_a_further_term_has_no_number_that_is_not_identified():
    """Nor is the torque taken as one of the other sign, as dry friction would be negative."""
    found = identify(FOUR, turning(0.05))
    (term,) = found.further
    assert term.name == "j3.cubic" and term.law.viscous == pytest.approx(3.0, abs=0.1)
    assert not found.parameter("j3.offset").is_told
    assert term.law.coulomb == term.law.offset == 0


def test_a_torque_of_the_other_sign_is_named_where_its_joint_never_reverses():
    log = turning(0.0)
    assert not any(doubt.is_grave for doubt in suspicions(FOUR, log))
    turned = replace(log, tau=log.tau * np.c_[[1, 1, 1, -1]])
    assert "the torque of j3 has the other sign" in suspicions(FOUR, turned)[0].text
