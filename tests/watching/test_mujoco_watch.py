"""Watched MuJoCo loops: right ones pass, planted mistakes and pairs of them are named."""

import itertools

import mujoco
import numpy as np
import pytest

import sim
from sim.cli.command import status
from sim.errors import EngineError
from sim.watching.diagnose import diagnose
from tests.helpers.watched_loops import RATE, START, UR10

JOINT = mujoco.mjtTrn.mjTRN_JOINT
INERTIA = np.array([1.6, 2.9, 0.73, 0.028, 0.018, 0.0001])
KP, KV = 6400 * INERTIA, 160 * INERTIA


def specification(*, is_servo=False):
    """The UR10 with a motor, or a servo, in each joint, and nothing else that acts."""
    spec = mujoco.MjSpec.from_file(str(UR10))
    spec.compiler.fusestatic = False
    spec.compiler.balanceinertia = False
    spec.compiler.discardvisual = True
    for geom in list(spec.geoms):
        spec.delete(geom)
    spec.option.timestep = 1e-3
    for k, joint in enumerate(spec.joints):
        joint.limited = joint.actfrclimited = 0
        motor = spec.add_actuator(name=f"m{k}", target=joint.name, trntype=JOINT)
        motor.biastype = mujoco.mjtBias.mjBIAS_AFFINE
        motor.gainprm[0] = KP[k] if is_servo else 1.0
        if is_servo:
            motor.biasprm[:3] = 0, -KP[k], -KV[k]
    return spec


def mujoco_loop(
    edit=None, model=None, act=None, step=mujoco.mj_step, own=None, count=200, is_servo=False
):
    """A watched loop: `edit` gets the specification, `model` what is compiled, `act` each step."""
    spec = specification(is_servo=is_servo)
    if edit is not None:
        edit(spec)
    compiled = spec.compile()
    if model is not None:
        model(compiled)
    data, believed = mujoco.MjData(compiled), []
    data.qpos[:6] = START
    watch = sim.watch(compiled, data, UR10)
    for k in range(count):
        want = START + 0.35 * (1 - np.cos(2 * RATE * data.time))
        rate = 0.7 * RATE * np.sin(2 * RATE * data.time)
        if act is not None:
            act(compiled, data, k)
        error = KP * (want - data.qpos[:6]) + KV * (rate - data.qvel[:6])
        data.ctrl[:6] = want if is_servo else 0.5 * error + data.qfrc_bias[:6]
        step(compiled, data)
        believed.append((data.qfrc_actuator + data.qfrc_applied)[:6].copy())
        watch.sample(None if own is None else own(data, believed))
    return watch


def each_joint(**values):
    def edit(spec):
        for k, joint in enumerate(spec.joints):
            for name, value in values.items():
                setattr(joint, name, value * INERTIA[k])

    return edit


def each_actuator(**values):
    def edit(spec):
        for actuator in spec.actuators:
            for name, value in values.items():
                setattr(actuator, name, value)

    return edit


def setting(name, index, value):
    def model(compiled):
        owner = compiled
        *path, last = name.split(".")
        for part in path:
            owner = getattr(owner, part)
        if index is None:
            setattr(owner, last, value)
        else:
            getattr(owner, last)[index] = value

    return model


def mimic(spec):
    first, second = (spec.joints[k].name for k in (3, 4))
    joint = mujoco.mjtObj.mjOBJ_JOINT
    equality = spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT, name1=second, name2=first, objtype=joint
    )
    equality.data[:5] = 1.2, 1, 0, 0, 0


def floor(spec):
    plane, sphere = mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_SPHERE
    spec.worldbody.add_geom(type=plane, size=[0, 0, 1], pos=[0, 0, 0.95])
    for size in (0.05, 0.06):  # two shapes of one link are one contact of the account
        spec.body("wrist_3_link").add_geom(type=sphere, size=[size, 0, 0], mass=0)


def limits(spec):
    for joint in spec.joints:
        joint.limited, joint.range = 1, [-6, 6]
    spec.joints[1].range = [-1.3, -1.19]


def tendon(spec):
    made = spec.add_tendon(name="belt", stiffness=[40, 0, 0], springlength=[0.3, 0.3])
    made.wrap_joint(spec.joints[1].name, 1.0)
    made.wrap_joint(spec.joints[2].name, -0.5)


def gravcomp(spec):
    spec.body("upper_arm_link").gravcomp = 1.0


def tilted(spec):
    spec.body("base_link").quat = [np.cos(0.05), np.sin(0.05), 0, 0]


def heavy(compiled):
    compiled.body_mass[compiled.body("wrist_3_link").id] += 3.0


def fluid(compiled):
    compiled.opt.density, compiled.opt.viscosity = 1000.0, 1.0


def pushed(compiled, data, k):
    data.xfrc_applied[compiled.body("forearm_link").id, :3] = 0, 8, -5


def left_on(compiled, data, k):
    data.qfrc_applied[1] = 4.0


def at(number, change):
    return lambda compiled, data, k: change(compiled, data) if k == number else None


def twice(compiled, data):
    mujoco.mj_step(compiled, data)
    mujoco.mj_step(compiled, data)


def semi_implicit(compiled, data):
    mujoco.mj_forward(compiled, data)
    data.qvel += compiled.opt.timestep * data.qacc
    mujoco.mj_integratePos(compiled, data.qpos, data.qvel, compiled.opt.timestep)


def explicit(compiled, data):
    mujoco.mj_forward(compiled, data)
    h = compiled.opt.timestep
    data.qpos[:] += h * data.qvel
    data.qvel[:] += h * data.qacc
    data.time += h


def split(compiled, data):
    mujoco.mj_step1(compiled, data)
    mujoco.mj_step2(compiled, data)


class Stale:
    """mj_step2 without mj_step1 every second time."""

    count = 0

    def __call__(self, compiled, data):
        if self.count % 2 == 0:
            mujoco.mj_step1(compiled, data)
        mujoco.mj_step2(compiled, data)
        self.count += 1


class Delayed:
    """The control reaches MuJoCo one step late."""

    former = None

    def __call__(self, compiled, data):
        new = data.ctrl.copy()
        data.ctrl[:] = new if self.former is None else self.former
        mujoco.mj_step(compiled, data)
        self.former, data.ctrl[:] = new, new


def control(data, believed):
    return data.ctrl[:6]


def read(data, believed):
    return believed[-1]


def integrator(name):
    return setting("opt.integrator", None, int(getattr(mujoco.mjtIntegrator, f"mjINT_{name}")))


def flag(name):
    bit = int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))
    return setting("opt.disableflags", None, bit)


DAMPED = setting("dof_damping", slice(None), 20 * INERTIA)
SERVO = {"is_servo": True}

# The kinds of cause of each mistake, and text that its account has.
MISTAKES = {
    "right": ({}, [], ""),
    "damping": ({"model": DAMPED}, ["joint damping"], "damping 32 N·m·s/rad at shoulder_pan_joint"),
    "damping v|v|": (
        {"edit": each_joint(damping=np.array([0, 1, 0]))},
        ["joint damping"], "model.dof_dampingpoly[:] = 0",
    ),
    "damping of actuators": (
        {"edit": each_actuator(damping=[2.0, 0, 0])},
        ["joint damping"], "model.actuator_damping[:] = 0",
    ),
    "its implicit term forgotten": (
        {"model": DAMPED, "own": lambda d, b: b[-1] + d.qfrc_damper[:6]},
        ["integrator"], "MJDSBL_EULERDAMP".replace("MJ", "mj"),
    ),
    "frictionloss": ({"edit": each_joint(frictionloss=4.0)}, ["frictionloss"], "6.4 N·m at"),
    "armature": ({"edit": each_joint(armature=1.0)}, ["armature"], "1.6 kg·m² at shoulder"),
    "armature of actuators": (
        {"edit": each_actuator(armature=1.0, gear=[2, 0, 0, 0, 0, 0])},
        ["armature"], "actuator_armature[:] = 0",
    ),
    "limits": ({"edit": limits}, ["joint limit"], "shoulder_lift_joint at a limit"),
    "equality": ({"edit": mimic}, ["equality"], "wrist_2_joint and wrist_1_joint"),
    "contact": (
        {"edit": floor}, ["contact"], "contact of world with wrist_3_link in 200 steps from 0 s",
    ),
    "gravcomp": ({"edit": gravcomp}, ["gravcomp"], "upper_arm_link (1)"),
    "springs": ({"edit": each_joint(stiffness=np.array([300.0, 0, 0]))}, ["spring"], "480 N·m/rad"),
    "tendon": ({"edit": tendon}, ["spring"], "tendon belt"),
    "fluid": ({"model": fluid}, ["fluid"], "density 1000"),
    "payload": ({"model": heavy}, ["link mass"], "mass 3.365 kg, 0.365 in the file"),
    "gravity": ({"model": setting("opt.gravity", 2, -9.8)}, ["gravity"], "-9.8"),
    "gravity off": ({"model": flag("GRAVITY")}, ["gravity"], "no gravity"),
    "tilted base": ({"edit": tilted}, ["tilted base"], "5.72958°"),
    "servo": (
        {**SERVO, "own": lambda d, b: d.ctrl[:6] * KP}, ["servo"], "kp 10240 and kv 256",
    ),
    "implicitfast": (
        {**SERVO, "model": integrator("IMPLICITFAST"), "own": read}, ["integrator"], "implicitf",
    ),
    "discrete": ({**SERVO, "model": integrator("DISCRETE"), "own": read}, ["integrator"], "discr"),
    "right by RK4": ({"model": integrator("RK4")}, [], ""),
    "RK4": ({**SERVO, "model": integrator("RK4"), "own": read}, ["integrator"], "four stages"),
    "RK4 in two parts": ({"model": integrator("RK4"), "step": split}, ["foreign step"], "Euler"),
    "gear": ({"edit": each_actuator(gear=[5, 0, 0, 0, 0, 0]), "own": control}, ["gear"], "gear 5"),
    "forcerange": (
        {"edit": each_actuator(forcelimited=1, forcerange=[-60, 60]), "own": control},
        ["forcerange"], "-60 … 60",
    ),
    "ctrlrange": (
        {"edit": each_actuator(ctrllimited=1, ctrlrange=[-60, 60]), "own": control},
        ["ctrlrange"], "-60 … 60",
    ),
    "actuation off": ({"model": flag("ACTUATION"), "own": control}, ["actuation off"], "flag"),
    "torque late": ({"own": lambda d, b: b[-2:][0]}, ["torque of the step before"], "before"),
    "control late": ({"step": Delayed(), "own": control}, ["control late"], "after its sample"),
    "stale forces": ({"step": Stale()}, ["foreign step"], "50% of the steps"),
    "explicit Euler": ({"step": explicit}, ["foreign step"], "explicit Euler"),
    "right, start set after the watch began": (
        {"act": at(0, lambda m, d: d.qpos.__setitem__(2, d.qpos[2] + 0.01))}, [], "",
    ),
    "position set by hand": (
        {"act": at(150, lambda m, d: d.qpos.__setitem__(2, d.qpos[2] + 0.01))},
        ["state set by hand"], "step 151: elbow_joint jumps by 0.01",
    ),
    "position set by hand by RK4": (  # about the vertical, which no torque feels
        {"act": at(150, lambda m, d: d.qpos.__setitem__(0, d.qpos[0] + 0.01)),
         "model": integrator("RK4")},
        ["state set by hand"], "step 151: shoulder_pan_joint jumps by 0.01",
    ),
    "velocity set by hand": (
        {"act": at(150, lambda m, d: d.qvel.__setitem__(2, d.qvel[2] + 0.2))},
        ["state set by hand"], "step 151",
    ),
    "time step changed": (
        {"act": at(150, lambda m, d: setattr(m.opt, "timestep", 5e-4))},
        ["time step changed"], "sample 150, from 0.001 to 0.0005",
    ),
    "time step changed, with rotors": (
        {"act": at(150, lambda m, d: setattr(m.opt, "timestep", 5e-4)),
         "edit": each_joint(armature=1.0)},
        ["armature", "time step changed"], "sample 150, from 0.001 to 0.0005",
    ),
    "a step of its own, in time that stands still": (
        {"step": semi_implicit, "model": DAMPED}, ["foreign step"], "100% of the steps",
    ),
    "two steps a sample": ({"step": twice}, [], ""),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_planted_mistake_is_named(name):
    options, kinds, text = MISTAKES[name]
    found = diagnose(mujoco_loop(**options).evidence())
    errors = [cause for cause in found.causes if cause.is_error]
    assert sorted(cause.kind for cause in errors) == sorted(kinds)
    assert text in " ".join(cause.facts(found.peaks).sentence for cause in errors)
    fitting = [cause.alternatives for cause in errors if cause.alternatives]
    assert bool(fitting) == (name == "velocity set by hand")  # as a force of one step is
    if not kinds or errors[0].torque is not None:
        assert found.left < 1e-9


def falling(compiled, data, k):
    """Motors whose control stays at zero."""


def driven(compiled, data, k):
    data.ctrl[:6] = INERTIA * np.sin(k / 20) + data.qfrc_bias[:6]


def split_around(compiled, data, sample):
    mujoco.mj_step1(compiled, data)
    sample()
    mujoco.mj_step2(compiled, data)


def before_and_after(compiled, data, sample):
    sample()
    mujoco.mj_step(compiled, data)
    sample()


def before(compiled, data, sample):
    sample()
    mujoco.mj_step(compiled, data)


def thrice_after(compiled, data, sample):
    mujoco.mj_step(compiled, data)
    for _ in range(3):
        sample()


def twice_after_two(compiled, data, sample):
    for _ in range(2):
        mujoco.mj_step(compiled, data)
    for _ in range(2):
        sample()


@pytest.mark.parametrize("act", [falling, driven])
@pytest.mark.parametrize("name", ["EULER", "RK4"])
@pytest.mark.parametrize(
    ("step", "kinds"),
    [(split_around, []), (before_and_after, []), (before, []), (thrice_after, []),
     (twice_after_two, [])],
)  # fmt: skip
def test_samples_are_told_from_steps_wherever_they_are_taken(act, name, step, kinds):
    if (name, step) == ("RK4", split_around):
        kinds = ["foreign step"]
    compiled = specification().compile()
    integrator(name)(compiled)
    data = mujoco.MjData(compiled)
    data.qpos[:6] = START
    watch = sim.watch(compiled, data, UR10)
    for k in range(70):
        act(compiled, data, k)
        step(compiled, data, watch.sample)
    found = diagnose(watch.evidence())
    assert [cause.kind for cause in found.causes if cause.is_error] == kinds
    assert "sampled twice" in [cause.kind for cause in found.causes]
    assert (found.left < 1e-9 or kinds) and (found.evidence.steps == 1).all()
    assert found.evidence.count == (
        140 if step is twice_after_two else 69 + (step not in (before, split_around))
    )


def test_steps_between_samples_are_replayed_where_controls_are_held():
    """As by environments that repeat an action, and between resets."""
    compiled = specification().compile()
    DAMPED(compiled)
    data = mujoco.MjData(compiled)
    watch = sim.watch(compiled, data, UR10)
    for k in range(120):
        if k == 70:
            mujoco.mj_resetData(compiled, data)
        data.ctrl[:6] = data.qfrc_bias + INERTIA * np.sin(k / 20)
        mujoco.mj_step(compiled, data, nstep=4)
        watch.sample()
    found = diagnose(watch.evidence())
    assert found.evidence.count == 476 and found.left < 1e-9
    kinds = [cause.kind for cause in found.causes if cause.is_error]
    assert kinds == ["joint damping"]
    [note] = (cause.text for cause in found.causes if cause.kind == "new episode")
    assert "before step 281 (0.28 s)" in note and "4 steps are left out" in note
    assert any("360 steps between the samples" in cause.text for cause in found.causes)


def test_an_arm_that_falls_is_judged_by_its_weight(tmp_path):
    """Its torques are zero but for rounding, and no scale of it."""
    compiled = specification().compile()
    data = mujoco.MjData(compiled)
    data.qpos[:6] = START
    watch = sim.watch(compiled, data, UR10)
    for _ in range(1000):
        mujoco.mj_step(compiled, data)
        watch.sample()
    facts = watch.save(tmp_path / "fall").run.watched
    assert not facts.errors and facts.residual < 1e-10


@pytest.mark.parametrize(("name", "factor"), [("body_mass", 1.5), ("dof_damping", 2)])
def test_a_model_that_the_loop_edits_is_named(name, factor):
    def edit(compiled, data):
        getattr(compiled, name)[:] *= factor

    found = diagnose(mujoco_loop(act=at(150, edit), model=DAMPED).evidence())
    (cause,) = (cause for cause in found.causes if cause.kind == "changed in the loop")
    assert cause.text.startswith(f"the loop changes model.{name}, before step 151")
    assert not any(cause.kind in ("foreign step", "unexplained") for cause in found.causes)


@pytest.mark.parametrize("calls", [False, True])
def test_masses_edited_without_mj_setconst_are_named(tmp_path, calls):
    """The mass matrix of a carriage is that of the compiler, its weight that of `body_mass`."""
    path = tmp_path / "carriage.xml"
    path.write_text(
        '<mujoco><worldbody><body name="a"><joint name="j1" type="slide"/><geom size=".1" '
        'mass="2"/></body></worldbody><actuator><motor joint="j1"/></actuator></mujoco>'
    )
    compiled = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(compiled)
    compiled.body_mass[1] = 3
    if calls:
        mujoco.mj_setConst(compiled, data)
    watch = sim.watch(compiled, data, robot=path)
    for k in range(60):
        data.ctrl[:] = 20 + 8 * np.sin(k / 20)
        mujoco.mj_step(compiled, data)
        watch.sample()
    found = diagnose(watch.evidence())
    assert {cause.kind for cause in found.causes if cause.is_error} == {
        "link mass",
        *(() if calls else ("stale constants",)),
    }
    assert "-1 kg at j1" in found.causes[-1].text + found.causes[0].text or calls
    assert found.left < 1e-12


def test_the_same_peak_after_every_reset_is_no_torque_limit():
    def reset(compiled, data, k):
        if k % 20 == 0:
            mujoco.mj_resetData(compiled, data)
            data.qpos[:6] = START

    found = diagnose(mujoco_loop(act=reset).evidence())
    assert "torque limit" not in [cause.kind for cause in found.causes]
    assert "new episode" in [cause.kind for cause in found.causes]


PAIRED = ("damping", "armature", "gravcomp", "payload", "springs", "tilted base", "gravity")


@pytest.mark.parametrize("names", [*itertools.combinations(PAIRED, 2)], ids="+".join)
def test_both_of_two_planted_mistakes_are_named(names):
    options, kinds = {}, []
    for name in names:
        one, own_kinds, _ = MISTAKES[name]
        kinds += own_kinds
        for key, change in one.items():
            former = options.get(key)
            options[key] = change if former is None else _after(former, change)
    found = diagnose(mujoco_loop(**options, count=60).evidence())
    assert sorted(cause.kind for cause in found.causes if cause.is_error) == sorted(kinds)
    assert found.left < 1e-9


def _after(first, second):
    return lambda subject: (first(subject), second(subject))


def test_a_right_loop_passes_and_its_folder_is_read(tmp_path, capsys):
    recording = mujoco_loop().save(tmp_path / "right")
    assert recording.passed
    assert recording.run.watched.residual < 1e-12
    assert status(["check", str(tmp_path / "right")]) == 0
    mujoco_loop(model=DAMPED).save(tmp_path / "wrong")
    assert status(["check", str(tmp_path / "wrong")]) == 1
    assert "cause    damping 32 N·m·s/rad at shoulder_pan_joint" in capsys.readouterr().out


def test_a_model_without_the_joints_is_refused():
    compiled = specification().compile()
    with pytest.raises(EngineError, match="has no joint 'joint_1'"):
        sim.watch(compiled, mujoco.MjData(compiled), "kr210")


def test_a_loop_that_never_samples_is_refused():
    compiled = specification().compile()
    watch = sim.watch(compiled, mujoco.MjData(compiled), UR10)
    with pytest.raises(EngineError, match="sampled 0 times"):
        watch.evidence()


def test_wrapped_models_and_data_are_watched():
    """As those of dm_control's physics."""
    compiled = specification().compile()
    data = mujoco.MjData(compiled)
    wrapped = (type("Wrapper", (), {"ptr": one})() for one in (compiled, data))
    assert sim.watch(*wrapped, UR10).data is data


def test_missing_and_repeated_samples_are_named():
    compiled = specification().compile()
    data = mujoco.MjData(compiled)
    watch = sim.watch(compiled, data, UR10)
    for k in range(100):
        data.ctrl[:6] = 5 * np.sin(k / 20)
        mujoco.mj_step(compiled, data)
        if k != 40:
            watch.sample()
    found = diagnose(watch.evidence())
    (missing,) = (cause for cause in found.causes if cause.is_error)
    assert "2 engine steps a sample in 1 of 99 samples, the first is sample 41" in missing.text
    data = mujoco.MjData(compiled)
    data.ctrl[:6] = 5
    watch = sim.watch(compiled, data, UR10)
    for _ in range(50):  # no multiple of the samples after which time is read
        mujoco.mj_step(compiled, data)
        watch.sample()
        watch.sample()
    causes = diagnose(watch.evidence()).causes
    assert not any(cause.is_error for cause in causes)
    (note,) = (cause for cause in causes if cause.kind == "sampled twice")
    assert note.text.startswith("50 samples")


@pytest.mark.parametrize(
    ("subject", "options", "match"),
    [
        (lambda model: None, {}, "takes pybullet and the number of a body, or an MjModel"),
        (lambda model: mujoco.MjData(mujoco.MjModel.from_xml_string(
            "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")),
         {}, "of another model: it has 1 positions, this model 6"),
        (mujoco.MjData, {"gravity": (1, 2)}, "gravity takes three finite numbers"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_refused(subject, options, match):
    compiled = specification().compile()
    with pytest.raises(EngineError, match=match):
        sim.watch(compiled, subject(compiled), UR10, **options)


def test_springs_and_rotors_that_the_model_has_too_are_no_causes(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(
        '<mujoco><option timestep="0.001"/><worldbody><body name="a"><joint name="j1" axis="0 1 0" '
        'armature="0.02" stiffness="3" springref="20"/><geom type="capsule" size="0.03" '
        'fromto="0 0 0 0.4 0 0" mass="2"/></body></worldbody><actuator><motor name="m1" '
        'joint="j1"/></actuator></mujoco>'
    )
    compiled = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(compiled)
    watch = sim.watch(compiled, data, robot=path)
    for k in range(100):
        data.ctrl[:] = 8 * np.sin(k / 50)
        mujoco.mj_step(compiled, data)
        watch.sample()
    found = diagnose(watch.evidence())
    assert [cause.kind for cause in found.causes if cause.is_error] == []
    assert found.residual < 1e-9


WHEEL = """<mujoco><worldbody><body name="wheel"><joint name="spin" axis="0 1 0" armature="0.5"/>
<inertial pos="0 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody>
<actuator><motor joint="spin"/></actuator></mujoco>"""


def watched_wheel(path, edit):
    """A loop of a wheel with a rotor, which its file has not, after an edit of the model."""
    path.write_text(WHEEL.replace('armature="0.5"', ""))
    model = mujoco.MjModel.from_xml_string(WHEEL)
    exec(edit, {"mujoco": mujoco, "model": model})
    data = mujoco.MjData(model)
    watch = sim.watch(model, data, path)
    for k in range(100):
        data.ctrl[:] = 0.01 * np.cos(0.02 * k)
        mujoco.mj_step(model, data)
        watch.sample()
    return [cause for cause in diagnose(watch.evidence()).causes if cause.is_error]


def test_the_remedy_of_armature_holds_for_a_mass_centre_on_the_axis(tmp_path):
    """MuJoCo keeps the compiled inertia of such a body until `mj_setConst`."""
    (cause,) = watched_wheel(tmp_path / "wheel.xml", "")
    remedy, other = cause.remedy.split(", or ")
    assert (cause.kind, other) == ("armature", "a drive train in the model")
    assert watched_wheel(tmp_path / "wheel.xml", remedy) == []


@pytest.mark.parametrize(
    ("act", "own", "text"),
    [(pushed, None, "xfrc_applied on forearm_link in 200 of 200 steps, up to 9.434 N and 0 N·m"),
     (left_on, None, "up to 4 N·m at shoulder_lift_joint"),
     (left_on, lambda d, b: d.qfrc_actuator[:6].copy(), "up to 4 N·m at shoulder_lift_joint")],
)  # fmt: skip
def test_forces_that_a_loop_applies_are_counted_in_and_noted(tmp_path, act, own, text):
    recording = mujoco_loop(act=act, own=own).save(tmp_path / "pushed")
    notes = [cause.text for cause in recording.run.watched.causes]
    assert recording.passed and recording.run.watched.left < 1e-12
    assert any(text in note and note.endswith("included") for note in notes)


WRIST = 6  # a body


def moving_force(begin, end):
    """A force on a body that changes in each of some steps."""

    def act(model, data, k):
        data.xfrc_applied[WRIST, 0] = 20 * np.sin(1 + k / 3) if begin <= k < end else 0.0

    return act


@pytest.mark.parametrize(("begin", "unread"), [(0, 0), (100, 31)])
def test_a_force_on_a_body_that_changes_in_each_step_is_read(begin, unread):
    found = diagnose(mujoco_loop(act=moving_force(begin, 200)).evidence())
    assert not any(cause.is_error for cause in found.causes) and found.left < 1e-9
    assert "external force" in [cause.kind for cause in found.causes]
    notes = [cause.text for cause in found.causes if cause.kind == "unread force"]
    assert [text.split()[0] for text in notes] == ([str(unread)] if unread else [])


def test_a_force_that_is_never_read_is_said_to_be_possible():
    found = diagnose(mujoco_loop(act=moving_force(100, 120)).evidence())
    [error] = [cause for cause in found.causes if cause.is_error]
    assert error.kind == "foreign step" and "xfrc_applied" in error.text


def test_a_mocap_body_that_moves_the_arm_is_read():
    def tied(spec):
        spec.worldbody.add_body(name="hand", mocap=True, pos=[0.5, 0, 1])
        weld = spec.add_equality(type=mujoco.mjtEq.mjEQ_WELD, objtype=mujoco.mjtObj.mjOBJ_BODY)
        weld.name1, weld.name2 = "hand", "wrist_3_link"

    def act(model, data, k):
        data.mocap_pos[0, 0] = 0.5 + 0.1 * np.sin(k / 20)

    found = diagnose(mujoco_loop(tied, act=act).evidence())
    assert "foreign step" not in {cause.kind for cause in found.causes}
    assert "equality" in {cause.kind for cause in found.causes} and found.left < 1e-9
