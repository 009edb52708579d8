"""Rotors as bodies: what they add to the links alone, against Pinocchio and a closed form."""

import numpy as np
import pinocchio as pin
import pytest

import sim
from sim.checks import check
from sim.dynamics import LagrangianDynamics, lagrange
from sim.engines import EngineDynamics
from sim.engines.opening import open_engine
from sim.errors import ModelError
from sim.motion import JointMotion
from sim.robots import DriveTrain
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.small_robots import joint, link, robot

G = (0.0, 0.0, -9.81)
N, J = 100.0, 1.2e-4
FOURTH_ORDER = ((-2, 1), (-1, -8), (1, 8), (2, -1))


@pytest.fixture(scope="module")
def both():
    """The UR10 with its rotors as bodies, and as inertias in the joints."""
    ur10 = sim.load_robot("ur10")
    bodies = ur10.with_drives({n: DriveTrain(N, J, gyroscopic=True) for n in ur10.joint_names})
    return bodies, ur10.with_drives({n: DriveTrain(N, J) for n in ur10.joint_names})


@pytest.fixture(scope="module")
def states():
    rng = np.random.default_rng(4)
    return tuple(rng.uniform(-size, size, (6, 30)) for size in (3, 2, 5))


def with_real_rotors(ur10, q, qd, qdd):
    """T = ½ N² J qd² + N J qd (z · w_parent) beside the links, by Pinocchio's Jacobians alone."""
    model = pin.buildModelFromXML(ur10.text)
    data = model.createData()
    tau = pin.rnea(model, data, q, qd, qdd) + N * N * J * qdd

    def spins(at):  # rows: N z_i · w of what carries rotor i, a linear map of qd
        pin.computeJointJacobians(model, data, at)
        rows = np.zeros((6, 6))
        for i in range(1, model.njoints):
            z = data.oMi[i].rotation @ unit_axis(ur10, model.names[i])
            if (parent := model.parents[i]) > 0:
                W = pin.getJointJacobian(model, data, parent, pin.LOCAL_WORLD_ALIGNED)[3:]
                rows[model.joints[i].idx_v] = N * J * (z @ W)
        return rows

    # L = qdᵀ B(q) qd; d/dt ∂L/∂qd - ∂L/∂q with B's derivatives by differences of fourth order
    h, B = 1e-3, spins(q)
    dB = np.stack(
        [
            sum(
                w * spins(q + k * h * e)
                for k, w in zip((-2, -1, 1, 2), (1, -8, 8, -1), strict=True)
            )
            / (12 * h)
            for e in np.eye(6)
        ],
        axis=-1,
    )
    sym, rate = B + B.T, np.einsum("ijk,k->ij", dB, qd)
    return tau + sym @ qdd + (rate + rate.T) @ qd - np.einsum("i,ijk,j->k", qd, dB, qd)


def unit_axis(ur10, name):
    return np.array(ur10.joint(name).axis)


def test_torques_are_those_of_pinocchio_with_rotors_that_are_carried_around(both, states):
    bodies, inertias = both
    q, qd, qdd = states
    found = lagrange.inverse_dynamics(bodies, q, qd, qdd, G)
    ur10 = sim.load_robot("ur10")
    wanted = np.array([with_real_rotors(ur10, *(x[:, k] for x in states)) for k in range(30)]).T
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10)  # N·m, of some 100
    # what an inertia in the joint leaves out: about 1/N of the rotor's own torque
    left_out = found - lagrange.inverse_dynamics(inertias, q, qd, qdd, G)
    share = np.sqrt((left_out**2).mean(axis=1) / ((N * N * J * qdd) ** 2).mean(axis=1))
    assert 0.001 < share.max() < 0.03


@pytest.mark.parametrize("kind", ["bullet", "mujoco"])
def test_engines_carry_rotors_around_as_the_model_does(both, states, kind):
    bodies, _ = both
    q, qd, qdd = states
    held = np.ones(6, dtype=bool)
    wanted = LagrangianDynamics(bodies, G).hybrid_dynamics(q, qd, qdd, held, 0 * q)[1]
    with open_engine(kind, bodies, G) as engine:
        found = EngineDynamics(engine).hybrid_dynamics(q, qd, qdd, held, 0 * q, ())[1]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10)


def planar(**more):
    """Two links about parallel axes; the second's rotor is on the first."""
    arm = robot(
        link("upper", 1.0, "0.2 0 0", "0.02 0.02 0.02"),
        link("lower", 0.8, "0.1 0 0", "0.01 0.01 0.01"),
        joint("shoulder", "revolute", "ground", "upper", "0 0 1"),
        joint("elbow", "revolute", "upper", "lower", "0 0 1", '<origin xyz="0.4 0 0"/>'),
    )
    return arm.with_drives({"elbow": DriveTrain(-8, 5e-4, **more)})


def test_a_rotor_on_a_turning_link_couples_the_two_joints_by_n_j():
    """T = ½ J (N qd2 + qd1)² - ½ J qd1²: N² J on the diagonal, N J beside it."""
    q = np.array([[0.3], [0.7]])
    plain = lagrange.mass_matrix(planar().without_drives(), q)[..., 0]
    more = lagrange.mass_matrix(planar(gyroscopic=True), q)[..., 0] - plain
    np.testing.assert_allclose(
        more, [[0, -8 * 5e-4], [-8 * 5e-4, 64 * 5e-4]], rtol=0, atol=1e-12
    )  # its mass


def test_a_run_with_a_rotor_as_a_body_passes_and_has_the_motors_channels():
    arm = planar(gyroscopic=True, coulomb=0.01, viscous=1e-4)
    assert arm.repairs == ()
    drives = {"shoulder": "0.4*SIN(6*time)", "elbow": "0.5*SIN(8*time)"}
    recording = run(Scenario(arm, JointMotion.displacement(drives), 0.3, dt=2e-3, method="ideal"))
    assert [one for one in check(recording) if not one.ok] == []
    table = recording.analytic
    assert table["ke.rotor_of_elbow"].max() > 0
    qd = table["qd.elbow"].to_numpy()
    friction = 8 * 0.01 * np.sign(qd) + 64 * 1e-4 * qd
    np.testing.assert_allclose(
        -8 * table["motor_tau.elbow"], table["tau.elbow"] + friction, rtol=0, atol=1e-12
    )


def test_a_rotor_that_cannot_be_a_body_is_refused():
    with pytest.raises(ModelError, match="which has less inertia"):
        planar().with_drives({"elbow": DriveTrain(8, 0.5, gyroscopic=True)})
    with pytest.raises(ModelError, match=r"of which an efficiency of 0\.8"):
        DriveTrain(8, 5e-4, efficiency=0.8, gyroscopic=True)
    arm = planar(gyroscopic=True)
    same = arm.with_drives({"elbow": DriveTrain(-8, 5e-4, gyroscopic=True, coulomb=0.1)})
    assert same.text == arm.text
    with pytest.raises(ModelError, match=r"has a rotor of 0.0005 kg·m² and ratio -8 already"):
        arm.with_drives({"elbow": DriveTrain(-9, 5e-4, gyroscopic=True)})
    with pytest.raises(sim.ScenarioError, match="its rotor is a body that turns with the joint"):
        sim.modes(arm, [0.0, 0.0], stiffness=100.0)
