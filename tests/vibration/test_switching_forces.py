"""Modes and rest poses with forces whose laws switch with the state, and with motors."""

import numpy as np
import pytest
from scipy.optimize import brentq

import sim
from sim import GroundContact, JointSpring, Marker, Names, SForce, Spring, Stop
from sim.dynamics import ElementSum, LagrangianDynamics, equilibrium
from sim.engines import EngineDynamics
from sim.engines.opening import open_engine
from sim.errors import ScenarioError
from sim.robots import read_urdf
from sim.vibration import load_step, modes, run_modes, second_answer
from sim.vibration.elastic_drives import elastic_drives
from sim.vibration.load_step import load_step_on
from sim.vibration.second_answer import NotComparedError, roots_apart
from tests.helpers.small_robots import double_pendulum, lift, pendulum

G, J = 9.81, 0.26  # m/s²; kg·m² of the bar about its hinge
BAR = """<robot name="bar"><link name="base"/>
<link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
<inertia ixx="1e-3" iyy="1e-2" izz="1e-2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 -1 0"/>
<limit lower="-3" upper="3" effort="100" velocity="10"/></joint></robot>"""
TIP = Marker("tip", "rod", (1, 0, 0))
DIFFERENTIATED = 1e-7  # steps down to 1e-8 rad leave 1e-8 of rounding


def turns(squared):
    """Frequency of a squared circular frequency [Hz]."""
    return np.sqrt(squared) / (2 * np.pi)


def hook(k):
    """Half a metre and the stretch by the rod's weight above its tip, the rod level."""
    return Marker("hook", "world", (1, 0, 0.5 + 0.5 * G / k))


X = "(DM(tip,hook)-0.5)"
LAWS = (
    f"AKISPL({X},0,s)",
    f"CUBSPL({X},0,s)",
    f"INTERP({X},1,s)",
    f"MIN(0,-5e3*{X})",
    f"-MAX(0,5e3*{X})",
    f"-DIM(5e3*{X},0)",
    f"-5e3*{X}*STEP(DM(tip,hook),0,0,0.1,1)",
    f"-SIGN(1,{X})*5e3*ABS({X})",
    f"IF({X}:0,0,-5e3*{X})",
    "-5e3*(SQRT(DM(tip,hook)**2)-0.5)",
    "-IMPACT(1-DM(tip,hook),-VR(tip,hook),0.5,5e3,1.0,10,0.001)",
    "BISTOP(1-DM(tip,hook),-VR(tip,hook),0.5,9,5e3,1.0,10,0.001)*-1",
    f"-5e3*{X}*STEP(TIME,-1,0,-0.5,1)",
)


@pytest.mark.rotates(3)
@pytest.mark.parametrize("law", LAWS)
def test_every_law_of_one_slope_has_one_frequency(law):
    """k L² / J beside the weight, which is level; an engine has the same roots."""
    points = sim.spline([-0.1, -0.01, 0, 0.01, 0.1], [500, 50, 0, -50, -500])
    force = SForce("f", TIP, hook(5e3), law, names=Names(splines={"s": points}))
    bar = read_urdf(BAR)
    found = modes(bar, [0.0], forces=(force,), free=["hinge"])
    assert found.frequency == pytest.approx([turns(5e3 / J)], rel=1e-9)
    assert found.unbalanced == {} and found.notes == ()
    with open_engine("bullet", bar, found.gravity) as engine:
        assert roots_apart(found, EngineDynamics(engine)) < DIFFERENTIATED
    rest = equilibrium(bar, ["hinge"], [-0.3], forces=(force,))
    assert rest.stability == "stable"
    assert rest.q == pytest.approx([0.0], abs=1e-9)
    assert rest.frequency == pytest.approx(found.frequency, rel=1e-6)


@pytest.mark.parametrize("k", [5e4, 1e6, 1e8])
def test_a_rope_stretched_by_nanometres_is_as_stiff_as_it_is(k):
    """Slopes over 1e-3 rad would cross into where it is slack: 52 Hz for 69.79."""
    bar = read_urdf(BAR)
    rope = Spring("rope", TIP, hook(k), force=f"MIN(0, -{k!r}*x)", free_length=0.5)
    found = modes(bar, [0.0], forces=(rope,), free=["hinge"])
    assert found.frequency == pytest.approx([turns(k / J)], rel=1e-6)
    with open_engine("bullet", bar, found.gravity) as engine:
        assert roots_apart(found, EngineDynamics(engine)) < DIFFERENTIATED


def test_a_rope_that_is_just_taut_has_both_slopes_and_no_second_answer():
    bar = read_urdf(BAR)
    rope = Spring("rope", TIP, Marker("up", "world", (1, 0, 0.5)), force="MIN(0, -5e4*x)",
                  free_length=0.5)  # fmt: skip
    found = modes(bar, [0.0], forces=(rope,), free=["hinge"])
    (note,) = found.notes
    assert "Spring 'rope' acts on it and is not smooth at this pose: its torque in hinge" in note
    assert "the slopes -50000 and 0 N·m per unit of position to either side" in note
    assert set(found.unbalanced) == {"hinge"}
    with pytest.raises(NotComparedError, match="Spring 'rope' acts on it and is not smooth"):
        roots_apart(found, LagrangianDynamics(bar))


def test_a_pose_between_two_springs_is_as_stable_as_its_weaker_side():
    """At x = 0 of -k|x| x-like slopes: driven back on one side, and away on the other."""
    i, j = Marker("i", "load"), Marker("j", "ground")
    still = {"gravity": (0.0, 0.0, 0.0)}
    for law, stability in (
        ("IF(DZ(i,j): -90*DZ(i,j), 0, -10*DZ(i,j))", "stable"),
        ("IF(DZ(i,j): -90*DZ(i,j), 0, 10*DZ(i,j))", "unstable"),
        ("MIN(0, -90*DZ(i,j))", "neutral"),
    ):
        force = SForce("f", i, j, law, action_only=True)
        found = equilibrium(lift(2.0), ["slide"], [0.0], forces=(force,), **still)
        assert found.stability == stability


def test_a_force_that_rubs_dryly_is_named_and_left_out():
    i, j = Marker("i", "load"), Marker("j", "ground")
    rub = SForce("rub", i, j, "-5*SIGN(1, VZ(i, j))", action_only=True)
    dry = lift(2.0, more='<dynamics damping="0" friction="0.3"/>')
    found = modes(dry, [0.0], 800.0, forces=(rub,), gravity=(0, 0, 0))
    assert found.frequency == pytest.approx([turns(400.0)], rel=1e-12)
    jump, friction = found.notes
    assert "SForce 'rub' acts on it and is not smooth at this pose" in jump
    assert "its torque in slide jumps by 10 N as the speed passes" in jump
    assert "dry friction in slide has no slope at rest and is left out" in friction


def test_sides_decide_the_step_of_differences():
    """A law that bends by nothing that halving a step would show: |x|³ a micrometre beside zero."""
    i, j = Marker("i", "load"), Marker("j", "ground")
    law = "-900*DZ(i,j) - 4e5*ABS(DZ(i,j)-1E-6)*(DZ(i,j)-1E-6)**2"
    force = SForce("f", i, j, law, action_only=True)
    found = modes(lift(2.0), [0.0], forces=(force,), free=["slide"], gravity=(0, 0, 0))
    numbers = second_answer._suited_step(found, found.system.chart[..., 0], np.eye(2)[:, :1])[0]
    assert 1e-8 < np.abs(numbers).max() < 1e-6
    assert roots_apart(found, LagrangianDynamics(lift(2.0), (0, 0, 0))) < DIFFERENTIATED


def test_a_body_on_the_ground_bounces_and_creeps_by_the_contacts_law():
    """m g = k p^e, slope e k p^(e - 1); a slide beside it creeps by 3 mu N / (2 v_s)."""
    m, k, e, mu, v_s = 3.0, 1e6, 1.5, 0.4, 0.02
    depth = (m * G / k) ** (1 / e)
    ground = GroundContact("load", stiffness=k, exponent=e)
    found = modes(lift(m), [-depth], forces=(ground,), free=["slide"])
    assert found.frequency == pytest.approx([turns(e * k * depth ** (e - 1) / m)], rel=1e-10)
    assert found.unbalanced == {} and found.notes == ()
    assert roots_apart(found, LagrangianDynamics(lift(m))) < DIFFERENTIATED
    rubbing = GroundContact("load", stiffness=k, height=depth, mu_static=mu, stiction_velocity=v_s)
    aside = modes(lift(m, "1 0 0"), [0.0], 1e5, forces=(rubbing,))
    damping = aside.modes[0].damping_ratio
    assert damping == pytest.approx(1.5 * mu * m * G / v_s / (2 * np.sqrt(1e5 * m)), rel=1e-10)
    assert roots_apart(aside, LagrangianDynamics(aside.drives.robot)) < DIFFERENTIATED
    assert modes(lift(m), [0.1], forces=(ground,), free=["slide"]).frequency == [0.0]


def test_a_stop_that_is_touched_has_both_slopes():
    m, k = 3.0, 1e5
    on = lift(m).with_stops({"slide": Stop(k, 1.0, lower=0.0, upper=1.0)})
    found = modes(on, [0.0], free=["slide"])
    (note,) = found.notes
    assert "joint 'slide' has end stops and is not smooth" in note
    assert "-100000 and 0 N per unit of position" in note or "-100000 and -0 N" in note
    inside = modes(on, [-m * G / k], free=["slide"])
    assert inside.frequency == pytest.approx([turns(k / m)], rel=1e-12) and inside.notes == ()


# --- motors -------------------------------------------------------------------------------------


def swung(law, q0, **more):
    """The bar with a motor, as a run; `law` may read AZ(arm, base)."""
    turned = (np.pi / 2, 0, 0)
    arm, base = Marker("arm", "rod", rpy=turned), Marker("base", "base", rpy=turned)
    names = Names((arm, base))
    motor = sim.JointMotion.torque({"hinge": law}, names=names, q0={"hinge": q0})
    return sim.Scenario(read_urdf(BAR), motor, 0.1, 0.01, "adaptive", **more)


def test_a_run_has_the_slopes_and_the_torques_of_its_motors():
    servo = sim.run(swung("-300*AZ(arm, base) - 2*WZ(arm, base, base)", 0.05, gravity=(0, 0, 0)))
    found = run_modes(servo)
    np.testing.assert_allclose(found.frequency, turns(300 / J), rtol=1e-10)
    (mode,) = found.at(0.05).modes
    assert mode.damping_ratio == pytest.approx(2 / (2 * np.sqrt(300 * J)), rel=1e-10)
    assert roots_apart(found.at(0.05), LagrangianDynamics(read_urdf(BAR), (0, 0, 0))) < 1e-9
    held = run_modes(sim.run(swung("2.4525*STEP(TIME, -1, 0, 0, 1)", -np.pi / 3)))
    assert held.at(0.05).unbalanced == {}
    wanted = turns(0.5 * G * np.sin(np.pi / 3) / J)
    np.testing.assert_allclose(held.frequency, wanted, rtol=1e-9)


def test_a_motor_that_a_program_gives_is_named_and_counts_as_constant():
    class Push:
        """Half the weight's moment."""

        def value(self, t):
            return np.full(t.shape, 2.4525)

        def derivatives(self, t):
            return self.value(t), 0 * t, 0 * t

        def breaks(self, t0, t1):
            return np.empty(0)

        text = "push"

    motor = sim.JointMotion.torque({"hinge": Push()}, q0={"hinge": -np.pi / 3})
    found = run_modes(sim.run(sim.Scenario(read_urdf(BAR), motor, 0.02, 0.01, "adaptive")))
    assert found.at(0.0).unbalanced == {}
    assert found.notes == (
        "the torque of joint hinge is a program's function, which the run does not contain: it "
        "counts as constant",
    )


def test_states_of_a_motors_law_are_refused():
    names = Names(states={"lag": "1 - DIF(lag)"})
    motor = sim.JointMotion.torque({"hinge": "3*DIF(lag)"}, names=names)
    run = sim.run(sim.Scenario(read_urdf(BAR), motor, 0.02, 0.01, "adaptive"))
    with pytest.raises(ScenarioError, match=r"motor of joint 'hinge' has states .* \(lag\)"):
        run_modes(run)


def test_a_controlled_run_says_that_its_feedback_is_left_out():
    bar = read_urdf(BAR)
    controller = sim.Controller(sim.PDGravity(bar, frequency=30), 2e-3, limits={})
    drive = sim.JointMotion.displacement({"hinge": "0.1"})
    run = sim.run(sim.Scenario(bar, drive, 0.02, 0.002, "adaptive", controller=controller))
    found = run_modes(run)
    (note,) = found.notes
    assert note.startswith("the sampled controller ") and "its feedback is left out" in note
    assert found.at(0.01).notes == found.notes


# --- loads --------------------------------------------------------------------------------------


def test_a_load_sags_by_the_springs_between_links_too():
    """A pendulum that a spring beside its drive holds: the balance by one equation of its angle."""
    m, length, load, k, stiff, q0 = 2.0, 0.7, 1.5, 60.0, 90.0, 0.5
    i, j = Marker("i", "bob", (0, 0, -length)), Marker("j", "ground", (0.9, 0, -0.2))
    spring = Spring("side", i, j, stiffness=stiff, free_length=0.3)
    of = pendulum(m, length)
    drives = elastic_drives(of, k, 1.0, None, ElementSum(of, (spring,)))
    pose, com = np.array([[q0]]), (0.0, 0.0, -length)
    found = load_step_on(drives, pose, load, (0, 0, -G), com)

    def place(q):
        return length * np.array([-np.sin(q), -np.cos(q)])

    def moment(q, mass):
        apart = place(q) - np.array([0.9, -0.2])
        size = np.linalg.norm(apart)
        slope = length * np.array([-np.cos(q), np.sin(q)])
        pull = -stiff * (size - 0.3) * apart / size
        return pull @ slope - mass * G * length * np.sin(q)

    held = -moment(q0, m)
    q = brentq(lambda q: moment(q, m + load) + held - k * (q - q0), q0 - 0.6, q0 + 0.2, xtol=1e-14)
    dx, dz = place(q) - place(q0)
    np.testing.assert_allclose(found.sag_unlinearised, [dx, 0, dz], rtol=1e-8, atol=1e-12)
    without = load_step(of, [q0], load, k, 1.0, com=com)
    assert abs(without.sag_unlinearised[2] / dz - 1) > 0.05


def test_the_modes_of_two_links_on_a_rope_have_the_accelerations_of_an_engine():
    """Joint springs, a rope, a string over speeds and a stop, in two coordinates."""
    arm = double_pendulum(1.3, 0.7, 0.8, 0.5).with_springs({"elbow": JointSpring(9.0, 0.1)})
    arm = arm.with_stops({"shoulder": Stop(2e3, 1.5, damping=9.0, lower=-1.0, upper=0.29)})
    tip, peg = Marker("tip", "lower", (0, 0, -0.5)), Marker("peg", "ground", (0.5, 0, -1.2))
    rope = Spring("rope", tip, peg, force="MIN(0, -4e3*x)", free_length=0.5)
    drag = SForce("drag", tip, peg, "-3*VM(tip)*VR(tip, peg) - 2*VZ(tip, peg)", action_only=True)
    found = modes(arm, [0.3, 0.4], forces=(rope, drag), free=["shoulder", "elbow"])
    assert found.notes == ()
    for name in ("bullet", "mujoco"):
        with open_engine(name, arm, found.gravity) as engine:
            assert roots_apart(found, EngineDynamics(engine)) < DIFFERENTIATED
