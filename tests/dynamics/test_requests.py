"""Requests: accelerations, orientations, forces of joints and drives, against Pinocchio."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sim import SForce
from sim.dynamics import JointEnds, Request, SolvedState, joint_reaction
from sim.errors import ExpressionError, ModelError, ScenarioError
from sim.kinematics import Kinematics
from sim.recording import request_facts, request_of
from sim.robots import Marker, Names
from tests.helpers.arm_markers import ARM, MARKERS, place
from tests.helpers.pinocchio_model import PinocchioModel

G = (1.0, -2.0, -9.0)  # m/s²
RNG = np.random.default_rng(5)
Q, QD, QDD = RNG.uniform(-2, 2, (3, 6, 7))
STEP = 3e-3  # s, of differences; h⁴/90 of the sixth derivative is left, and 1e-9 of rounding
SECOND = 3e-7  # m/s²


def state(t=None):
    reaction = {
        joint.name: joint_reaction(ARM, joint.name, Q, QD, QDD, G).rows for joint in ARM.tree_joints
    }
    t = np.zeros(Q.shape[1]) if t is None else t
    tau = dict(zip(ARM.joint_names, PinocchioModel(ARM, G).torque(Q, QD, QDD), strict=True))
    return SolvedState(t, Kinematics(ARM, Q, QD), QDD, reaction, tau)


AT = state()


def read(text, **given):
    names = Names(tuple(MARKERS.values()), forces=given.pop("forces", ()))
    request = Request("it", {"value": text}, names=names, **given)
    request.require_usable(ARM)
    (values,) = request.channels(AT).values()
    return values


def second_derivative(curve):
    """d²/dt² of a function of q along the motion, by five points."""
    at = [curve(Q + s * STEP * QD + 0.5 * (s * STEP) ** 2 * QDD) for s in (-2, -1, 0, 1, 2)]
    return (-at[0] + 16 * at[1] - 30 * at[2] + 16 * at[3] - at[4]) / (12 * STEP**2)


@pytest.mark.parametrize("seen", [None, "l"])
def test_accelerations_are_second_derivatives_as_the_observer_sees_them(seen):
    def components(q):
        d = place("i", q)[1] - place("j", q)[1]
        return np.einsum("baN,bN->aN", place(seen, q)[0], d)

    wanted = np.einsum("abN,bN->aN", place(seen, Q)[0], second_derivative(components))
    label = seen or "0"
    for axis, letter in enumerate("XYZ"):
        along = np.einsum("aN,aN->N", place("k", Q)[0][:, axis], wanted)
        assert read(f"ACC{letter}(i, j, k, {label})") == pytest.approx(along, abs=SECOND)
    size = np.linalg.norm(wanted, axis=0)
    assert read(f"ACCM(i, j, {label})") == pytest.approx(size, abs=SECOND)


def test_turning_accelerations_are_rates_of_the_angular_velocity():
    """ω along l's axes from R' = ω × R; its rate there is what an observer on l sees."""

    def turned(q):
        return np.einsum("baN,bcN->acN", place("l", q)[0], place("i", q)[0])

    R, second = turned(Q), second_derivative(turned)
    # skew part of R'' Rᵀ is that of the rate of ω
    S = np.einsum("abN,cbN->acN", second, R)
    rate = 0.5 * np.stack([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]])
    in_world = np.einsum("abN,bN->aN", place("l", Q)[0], rate)
    for axis, letter in enumerate("XYZ"):
        along = np.einsum("aN,aN->N", place("k", Q)[0][:, axis], in_world)
        assert read(f"WDT{letter}(i, l, k, l)") == pytest.approx(along, abs=SECOND)
    assert read("WDTM(i, l, l)") == pytest.approx(np.linalg.norm(rate, axis=0), abs=SECOND)


def about(axis, angle):
    """Rotation matrices about a coordinate axis by Rodrigues' formula, (3, 3, N)."""
    K = np.cross(np.eye(3)[axis], np.eye(3)).T
    one = np.eye(3)[..., None]
    return one + np.sin(angle) * K[..., None] + (1 - np.cos(angle)) * (K @ K)[..., None]


def product(axes, angles):
    R = np.repeat(np.eye(3)[..., None], angles[0].size, -1)
    for axis, angle in zip(axes, angles, strict=True):
        R = np.einsum("abN,bcN->acN", R, about(axis, angle))
    return R


SEQUENCES = "123 231 312 132 213 321 121 131 212 232 313 323".split()


def test_orientations_give_the_rotation_back():
    wanted = np.einsum("baN,bcN->acN", place("j", Q)[0], place("i", Q)[0])
    for system, sequence in enumerate(SEQUENCES, 1):
        angles = [read(f"ORIENT({system}, {k}, i, j)") for k in (1, 2, 3)]
        found = product([int(axis) - 1 for axis in sequence], angles)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
    euler = [read(f"{name}(i, j)") for name in ("PSI", "THETA", "PHI")]
    np.testing.assert_allclose(product([2, 0, 2], euler), wanted, rtol=0, atol=1e-12)
    yaw, pitch, roll = (read(f"{name}(i, j)") for name in ("YAW", "PITCH", "ROLL"))
    np.testing.assert_allclose(product([2, 1, 0], [yaw, -pitch, roll]), wanted, rtol=0, atol=1e-12)
    e0, *e = (read(f"ORIENT(27, {k}, i, j)") for k in (1, 2, 3, 4))
    E = np.stack([[0 * e0, -e[2], e[1]], [e[2], 0 * e0, -e[0]], [-e[1], e[0], 0 * e0]])
    found = np.eye(3)[..., None] + 2 * (e0 * E + np.einsum("abN,bcN->acN", E, E))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


def test_a_half_turn_is_not_torn_by_rounding():
    """Of half a turn forwards and one backwards rounding is all that is different."""
    turned = [
        Marker(f"m{k}", "world", rpy=(0, 0, angle)) for k, angle in enumerate((np.pi, -np.pi))
    ]
    request = Request("it", {"a": "YAW(m0)", "b": "YAW(m1)"}, names=Names(turned))
    forwards, backwards = request.channels(AT).values()
    assert forwards == pytest.approx(np.pi, abs=1e-12)
    assert backwards == pytest.approx(np.pi, abs=1e-12)


def test_the_drive_of_a_joint_is_its_torque_and_the_rest_is_its_constraint():
    tau = PinocchioModel(ARM, G).torque(Q, QD, QDD)
    for row, joint in enumerate(ARM.tree_joints):
        request = Request(
            "it",
            {"drive": f"MOTION({joint.name}, 0, 8, z)", "held": f"JOINT({joint.name}, 0, 8, z)"},
            names=Names((Marker("z", joint.child, (0, 0, 0), along_z(joint.axis)),)),
        )
        drive, held = request.channels(AT).values()
        assert drive == pytest.approx(tau[row], abs=1e-9)
        assert held == pytest.approx(0, abs=1e-9)


def along_z(axis):
    """Roll, pitch and yaw of axes whose z is a unit vector."""
    return Rotation.align_vectors([axis], [[0, 0, 1]])[0].as_euler("xyz")


def test_forces_of_joints_are_those_of_pinocchio():
    """On the child, and the opposite on the parent; at a marker I that is off the joint's axis."""
    model, row = PinocchioModel(ARM, G), 2
    joint = ARM.tree_joints[row]
    R = model.frame_motion(joint.child, Q, 0 * Q)[:9].reshape(3, 3, -1)
    wrench = model.reactions(Q, QD, QDD)[row].reshape(2, 3, -1)
    arm = np.array([0.1, -0.2, 0.3])
    local = wrench[1] - np.cross(arm, wrench[0], axisb=0).T
    force, moment = (np.einsum("abN,bN->aN", R, v) for v in (wrench[0], local))
    z = np.einsum("abN,b->aN", R, joint.axis)
    about_axis = np.einsum("aN,a->N", wrench[1], joint.axis)
    ends = JointEnds("it", (joint.name,), Marker("a", joint.child, arm), Marker("b", joint.parent))
    for axis in range(3):
        found = read(f"JOINT(it, 0, {axis + 2}, 0)", joints=(ends,))
        assert found == pytest.approx(force[axis], abs=1e-9)
        found = read(f"JOINT(it, 1, {axis + 2}, 0)", joints=(ends,))
        assert found == pytest.approx(-force[axis], abs=1e-9)
        held = read(f"JOINT(it, 0, {axis + 6}, 0)", joints=(ends,))
        assert held == pytest.approx(moment[axis] - z[axis] * about_axis, abs=1e-9)
        drive = read(f"MOTION(it, 0, {axis + 6}, 0)", joints=(ends,))
        assert drive == pytest.approx(z[axis] * about_axis, abs=1e-9)
    size = np.linalg.norm(force, axis=0)
    assert read("JOINT(it, 0, 1, 0)", joints=(ends,)) == pytest.approx(size, abs=1e-9)


def test_all_between_two_markers_is_the_sum_and_reacts_at_the_other():
    i, j = MARKERS["k"], MARKERS["j"]
    joint = JointEnds("elbow", ("elbow_joint",), i, j)
    force = SForce("pull", i, j, 7.0)
    sums = {c: read(f"F{c}(k, j)", forces=(force,), joints=(joint,)) for c in "XYZ"}
    parts = "JOINT(elbow, 0, {0}, 0) + MOTION(elbow, 0, {0}, 0) + SFORCE(pull, 0, {0}, 0)"
    for place_, c in enumerate("XYZ", 2):
        found = read(parts.format(place_), forces=(force,), joints=(joint,))
        assert sums[c] == pytest.approx(found, abs=1e-9)
    # at j's origin what acts on j is opposite: moments about the world's origin cancel
    both = (
        {c: read(f"{c}(k, j)", forces=(force,), joints=(joint,)) for c in ("TX", "TY", "TZ")},
        {c: read(f"{c}(j, k)", forces=(force,), joints=(joint,)) for c in ("TX", "TY", "TZ")},
    )
    F = np.stack(list(sums.values()))
    about_origin = [
        np.stack(list(torque.values())) + np.cross(place(name, Q)[1], sign * F, axis=0)
        for torque, name, sign in zip(both, ("k", "j"), (1, -1), strict=True)
    ]
    assert about_origin[0] == pytest.approx(-about_origin[1], abs=1e-9)


UNITS = {
    "DX(i) - 0.5": "m",
    "-1000*DM(i, j)": "m",
    "VR(i, j)/2": "m/s",
    "ACCM(i)": "m/s²",
    "WDTZ(i, j)": "rad/s²",
    "ABS(WX(i))": "rad/s",
    "RTOD*PSI(i)": "1",
    "-RTOD*WX(i)": "1",
    "RTOD*DX(i)": "m",
    "PSI(i)/DTOR": "1",
    "PSI(i)*180/PI": "1",
    "180/PI*(PSI(i) - PI/2)": "1",
    "2*RTOD*PSI(i)": "1",
    "57.3*PSI(i)": "1",
    "WX(i)*30/PI": "1",
    "60*WX(i)/(2*PI)": "1",
    "PSI(i)*RTOD/RTOD": "rad",
    "DTOR*(RTOD*PSI(i))": "rad",
    "(PSI(i) + PHI(i))/2": "rad",
    "0*PSI(i)": "rad",
    "PSI(i)/0": "1",
    "3/PSI(i)": "1",
    "ORIENT(27, 1, i)": "1",
    "ORIENT(3, 1, i)": "rad",
    "JOINT(elbow_joint, 0, 4, 0)": "N",
    "JOINT(elbow_joint, 0, 5, 0)": "N·m",
    "DX(i)*DX(j)": "1",
    "DX(i) + VX(i)": "1",
    "TIME": "s",
    "3": "1",
}


@pytest.mark.parametrize("text", UNITS)
def test_a_function_has_the_unit_of_what_it_reads(text):
    request = Request("it", {"value": text}, names=Names(tuple(MARKERS.values())))
    assert list(request.units.values()) == [UNITS[text]]


def test_a_request_is_the_same_from_its_description():
    joint = JointEnds("elbow", ("elbow_joint",), MARKERS["k"], MARKERS["j"])
    texts = {"a": "JOINT(elbow, 0, 2, i)", "b": "ACCX(i, j) + VARVAL(far)", "c": 3.0}
    names = Names(tuple(MARKERS.values()), variables={"far": "DM(i, j)"})
    request = Request("it", texts, names=names, joints=(joint,))
    again = request_of(request_facts(request))
    assert request_facts(again) == request_facts(request)
    for one, other in zip(request.channels(AT).items(), again.channels(AT).items(), strict=True):
        assert one[0] == other[0]
        np.testing.assert_array_equal(one[1], other[1])


def test_what_cannot_be_requested_is_named():
    names = Names(tuple(MARKERS.values()))
    with pytest.raises(ExpressionError, match=r"Request 'it', f: .*JPRIM is the force of a constr"):
        Request("it", {"f": "JPRIM(1, 0, 2, 0)"}, names=names)
    with pytest.raises(ExpressionError, match="'DXX' is not known"):
        Request("it", {"f": "DXX(i, j)"}, names=names)
    with pytest.raises(ExpressionError, match="components 1 to 3"):
        Request("it", {"f": "ORIENT(3, 4, i, j)"}, names=names)
    with pytest.raises(ExpressionError, match=r"system is one of 1, 2.* 27"):
        Request("it", {"f": "ORIENT(26, 1, i, j)"}, names=names)
    with pytest.raises(ScenarioError, match="component 'a b' must be a text"):
        Request("it", {"a b": "TIME"})
    JointEnds("it", ("elbow_joint",), MARKERS["i"], MARKERS["j"], along="-B3")
    with pytest.raises(ModelError, match="choose from X, Y, Z, B1, B2, B3, with '-' before it if"):
        JointEnds("it", ("elbow_joint",), MARKERS["i"], MARKERS["j"], along="B4")
    with pytest.raises(ModelError, match="Request 'it': joint 'knee' is not in robot"):
        read("JOINT(knee, 0, 2, 0)")
    with pytest.raises(ScenarioError, match=r"FX\(i, j\): no force .* between these markers"):
        read("FX(i, j)")
    with pytest.raises(ExpressionError, match=r"ACCX is an acc.* a sim\.Request records it"):
        SForce("f", MARKERS["i"], MARKERS["j"], "ACCX(i, j)")
    with pytest.raises(ExpressionError, match=r"PSI is read by a sim\.Request only"):
        SForce("f", MARKERS["i"], MARKERS["j"], "PSI(i, j)")
