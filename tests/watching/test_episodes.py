"""Watched loops that set new states, as between episodes: each piece is judged by itself."""

import mujoco
import numpy as np
import pybullet as p
import pytest

import sim
from sim.watching.diagnose import diagnose
from tests.helpers.watched_loops import START, UR10, bullet_loop, torques, velocities
from tests.watching.test_bullet_watch import Late
from tests.watching.test_mujoco_watch import INERTIA, specification


def by_joints(body, number):
    for joint, angle in enumerate(START):
        p.resetJointState(body, joint, angle + 0.01 * number, 0.1)


def far_away(body, number):
    for joint, angle in enumerate(START):
        p.resetJointState(body, joint, angle + 0.8 * (-1) ** number, 1.0)


push = p.applyExternalForce  # which a watch does not see


def pushed_unseen(body, k):
    push(body, 3, [3, -4, 5], [0, 0, 0], p.LINK_FRAME)
    velocities(body, k)


def by_saved_state(body, number):
    if number == 1:
        by_saved_state.kept = p.saveState()
    p.restoreState(by_saved_state.kept)


def in_episodes(begin=by_joints, *, length=60, command=velocities):
    def step(body, k):
        if k and k % length == 0:
            begin(body, k // length)
        command(body, k)

    return step


def found_in(watch):
    found = diagnose(watch.evidence())
    errors = [cause.kind for cause in found.causes if cause.is_error]
    notes = [cause.text for cause in found.causes if cause.kind == "new episode"]
    return found, errors, notes


@pytest.mark.parametrize("begin", [by_joints, by_saved_state])
@pytest.mark.parametrize("command", [velocities, torques])
def test_episodes_of_a_right_loop_pass(tmp_path, begin, command):
    watch = bullet_loop(command=in_episodes(begin, command=command))
    found, errors, [note] = found_in(watch)
    assert not errors and found.residual < 1e-9
    assert note.startswith("the loop sets a new state before step 61 (0.25 s), 121 (0.5 s)")
    assert found.evidence.count == 300 - 4 and "4 steps are left out" in note
    checks = watch.save(tmp_path / "episodes").run.checks
    assert {check.name for check in checks if not check.ok} <= {"rated torque", "rated speed"}


@pytest.mark.parametrize(
    ("options", "kind"),
    [({"is_damped": True}, "link damping"), ({"is_tool_heavy": True}, "massless link"),
     ({"own_torque": Late(1)}, "torque of the step before"),
     ({"own_torque": Late(2)}, "torque of the step before the last")],
)  # fmt: skip
def test_mistakes_are_named_beside_episodes(options, kind):
    found, errors, notes = found_in(bullet_loop(command=in_episodes(), **options))
    assert errors == [kind] and found.left < 1e-9 and notes


def test_a_force_in_axes_of_the_step_before_is_named_beside_episodes():
    """PyBullet has the axes of a link from the state that was set."""
    loop = bullet_loop(command=in_episodes(far_away, length=20, command=pushed_unseen))
    found, errors, notes = found_in(loop)
    assert errors == ["force in link axes"] and found.left < 1e-9 and notes


def some_joints(body, number):
    for joint in range(3):
        p.resetJointState(body, joint, START[joint] + 0.01)


@pytest.mark.parametrize(("begin", "length"), [(some_joints, 60), (by_joints, 1)])
def test_a_part_of_a_state_or_every_state_set_by_hand_is_an_error(begin, length):
    _, errors, notes = found_in(bullet_loop(command=in_episodes(begin, length=length)))
    assert errors == ["state set by hand"] and not notes


def mujoco_episodes(
    length=50, *, each=1, resets=True, restarts=False, jump=None, count=200, ends=False
):
    """A loop with a new state every `length` samples of `each` steps; `jump` is a sample.

    If it `ends` as environments do, it is reset after the last sample.
    """
    model, random = specification().compile(), np.random.default_rng(1)
    data = mujoco.MjData(model)
    data.qpos[:6] = START
    watch = sim.watch(model, data, UR10)
    for k in range(count):
        if k and k % length == 0:
            if resets:
                mujoco.mj_resetData(model, data)
            if restarts:
                watch.restart()
            data.qpos[:6] = START + 0.01 * random.normal(size=6)
            data.qvel[:] = 0.1 * random.normal(size=6)
        if k == jump:
            data.qpos[2] += 0.01
        data.ctrl[:6] = data.qfrc_bias + INERTIA * np.sin(k / 9)
        mujoco.mj_step(model, data, nstep=each)
        watch.sample()
    if ends:
        mujoco.mj_resetData(model, data)
    return watch


@pytest.mark.parametrize(
    "options",
    [{}, {"length": 65, "ends": True}, {"length": 3}, {"length": 20}, {"each": 5},
     {"each": 4, "length": 8},
     {"resets": False, "restarts": True}, {"resets": False, "restarts": True, "each": 5},
     {"restarts": True, "length": 33}],
    ids=str,
)  # fmt: skip
def test_episodes_of_a_right_mujoco_loop_pass(options):
    watch = mujoco_episodes(**options)
    found, errors, [note] = found_in(watch)
    each, length = options.get("each", 1), options.get("length", 50)
    resets = (200 - 1) // length
    assert not errors and found.residual < 1e-9
    assert found.evidence.count == each * (200 - resets)
    assert note.startswith(f"the loop sets a new state before step {each * length + 1} (")


FILTERED = """<mujoco><option timestep="0.002"/><worldbody><body pos="0 0 1"><joint name="h1"
axis="0 1 0"/><geom type="capsule" size=".03" fromto="0 0 0 .4 0 0"/></body></worldbody><actuator>
<general joint="h1" dyntype="filter" dynprm=".05" gainprm="20"/></actuator></mujoco>"""


@pytest.mark.parametrize("each", [1, 5])
def test_activations_are_reset_too(each):
    model = mujoco.MjModel.from_xml_string(FILTERED)
    data = mujoco.MjData(model)
    watch = sim.watch(model, data)
    for k in range(200):
        if k and k % 70 == 0:
            mujoco.mj_resetData(model, data)
        data.ctrl[0] = np.sin(k / 20)
        mujoco.mj_step(model, data, nstep=each)
        watch.sample()
    found, errors, notes = found_in(watch)
    assert not errors and notes and found.residual < 1e-9


@pytest.mark.parametrize(
    "after",
    [mujoco.mj_inverse, mujoco.mj_forward, mujoco.mj_step1, mujoco.mj_fwdPosition],
)
def test_what_a_loop_computes_after_a_step_changes_no_verdict(after):
    """Constraints act, whose solver begins at the accelerations of the last call."""
    xml = FILTERED.replace('name="h1"', 'name="h1" frictionloss="0.4" range="-40 20"')
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    watch = sim.watch(model, data)
    for k in range(200):
        data.ctrl[0] = np.sin(k / 20)
        mujoco.mj_step(model, data)
        after(model, data)
        watch.sample()
    found, errors, _ = found_in(watch)
    assert set(errors) <= {"joint limit", "frictionloss"} and found.left < 1e-9
    assert found.evidence.count == 200


@pytest.mark.parametrize(
    ("options", "step"), [({"jump": 75, "length": 100}, 76), ({"resets": False}, 51)]
)
def test_a_jump_that_is_not_announced_is_named(options, step):
    found, errors, _ = found_in(mujoco_episodes(**options))
    assert errors == ["state set by hand"]
    [text] = (cause.text for cause in found.causes if cause.is_error)
    assert f"before step {step}" in text and found.left < 1e-9


def test_a_reset_by_mujoco_itself_is_an_error(tmp_path, monkeypatch):
    """It resets a motion that diverges, which a replay repeats."""
    model = specification().compile()
    model.dof_damping[:] = 5000 * INERTIA  # explicit: more than two per step of 1 ms
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    data = mujoco.MjData(model)
    data.qpos[:6] = START
    watch = sim.watch(model, data, UR10)
    monkeypatch.chdir(tmp_path)  # of MuJoCo's log
    for _ in range(100):
        mujoco.mj_step(model, data)
        watch.sample()
    _, errors, notes = found_in(watch)
    assert errors == ["reset"] and not notes
