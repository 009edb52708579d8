"""Forces between markers in the model and every engine, against closed forms, SciPy and Pinocchio.

The two bodies on slides are those of `tests.test_force_elements`: on a spring between them they
move as the matrix exponential says, whichever of the forces is that spring.
"""

from dataclasses import replace
from functools import cache

import msgspec
import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.interpolate import Akima1DInterpolator
from scipy.spatial.transform import Rotation

import sim
from sim import Bushing, Marker, Names, SForce, Spring, VForce
from sim.dynamics import ElementSum
from sim.engine_names import ENGINES
from sim.errors import ExpressionError, ModelError, ScenarioError
from sim.recording import facts_of, value_of
from sim.recording.schema.element_facts import ElementFacts, read_facts
from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.small_robots import lift, pendulum
from tests.test_force_elements import (
    DAMPING,
    LENGTH,
    ON_LEFT,
    ON_RIGHT,
    STIFFNESS,
    PointSpring,
    closed_form,
    two_bodies,
)
from tests.test_force_elements import scenario as on_slides

LEFT, RIGHT = Marker("left", "left_body", ON_LEFT), Marker("right", "right_body", ON_RIGHT)
PULL = f"-{STIFFNESS}*({{0}}-{LENGTH})-{DAMPING}*{{1}}"
ELEMENTS = {
    "spring": Spring("s", RIGHT, LEFT, stiffness=STIFFNESS, damping=DAMPING, free_length=LENGTH),
    "spring by its law": Spring(
        "s", RIGHT, LEFT, force=f"-{STIFFNESS}*X", damping=DAMPING, free_length=LENGTH
    ),
    "single force": SForce("s", LEFT, RIGHT, PULL.format("DM(left,right)", "VR(right,left)")),
    "vector force": VForce(
        "s", RIGHT, LEFT, (PULL.format("DX(right,left)", "VX(right,left)"), 0.0, 0.0)
    ),
    "bushing": Bushing(
        "s",
        RIGHT,
        LEFT,
        stiffness=(STIFFNESS, 9.0, 9.0),
        damping=DAMPING,
        preload=(STIFFNESS * LENGTH, 0.0, 0.0),
    ),
}
NO_FORCE = np.zeros(3)


@pytest.mark.parametrize("kind", ELEMENTS)
def test_two_bodies_on_a_spring_move_as_the_closed_form_says(kind):
    engine = "mujoco" if kind in ("single force", "bushing") else "bullet"
    run = sim.run(replace(on_slides(ELEMENTS[kind], engine=engine), duration=0.4))
    left, right, _ = closed_form(PointSpring(), run.t)
    distance = right - left - 0.4
    stored = 0.5 * STIFFNESS * (distance - LENGTH) ** 2
    for table in (run.recorded, run.analytic):
        for name, wanted in (("left", left), ("right", right)):
            np.testing.assert_allclose(table[f"q.{name}"], wanted, rtol=0, atol=1e-9)  # m
        speed = (table["qd.right"] - table["qd.left"]).to_numpy()
        pull = -STIFFNESS * (distance - LENGTH) - DAMPING * speed
        part = "fx" if kind in ("vector force", "bushing") else "f"
        np.testing.assert_allclose(table[f"force.s.{part}"], pull, rtol=0, atol=1e-7)  # N
        if part == "f":
            np.testing.assert_allclose(table["length.s"], distance, rtol=0, atol=1e-9)
        if "spring" in kind:
            np.testing.assert_allclose(table["stored"], stored, rtol=0, atol=1e-7)  # J
        kept = table["ke"] + table["pe"] - table["external"]
        kept = (kept + table["stored"] if "stored" in table else kept).to_numpy()
        np.testing.assert_allclose(kept, kept[0], rtol=0, atol=1e-9)  # J
    assert run.run.units["force.s." + part] == "N"
    checks = sim.check(run)
    assert [one for one in checks if not one.ok] == []
    assert {"force by its law", "force by its law of model"} <= {one.name for one in checks}


# --- a pendulum in the plane, on a spring that hardens and a string that winds up -----------------

MASS, ROD, WALL, SPRUNG = 1.5, 0.8, np.array([0.9, 0.0, -0.2]), 0.5
HARD, SOFT, WOUND, SPIN = 60.0, 12.0, 0.7, 19.0  # N/m³, N/m, N·m/rad, rad/s
END, STEP = 0.36, 0.02  # s
SAMPLES = np.linspace(0.0, END, 19)


@cache
def plane_pendulum():
    """Tip of a point mass on a rod by Cartesian coordinates, m a = F + λ p: x, z, speeds, angle."""

    def rate(time, y):
        p, v, angle = y[:2], y[2:4], y[4]
        d = p - WALL[[0, 2]]
        length = np.hypot(*d)
        x = length - SPRUNG
        force = (-SOFT * x - HARD * x**3) * d / length
        # A hinge about y turns (0, -1) to (-sin, -cos): its torque along it is F · tangent × rod.
        tangent = np.array([p[1], -p[0]]) / ROD
        force = force + (-WOUND * angle + 2 * np.sin(3 * time)) / ROD * tangent
        force = force + MASS * np.array([0.0, -9.81])
        pull = -(MASS * v @ v + force @ p) / (p @ p)
        return [*v, *((force + pull * p) / MASS), v @ tangent / ROD]

    start = [0.0, -ROD, *(SPIN * ROD * np.array([-1.0, 0.0])), 0.0]
    return solve_ivp(rate, (0, END), start, "DOP853", SAMPLES, rtol=1e-11, atol=1e-12).y


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pendulum_on_a_hardening_spring_and_a_torque_of_its_turns(engine):
    about = (-np.pi / 2, 0.0, 0.0)  # z along the hinge, which is y
    tip, wall = Marker("tip", "bob", (0, 0, -ROD)), Marker("wall", "world", WALL)
    hinge, base = Marker("hinge", "bob", rpy=about), Marker("base", "ground", rpy=about)
    spring = Spring("s", tip, wall, force=f"-{SOFT}*x-{HARD}*x**3", free_length=SPRUNG)
    names = Names(variables={"shake": "2*SIN(3*TIME)"})
    wind = SForce(
        "w", hinge, base, f"-{WOUND}*AZ(hinge,base)+VARVAL(shake)", acts="rotational", names=names
    )
    motion = sim.JointMotion.displacement({}, free=["hinge"])
    motion = replace(motion, qd0={"hinge": SPIN})
    run = sim.run(
        sim.Scenario(
            pendulum(MASS, ROD), motion, END, STEP, "adaptive", forces=(spring, wind), engine=engine
        )
    )
    x, z, vx, vz, angle = plane_pendulum()
    assert np.abs(angle).max() > 2 * np.pi  # more than a whole turn
    for table in (run.recorded, run.analytic):
        q, qd = table["q.hinge"].to_numpy(), table["qd.hinge"].to_numpy()
        np.testing.assert_allclose(-ROD * np.sin(q), x, rtol=0, atol=1e-9)  # m
        np.testing.assert_allclose(-ROD * np.cos(q), z, rtol=0, atol=1e-9)
        np.testing.assert_allclose(q, angle, rtol=0, atol=1e-9)
        moment = -WOUND * angle + 2 * np.sin(3 * run.t)
        np.testing.assert_allclose(table["force.w.m"], moment, rtol=0, atol=1e-8)  # N·m
        length = np.hypot(x - WALL[0], z - WALL[2])
        np.testing.assert_allclose(table["length.s"], length, rtol=0, atol=1e-9)
        elastic = SOFT / 2 * (length - SPRUNG) ** 2 + HARD / 4 * (length - SPRUNG) ** 4
        np.testing.assert_allclose(table["stored"], elastic, rtol=0, atol=1e-8)  # J
        np.testing.assert_allclose(qd**2 * ROD**2, vx**2 + vz**2, rtol=0, atol=1e-7)
    assert [one for one in sim.check(run) if not one.ok] == []
    assert [facts_of(value_of(one)) for one in run.run.forces] == list(run.run.forces)


def test_a_motor_follows_its_own_joint_by_a_string_of_the_state():
    """A lift with a spring and a damper for a motor: m z'' = -m g - 80 (z - 0.3) - 5 z'."""
    names = Names((Marker("load", "load"), Marker("floor", "ground", (0, 0, 0.3))))
    law = {"slide": "-80*DZ(load,floor)-5*VZ(load,floor)"}
    run = sim.run(
        sim.Scenario(lift(2.0), sim.JointMotion.torque(law, names=names), 1.0, 0.02, "adaptive")
    )

    def rate(_, y):
        return [y[1], -9.81 + (-80 * (y[0] - 0.3) - 5 * y[1]) / 2.0]

    z, speed = solve_ivp(rate, (0, 1), [0, 0], "DOP853", run.t, rtol=1e-12, atol=1e-13).y
    np.testing.assert_allclose(run.recorded["q.slide"], z, rtol=0, atol=1e-9)  # m
    wanted = -80 * (z - 0.3) - 5 * speed
    np.testing.assert_allclose(run.recorded["tau.slide"], wanted, rtol=0, atol=1e-7)  # N
    assert [one for one in sim.check(run) if not one.ok] == []
    assert ("drive function", "tau.slide") in {(c.name, c.channel) for c in sim.check(run)}


# --- what they are worth at the joints of an arm, by Pinocchio ------------------------------------

ARM = load_robot("ur10").mounted((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
TIP = Marker("tip", "wrist_3_link", (0.1, -0.2, 0.05), (0.3, 0.4, -0.5))
ELBOW = Marker("elbow", "upper_arm_link", (0.0, 0.1, 0.3), (-0.2, 0.2, 0.5))
OUTSIDE = Marker("outside", "world", (0.5, 0.4, 1.0), (0.5, 0.2, 0.1))
WITHOUT = (0.0, 0.0, 0.0)
RNG = np.random.default_rng(8)
Q, QD = RNG.uniform(-0.6, 0.6, (6, 7)), RNG.uniform(-1, 1, (6, 7))


def frames(marker, q=Q, qd=QD):
    """R, p, v and w of a marker by Pinocchio, sample by sample."""
    own = Rotation.from_euler("xyz", marker.rpy).as_matrix()
    if marker.link == "world":
        return [(own, np.array(marker.xyz), NO_FORCE, NO_FORCE)] * q.shape[1]
    rows = PinocchioModel(ARM, WITHOUT).frame_motion(marker.link, q, qd).T
    found = []
    for row in rows:
        R, p, v, w = row[:9].reshape(3, 3), row[9:12], row[12:15], row[15:]
        arm = R @ marker.xyz
        found.append((R @ own, p + arm, v + np.cross(w, arm), w))
    return found


def across(i, j):
    """From j to i at each sample."""
    return [p_i - p_j for (_, p_i, *_), (_, p_j, *_) in zip(frames(i), frames(j), strict=True)]


def powers(i, j, force, torque):
    """Power of forces and torques on i that j's body takes back where i is, (N,) [W]."""
    total = []
    for (_, p_i, v_i, w_i), (_, p_j, v_j, w_j), F, T in zip(
        frames(i), frames(j), force, torque, strict=True
    ):
        there = v_j + np.cross(w_j, p_i - p_j)
        total.append(F @ (v_i - there) + T @ (w_i - w_j))
    return np.array(total)


def power_at_joints(element):
    each = ElementSum(ARM, (element,))
    return np.sum(each.torque(each.at(np.full(Q.shape[1], 0.4), Q, QD)) * QD, axis=0)


@pytest.mark.parametrize("j", [ELBOW, OUTSIDE])
def test_single_forces_do_the_power_of_their_line_or_their_axis(j):
    lines = [7.0 * d / np.linalg.norm(d) for d in across(TIP, j)]
    axes = [7.0 * R[:, 2] for R, *_ in frames(j)]
    none, rest = [NO_FORCE] * len(axes), Marker("rest", "world")
    for acts, wanted, alone in (
        ("translational", (lines, none), (axes, none)),
        ("rotational", (none, axes), (none, axes)),
    ):
        found = power_at_joints(SForce("f", TIP, j, "7", acts=acts))
        np.testing.assert_allclose(found, powers(TIP, j, *wanted), rtol=0, atol=1e-12)
        found = power_at_joints(SForce("f", TIP, j, 7, acts=acts, action_only=True))
        np.testing.assert_allclose(found, powers(TIP, rest, *alone), rtol=0, atol=1e-12)


def test_a_vector_force_has_its_components_along_a_marker_and_its_reaction_at_i():
    element = VForce("f", TIP, ELBOW, (1, "2", "TIME"), ("4", 5, "0"), along=OUTSIDE)
    R = Rotation.from_euler("xyz", OUTSIDE.rpy).as_matrix()
    force, torque = [R @ [1, 2, 0.4]] * 7, [R @ [4, 5, 0]] * 7
    wanted = powers(TIP, ELBOW, force, torque)
    np.testing.assert_allclose(power_at_joints(element), wanted, rtol=0, atol=1e-12)
    along_j = power_at_joints(VForce("f", TIP, ELBOW, (1, 2, 3)))
    force = [R @ [1, 2, 3] for R, *_ in frames(ELBOW)]
    wanted = powers(TIP, ELBOW, force, [NO_FORCE] * 7)
    np.testing.assert_allclose(along_j, wanted, rtol=0, atol=1e-12)


def test_a_bushing_is_the_slope_of_its_energy_by_pinocchios_logarithm_and_a_damper():
    """-dV/dt along the motion, V = ½ dᵀ K d + ½ φᵀ K_t φ with φ = log3(R_jᵀ R_i)."""
    K, K_t = np.array([300.0, 200, 100]), np.array([20.0, 10, 5])
    C, C_t = np.array([3.0, 2, 1]), np.array([0.3, 0.2, 0.1])
    F_0, T_0 = np.array([1.0, -2, 3]), np.array([0.4, 0.5, -0.6])
    own = {"preload": F_0, "turning_preload": T_0, "damping": C, "turning_damping": C_t}
    element = Bushing("b", TIP, ELBOW, stiffness=K, turning_stiffness=K_t, **own)

    def energy(q):
        found = []
        for (R_i, p_i, *_), (R_j, p_j, *_) in zip(frames(TIP, q), frames(ELBOW, q), strict=True):
            d, phi = R_j.T @ (p_i - p_j), pin.log3(R_j.T @ R_i)
            assert np.linalg.norm(phi) < 2.8
            found.append(d @ (K * d) / 2 + phi @ (K_t * phi) / 2)
        return np.array(found)

    h = 1e-3
    at = [energy(Q + s * h * QD) for s in (-2, -1, 1, 2)]
    slope = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h)
    lost = []
    for (_, p_i, v_i, w_i), (R, p_j, v_j, w_j) in zip(frames(TIP), frames(ELBOW), strict=True):
        v, w = R.T @ (v_i - v_j - np.cross(w_j, p_i - p_j)), R.T @ (w_i - w_j)
        lost.append(v @ (F_0 - C * v) + w @ (T_0 - C_t * w))
    found = power_at_joints(element)
    np.testing.assert_allclose(found, lost - slope, rtol=0, atol=1e-7)  # W, of some 200
    each = ElementSum(ARM, (element,))
    stored = each.stored_energy(each.at(np.zeros(7), Q, QD))
    np.testing.assert_allclose(stored, energy(Q), rtol=1e-12)


def test_a_function_reads_the_force_of_another():
    """SFORCE's force and torque on either side, along a marker's axes."""
    other = VForce("v", TIP, ELBOW, (1, 2, 3), (0.4, 0.5, 0.6), along=OUTSIDE)
    names = Names((OUTSIDE,), {}, (other,))
    R = Rotation.from_euler("xyz", OUTSIDE.rpy).as_matrix()
    on_j = [
        -np.array([0.4, 0.5, 0.6]) - R.T @ np.cross(d, R @ [1, 2, 3]) for d in across(TIP, ELBOW)
    ]
    for text, wanted in (
        ("SFORCE(v, 0, 1, outside)", np.sqrt(14.0)),
        ("SFORCE(V, 0, 4, outside)", 3.0),
        ("SFORCE(v, 1, 3, outside)", -2.0),
        ("SFORCE(v, 0, 5, 0)", np.sqrt(0.77)),
        ("SFORCE(v, 0, 6, outside)", 0.4),
        ("SFORCE(v, 1, 8, outside)", np.array(on_j)[:, 2]),
    ):
        reader = SForce("r", TIP, ELBOW, text, names=names)
        each = ElementSum(ARM, (reader,))
        found = each.channels(each.at(np.zeros(7), Q, QD))["force.r.f"]
        np.testing.assert_allclose(found, np.broadcast_to(wanted, 7), rtol=0, atol=1e-12)


# --- checks ---------------------------------------------------------------------------------------


def failing(recording):
    return {(one.name, one.channel) for one in sim.check(recording) if not one.ok}


def test_a_force_that_is_not_its_law_fails_in_the_table_that_has_it():
    drives = {"left": "0.1*SIN(3*time)", "right": "1+0.2*SIN(5*time)"}
    motion = sim.JointMotion.displacement(drives)
    run = sim.run(on_slides(ELEMENTS["spring"], "ideal", motion=motion))
    assert failing(run) == set()
    names = "force by its law", "force by its law of model"
    for table, name in zip(("recorded", "analytic"), names, strict=True):
        for channel in ("force.s.f", "length.s"):
            rows = getattr(run, table)
            off = rows[channel].to_numpy().copy()
            off[17] += 1e-7
            lied = replace(run, **{table: rows.assign(**{channel: off})})
            assert failing(lied) == {(name, channel)}
    softer = msgspec.structs.replace(run.run.forces[0], stiffness=STIFFNESS * (1 + 1e-9))
    lied = replace(run, run=msgspec.structs.replace(run.run, forces=(softer,)))
    assert {(name, "force.s.f") for name in names} <= failing(lied)
    tables = {of: getattr(run, of).drop(columns="length.s") for of in ("recorded", "analytic")}
    with pytest.raises(sim.RecordingError, match=r"length\.s"):
        sim.check(replace(run, **tables))


# --- descriptions and bad input -------------------------------------------------------------------


def test_a_description_keeps_all_of_a_force_and_it_comes_back():
    inner = Spring("inner", TIP, ELBOW, stiffness=5.0)
    curve = sim.spline([-0.5, 0.0, 1.0, 3.0], [100.0, 0.0, -150.0, -900.0], "akima", "linear")
    names = Names((OUTSIDE,), {"gap": "DM(outside)"}, (inner,), {"C": curve})
    for element in (
        Spring("t", TIP, ELBOW, force=curve),
        SForce("c", TIP, ELBOW, "AKISPL(DM(tip,elbow),0,C)", names=names),
        *ELEMENTS.values(),
        SForce("f", TIP, ELBOW, "VARVAL(gap)+SFORCE(inner,0,1,0)", names=names),
        VForce("v", TIP, ELBOW, ("VARVAL(gap)", 0, 0), along=OUTSIDE, names=names),
    ):
        told = facts_of(element)
        read = read_facts(ElementFacts, msgspec.to_builtins(told))
        assert read == told
        assert facts_of(value_of(read)) == told


def test_measured_points_are_a_law_of_a_spring_and_of_a_string():
    """By SciPy's Akima interpolation and quadrature."""
    x, y = [-0.5, 0.0, 0.4, 1.0, 2.0], [100.0, 0.0, -150.0, -200.0, -900.0]
    curve, wanted = sim.spline(x, y, "akima"), Akima1DInterpolator(x, y)
    spring = Spring("t", TIP, ELBOW, force=curve, free_length=0.5)
    names = Names(splines={"points": curve})
    typed = SForce("c", TIP, ELBOW, "AKISPL(DM(tip,elbow)-0.5,0,Points)", names=names)
    length = np.linalg.norm(across(TIP, ELBOW), axis=1)
    assert np.ptp(length) > 0.1
    for one in (spring, value_of(facts_of(spring)), typed, value_of(facts_of(typed))):
        each = ElementSum(ARM, (one,))
        at = each.at(np.zeros(7), Q, QD)
        found = each.channels(at)[f"force.{one.name}.f"]
        np.testing.assert_allclose(found, wanted(length - 0.5), rtol=1e-12, atol=1e-12)
    each = ElementSum(ARM, (spring,))
    energies = [-quad(wanted, 0, end, points=(0.0, 0.4))[0] for end in length - 0.5]
    stored = each.stored_energy(each.at(np.zeros(7), Q, QD))
    np.testing.assert_allclose(stored, energies, rtol=0, atol=1e-9)  # J


def test_forces_that_cannot_be_are_refused_with_their_name():
    slides, at_same = on_slides(ELEMENTS["spring"]), Marker("same", "left_body", ON_LEFT)
    with pytest.raises(ScenarioError, match=r"Spring 's': markers 'left' and 'same' are one point"):
        Spring("s", LEFT, at_same, stiffness=1.0)
    with pytest.raises(ScenarioError, match="SForce 's': markers 'left' and 'same' are one point"):
        SForce("s", LEFT, at_same, "1")
    with pytest.raises(ModelError, match=r"Spring 's': stiffness -1 N/m is negative"):
        Spring("s", LEFT, RIGHT, stiffness=-1)
    with pytest.raises(ScenarioError, match="replaces stiffness and preload"):
        Spring("s", LEFT, RIGHT, stiffness=1, force="-x")
    with pytest.raises(ExpressionError, match=r"Spring 's': 'y' is not known"):
        Spring("s", LEFT, RIGHT, force="-2*y")
    with pytest.raises(ExpressionError, match="force 'pull' reads its own force") as raised:
        SForce("pull", LEFT, RIGHT, "1+SFORCE(PULL,0,1,0)")
    assert raised.value.position == 9
    with pytest.raises(ExpressionError, match=r"VForce 'v', fy: .*'up' is not a marker"):
        VForce("v", LEFT, RIGHT, (0, "DX(up)", 0))
    with pytest.raises(ScenarioError, match="takes three components"):
        VForce("v", LEFT, RIGHT, "1")
    with pytest.raises(ScenarioError, match="choose 'translational' or 'rotational'"):
        SForce("s", LEFT, RIGHT, "1", acts="sideways")
    with pytest.raises(ScenarioError, match="'my force' must be a text without spaces"):
        SForce("my force", LEFT, RIGHT, "1")
    with pytest.raises(ScenarioError, match=r"i must be a sim\.Marker"):
        Spring("s", "left", RIGHT)
    with pytest.raises(ModelError, match=r"Bushing 'b': damping -1 .* is negative"):
        Bushing("b", LEFT, RIGHT, damping=(0, -1, 0))
    with pytest.raises(ScenarioError, match="takes one number or three"):
        Bushing("b", LEFT, RIGHT, stiffness=(1, 2))
    with pytest.raises(ScenarioError, match="Two forces are called 's'"):
        replace(slides, forces=(ELEMENTS["spring"], ELEMENTS["bushing"]))
    reader = SForce("r", LEFT, RIGHT, "SFORCE(s,0,1,0)", names=Names(forces=slides.forces))
    with pytest.raises(ScenarioError, match=r"SForce 'r' reads Spring 's', which does not act"):
        replace(slides, forces=(reader,))
    hook = Spring("s", LEFT, Marker("hook", "crane"), stiffness=1.0)
    with pytest.raises(ModelError, match=r"Spring 's': Marker 'hook': link 'crane' is not in"):
        sim.run(replace(slides, forces=(hook,)))
    away = SForce("s", LEFT, RIGHT, "SQRT(0.5-DM(left,right)-10*TIME)")
    with pytest.raises(ScenarioError, match=r"SForce 's': its function is not finite at t = 0"):
        sim.run(replace(slides, forces=(away,)))
    start = Marker("start", "world", (-0.1, 0.2, -0.1))  # where the left one begins
    with pytest.raises(ScenarioError, match=r"'left' and 'start' are at one point at t = 0 s"):
        sim.run(replace(slides, forces=(SForce("s", LEFT, start, "-1"),)))
    driven = replace(Spring("s", LEFT, RIGHT, damping=-1.0), name="pump")
    (note,) = replace(slides, forces=(driven,)).notes
    assert note == "Spring 'pump': its damping -1 N·s/m is negative and puts energy in"


def test_a_motion_is_of_time_alone_and_a_torque_needs_names():
    names = Names((Marker("load", "load"),))
    with pytest.raises(ExpressionError, match=r"DZ depends on the state; a motion may .* only"):
        sim.JointMotion.displacement({"slide": "DZ(load)"})
    with pytest.raises(ScenarioError, match="'velocity' may depend on TIME only"):
        sim.JointMotion.velocity({"slide": "1"}, names=names)
    with pytest.raises(ExpressionError, match=r"Torque of joint 'slide': .*'roof' is not a marker"):
        sim.JointMotion.torque({"slide": "DZ(roof)"}, names=names)
    torque = sim.JointMotion.torque({"left": "DZ(load)"}, names=names)
    with pytest.raises(ModelError, match=r"Torque of joint 'left': Marker 'load': link 'load'"):
        torque.on(two_bodies(), 1.0)
