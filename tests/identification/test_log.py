import json
from pathlib import Path

import numpy as np
import pandas as pd
import pybullet_data
import pytest
from scipy.io import savemat

from sim.errors import ForeignError
from sim.foreign import Naming
from sim.identification import Log, suspicions
from sim.identification.arm_chain import arm_rows, last_arm_link
from sim.robots import load_robot
from tests.helpers.robot_logs import clean_log, columns_of, csv_text

UR10 = load_robot("ur10")


@pytest.fixture(scope="module")
def log():
    return clean_log(UR10)


def numbered(log, names=("actual_q", "actual_qd", "actual_current")):
    found = {"timestamp": log.t}
    for name, rows in zip(names, (log.q, log.qd, log.tau), strict=True):
        found |= {f"{name}_{k}": row for k, row in enumerate(rows)}
    return found


def same(one, other):
    assert one.joints == other.joints
    for name in ("t", "q", "qd", "tau"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-8, atol=1e-8)


def test_a_log_is_the_same_from_every_kind_of_file(log, tmp_path):
    columns = columns_of(log)
    (tmp_path / "log.csv").write_text(csv_text(columns))
    pd.DataFrame(columns).to_parquet(tmp_path / "log.parquet", index=False)
    savemat(tmp_path / "log.mat", {"t": log.t, "q": log.q.T, "qd": log.qd.T, "tau": log.tau.T})
    for name in ("log.csv", "log.parquet", "log.mat"):
        same(Log.read(tmp_path / name, UR10), log)


def test_currents_need_a_gain_for_every_joint(log, tmp_path):
    path = tmp_path / "rtde.csv"
    gains = dict(zip(log.joints, (13.6, 14.3, 11.4, 11.2, 11.8, 11.8), strict=True))
    scale = np.array([*gains.values()])[:, None]
    amperes = Log(log.joints, log.t, log.q, log.tau / scale, log.qd)
    path.write_text(csv_text(numbered(amperes)))
    with pytest.raises(ForeignError, match=r"motor currents and no torques.*--gain"):
        Log.read(path, UR10)
    with pytest.raises(ForeignError, match="--gain of wrist_3_joint is missing"):
        Log.read(path, UR10, gains={k: v for k, v in gains.items() if k != "wrist_3_joint"})
    found = Log.read(path, UR10, gains=gains)
    same(found, log)
    assert "motor currents times 13.6" in found.torque_from


def test_currents_as_torques_of_a_universal_robot_are_torques(log, tmp_path):
    """RTDE of PolyScope 5.23 writes both; the column beside it is in amperes."""
    columns = numbered(log, ("actual_q", "actual_qd", "actual_current_as_torque"))
    columns |= {f"actual_current_{k}": row / 12.0 for k, row in enumerate(log.tau)}
    path = tmp_path / "rtde.csv"
    path.write_text(csv_text(columns))
    same(Log.read(path, UR10), log)


def test_target_moments_are_no_measurement(log, tmp_path):
    path = tmp_path / "rtde.csv"
    path.write_text(csv_text(numbered(log, ("actual_q", "actual_qd", "target_moment"))))
    with pytest.raises(ForeignError, match=r"no torque of .*target_moment is the controller's own"):
        Log.read(path, UR10)


def test_a_table_without_titles_is_taken_by_its_width(log, tmp_path):
    path = tmp_path / "bare.csv"
    path.write_text(csv_text(columns_of(log), titles=False))
    found = Log.read(path, UR10)
    same(found, log)
    assert "no titles; taken as t, q of 6 joints" in found.notes[0]


def test_a_last_line_that_is_cut_off_is_left_out(log, tmp_path):
    path = tmp_path / "cut.csv"
    text = csv_text(columns_of(log))
    path.write_text(text[: -len(text.splitlines()[-1]) // 2])
    found = Log.read(path, UR10)
    assert found.t.size == log.t.size - 1
    np.testing.assert_allclose(found.tau, log.tau[:, :-1], rtol=1e-8, atol=1e-8)


def test_times_that_repeat_are_left_out_and_those_that_go_back_refused(log, tmp_path):
    columns = columns_of(log)
    t = log.t.copy()
    t[500] = t[499]
    (tmp_path / "again.csv").write_text(csv_text(columns | {"t": t}))
    found = Log.read(tmp_path / "again.csv", UR10)
    assert found.t.size == log.t.size - 1
    assert "1 samples repeat" in found.notes[0]
    t[500] = t[490]
    (tmp_path / "back.csv").write_text(csv_text(columns | {"t": t}))
    with pytest.raises(ForeignError, match=r"times must ascend.*line 502"):
        Log.read(tmp_path / "back.csv", UR10)


def test_degrees_are_taken_where_they_are_told(log, tmp_path):
    path = tmp_path / "degrees.csv"
    columns = columns_of(log)
    columns |= {f"q.{name}": np.degrees(row) for name, row in zip(log.joints, log.q, strict=True)}
    path.write_text(csv_text(columns))
    units = {f"q.{name}": "deg" for name in log.joints}
    same(Log.read(path, UR10, Naming(units=units)), log)


def test_too_few_samples_are_refused(log):
    with pytest.raises(ForeignError, match=r"50 samples; .* at least 100"):
        Log(log.joints, log.t[:50], log.q[:, :50], log.tau[:, :50])


def test_nothing_is_doubtful_in_a_log_as_it_is(log):
    assert suspicions(UR10, log) == ()


@pytest.mark.parametrize(
    ("q", "qd", "tau", "says"),
    [
        (np.degrees, None, None, "one of them is in degrees"),
        (np.degrees, np.degrees, None, "positions are in degrees"),
        (lambda x: x[[2, 1, 0, 3, 4, 5]],) * 3
        + ("joints shoulder_pan_joint and elbow_joint are swapped",),
        (None, None, lambda x: x[[0, 2, 1, 3, 4, 5]], "torques of shoulder_lift_joint and elbow"),
        (None, None, lambda x: x * np.c_[[1, -1, 1, 1, 1, 1]], "shoulder_lift_joint has the other"),
        (None, None, np.negative, "torques have the other sign"),
        (None, None, lambda x: 1e3 * x, "torques are in N*mm"),
        (None, None, lambda x: x / np.c_[[13.6, 14.3, 11.4, 11.2, 11.8, 11.8]], "as currents"),
        (lambda x: x - np.pi / 2 * np.c_[[0, 1, 0, 0, 0, 0]], None, None, "another zero, -90°"),
        (None, None, np.cos, "far smaller than this robot's drives need"),
        (np.degrees, np.degrees, lambda x: x / 12, "% if positions are in degrees"),
    ],
)
def test_another_reading_is_named_where_the_model_prefers_it(log, q, qd, tau, says):
    def read(change, rows):
        return rows if change is None else change(rows)

    wrong = Log(log.joints, log.t, read(q, log.q), read(tau, log.tau), read(qd, log.qd))
    grave = [doubt.text for doubt in suspicions(UR10, wrong) if doubt.is_grave]
    assert grave
    assert says in " ".join(grave)


@pytest.mark.parametrize(
    "names",
    [
        ("q", "dq", "tau_J"),
        ("position_joint", "velocity_joint", "effort_joint"),
        ("joint_{}_pos", "joint_{}_vel", "joint_{}_torque"),
        ("J{}.position", "J{}.velocity", "J{}.measured_torque"),
        ("q_rad_{}", "v_rad_s_{}", "tau_Nm_{}"),
        ("/joint_states/position[{}]", "/joint_states/velocity[{}]", "/joint_states/effort[{}]"),
        ("pos_a{}", "vel_a{}", "torque_a{}"),
        ("actuators[{}].position", "actuators[{}].velocity", "actuators[{}].torque"),
        ("qpos[{}]", "qvel[{}]", "qfrc_actuator[{}]"),
        ("q_{}", "qp_{}", "tau_{}"),
    ],
)
def test_numbered_columns_are_found_by_what_recorders_call_them(log, tmp_path, names):
    columns = {"time": log.t}
    for name, rows in zip(names, (log.q, log.qd, log.tau), strict=True):
        form = name if "{}" in name else name + "_{}"
        columns |= {form.format(k + 1): row for k, row in enumerate(rows)}
    (tmp_path / "log.csv").write_text(csv_text(columns))
    same(Log.read(tmp_path / "log.csv", UR10), log)


def test_joints_that_a_log_does_not_have_may_be_held(log, tmp_path):
    path = tmp_path / "log.csv"
    columns = columns_of(log)
    wrist = {f"{group}.wrist_3_joint" for group in ("q", "qd", "tau")}
    path.write_text(csv_text({k: v for k, v in columns.items() if k not in wrist}))
    with pytest.raises(ForeignError, match="or --hold wrist_3_joint=POSITION"):
        Log.read(path, UR10)
    found = Log.read(path, UR10, held={"wrist_3_joint": 0.2})
    np.testing.assert_array_equal(found.q[5], 0.2)
    np.testing.assert_allclose(found.tau[:5], log.tau[:5], rtol=1e-8, atol=1e-8)
    assert "wrist_3_joint is not in the log" in found.notes[-1]
    assert not any(doubt.is_grave for doubt in suspicions(UR10, found))
    with pytest.raises(ForeignError, match="has the position of elbow_joint"):
        Log.read(path, UR10, held={"elbow_joint": 0.0, "wrist_3_joint": 0.0})
    with pytest.raises(ForeignError, match="every joint"):
        path.write_text(csv_text({"t": log.t, "tau.elbow_joint": log.tau[2]}))
        Log.read(path, UR10, held=dict.fromkeys(UR10.row_names, 0.0))


def test_a_data_set_of_lerobot_is_read_by_its_vectors_episode_by_episode(log, tmp_path):
    """Two halves as episodes whose times both begin at 0; entries named by joints, or numbered."""
    half = log.t.size // 2
    t = np.concatenate([log.t[:half], log.t[half:] - log.t[half]])
    columns = {"timestamp": t, "episode_index": np.repeat([0, 1], half)}
    vectors = {"state": log.q, "velocity": log.qd, "effort": log.tau}
    columns |= {f"observation.{name}": list(rows.T) for name, rows in vectors.items()}
    columns["action"] = list(log.q.T)
    path = tmp_path / "episodes.parquet"
    pd.DataFrame(columns).to_parquet(path, index=False)
    found = Log.read(path, UR10)
    for name in ("q", "qd", "tau"):
        np.testing.assert_allclose(getattr(found, name), getattr(log, name), rtol=1e-8, atol=1e-8)
    assert "2 episodes" in found.notes[0]
    assert np.flatnonzero(np.diff(found.t) > 1) == half - 1
    names = [f"{name}.pos" for name in UR10.joint_names]
    info = {"fps": 100, "features": {"observation.state": {"names": names[::-1]}}}
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta/info.json").write_text(json.dumps(info))
    columns["observation.state"] = list(log.q[::-1].T)
    pd.DataFrame(columns).to_parquet(path, index=False)
    np.testing.assert_allclose(Log.read(path, UR10).q, log.q, rtol=1e-8, atol=1e-8)


def test_paths_with_joints_in_them_are_found_and_what_was_only_wanted_is_not(log, tmp_path):
    columns = {"time": log.t}
    for group, rows in (("position", log.q), ("velocity", log.qd), ("effort", log.tau)):
        columns |= {f"/joint_states/{n}/{group}": x for n, x in zip(log.joints, rows, strict=True)}
    columns |= {f"action.{n}.position": 0 * x for n, x in zip(log.joints, log.q, strict=True)}
    path = tmp_path / "paths.csv"
    path.write_text(csv_text(columns))
    same(Log.read(path, UR10), log)


def test_times_in_milliseconds_are_named(log):
    late = Log(log.joints, 1000 * log.t, log.q, log.tau, log.qd)
    assert "times are in ms; set --unit TIME=ms" in suspicions(UR10, late)[0].text


@pytest.mark.parametrize(
    "names",
    [("theta", "theta_dot", "tau_m"), ("ActPos", "ActVel", "ActTrq"), ("a.q", "a.dq", "a.tau")],
)
def test_groups_go_by_the_names_that_recorders_give_them(log, tmp_path, names):
    path = tmp_path / "names.csv"
    path.write_text(csv_text(numbered(log, names)))
    same(Log.read(path, UR10), log)


def test_recordings_one_after_the_other_are_apart_and_samples_out_of_order_are_refused(
    log, tmp_path
):
    t = np.resize(log.t[:100], log.t.size)
    path = tmp_path / "anew.csv"
    path.write_text(csv_text(numbered(log, ("q", "qd", "tau")) | {"timestamp": t}))
    found = Log.read(path, UR10)
    assert np.diff(found.t).min() > 0 and np.diff(found.t)[99] == pytest.approx(10.0)
    np.testing.assert_allclose(found.q, log.q, rtol=1e-8)
    t[40] = t[20]
    path.write_text(csv_text(numbered(log, ("q", "qd", "tau")) | {"timestamp": t}))
    with pytest.raises(ForeignError, match="times must ascend"):
        Log.read(path, UR10)


@pytest.mark.parametrize(
    ("title", "second"), [("time_s", 1), ("Timestamp_ms", 1e3), ("t_us", 1e6), ("time_ns", 1e9)]
)
def test_a_clock_has_its_unit_in_its_title(log, tmp_path, title, second):
    columns = numbered(log, ("q", "qd", "tau"))
    path = tmp_path / "clock.csv"
    path.write_text(csv_text({title: second * columns.pop("timestamp"), **columns}))
    same(Log.read(path, UR10), log)


@pytest.fixture(scope="module")
def gripper():
    """Franka's arm with a hand of two fingers, the second of which follows the first."""
    return load_robot(Path(pybullet_data.getDataPath()) / "franka_panda/panda.urdf")


def test_fingers_that_a_log_does_not_have_are_held_and_a_joint_of_the_arm_is_not(gripper, tmp_path):
    t, rows = np.arange(200) / 100, np.random.default_rng(0).normal(size=(21, 200))
    groups = ("q", "dq", "tau_J")
    titles = ["time", *(f"{group}_{k}" for group in groups for k in range(1, 8))]
    columns = dict(zip(titles, (t, *rows), strict=True))
    (tmp_path / "arm.csv").write_text(csv_text(columns))
    (tmp_path / "bare.csv").write_text(csv_text(columns, titles=False))
    for name in ("arm.csv", "bare.csv"):
        found = Log.read(tmp_path / name, gripper)
        np.testing.assert_allclose(found.q[:7], rows[:7], rtol=1e-8)
        np.testing.assert_array_equal(found.q[7:], 0.0)
        assert "panda_finger_joint1 is not in the log; taken as held at 0" in found.notes
    (tmp_path / "six.csv").write_text(csv_text({k: v for k, v in columns.items() if "7" not in k}))
    with pytest.raises(ForeignError):
        Log.read(tmp_path / "six.csv", gripper)


def test_the_arm_ends_where_a_gripper_branches_off(gripper):
    assert arm_rows(gripper) == gripper.row_names[:7]
    assert last_arm_link(gripper) == "panda_hand"
    assert arm_rows(UR10) == UR10.row_names


@pytest.mark.parametrize(("second", "unit"), [(1e3, "ms"), (1e6, "us"), (1e9, "ns")])
def test_times_without_a_unit_are_taken_as_what_a_recorder_can_mean(log, second, unit, tmp_path):
    path = tmp_path / "log.csv"
    pd.DataFrame(columns_of(log) | {"t": second * log.t + 1e6 * second}).to_csv(path, index=False)
    found = Log.read(path, UR10)
    np.testing.assert_allclose(found.t - 1e6, log.t, atol=1e-6)
    assert f"times are taken as {unit}" in found.notes[0]


@pytest.mark.rotates(2)
@pytest.mark.parametrize(
    ("title", "second"),
    [
        ("__time", 1),
        ("timestamp", 1e9),
        ("stamp", 1e3),
        ("Time Stamp", 1e6),
        ("/joint_states/header/stamp", 1),
        ("rosbagTimestamp", 1e9),
        ("Time [s]", 1),
        ("Time (ms)", 1e3),
    ],
)
def test_clocks_of_loggers_count_from_the_first_sample(log, tmp_path, title, second):
    """Since 1970, in the unit that their size shows; within the digits of such a time."""
    path = tmp_path / "clock.csv"
    columns = columns_of(log)
    t = (columns.pop("t") + 1.7e9) * second
    pd.DataFrame({title: t.astype(np.int64) if second > 1 else t, **columns}).to_csv(
        path, index=False
    )
    found = Log.read(path, UR10)
    np.testing.assert_allclose(found.t, log.t, rtol=0, atol=1.1e-3 if second == 1e3 else 1e-5)
    assert any("count from the first sample, 1700000000.0" in note for note in found.notes)
    path.write_text(path.read_text())
    shifted = Log.read(path, UR10, Naming(start=1.7e9))
    np.testing.assert_allclose(shifted.t, found.t, rtol=0, atol=1e-5)


def test_first_samples_without_efforts_are_left_out_with_their_count(log, tmp_path):
    path = tmp_path / "late.csv"
    frame = pd.DataFrame(columns_of(log))
    frame.loc[:36, [f"tau.{name}" for name in log.joints]] = np.nan
    for text in ("", "nan"):
        frame.to_csv(path, index=False, na_rep=text)
        found = Log.read(path, UR10)
        np.testing.assert_allclose(found.t, log.t[37:])
        np.testing.assert_allclose(found.tau, log.tau[:, 37:], rtol=1e-9)
        assert "the first 37 samples are left out: tau." in found.notes[0]
    frame.loc[500, "tau.elbow_joint"] = np.nan
    frame.to_csv(path, index=False, na_rep="nan")
    with pytest.raises(ForeignError, match=r"tau\.\S+' has 'nan' in line 2,"):
        Log.read(path, UR10)


@pytest.mark.parametrize("cells", ["", ",", ",,", ",7,"])
def test_empty_titles_at_the_end_are_no_columns(log, tmp_path, cells):
    """As spreadsheets write them, with cells below them or not."""
    first, *rows = csv_text(columns_of(log)).splitlines()
    path = tmp_path / "wide.csv"
    path.write_text("\n".join([first + ",,", *(row + cells for row in rows)]))
    same(Log.read(path, UR10), log)


def test_extreme_numbers_are_refused_by_joint_and_time(log):
    q = log.q.copy()
    q[2, 7] = 1e8
    with pytest.raises(ForeignError, match=r"q of elbow_joint .* is 1e\+08 at 0\.07 s, beyond"):
        Log(log.joints, log.t, q, log.tau)
    with pytest.raises(ForeignError, match="state their unit with --unit COLUMN=ns"):
        Log(log.joints, 1e18 + log.t * 1e9, log.q, log.tau)
    with pytest.raises(ForeignError, match=r"from 30 to 40 s; it lasts from 0 to 19\.99 s"):
        log.between(30, 40)


@pytest.mark.parametrize(
    ("names", "factor"),
    [
        (("A{} [deg]", "V{} [deg/s]", "T{} [Nm]"), np.degrees(1.0)),
        (("rob1_{} (deg)", "rob1_v{} (deg/s)", "M{} (Nm)"), np.degrees(1.0)),
        (("joint{}_pos_deg", "joint{}_vel_dps", "joint{}_torque_nm"), np.degrees(1.0)),
        (("J{}", "J{}_speed", "J{}_torque"), 1.0),
        (("joint{}_pos_mrad", "joint{}_vel_mrad_s", "joint{}_torque_nm"), 1e3),
    ],
)
def test_groups_go_by_their_units_where_words_do_not_name_them(log, tmp_path, names, factor):
    """Computed and wanted columns with the same units are no measurement."""
    columns = {"time": log.t}
    for name, rows in zip(names, (factor * log.q, factor * log.qd, log.tau), strict=True):
        columns |= {name.format(k): row for k, row in enumerate(rows, 1)}
    columns |= {f"ext_torque_{k} [Nm]": row for k, row in enumerate(0.1 * log.tau, 1)}
    columns |= {f"A_cmd{k} [deg]": row for k, row in enumerate(log.q, 1)}
    (tmp_path / "log.csv").write_text(csv_text(columns))
    same(Log.read(tmp_path / "log.csv", UR10), log)


def test_two_groups_of_a_unit_are_not_chosen_between(log, tmp_path):
    columns = {"time": log.t} | {f"A{k} [deg]": row for k, row in enumerate(log.q, 1)}
    for word in ("left", "right"):
        columns |= {f"{word}{k} [Nm]": row for k, row in enumerate(log.tau, 1)}
    (tmp_path / "log.csv").write_text(csv_text(columns))
    with pytest.raises(ForeignError, match="has no torque of shoulder_pan_joint"):
        Log.read(tmp_path / "log.csv", UR10)


@pytest.mark.parametrize("form", ["arm1.{}{}", "{}_1_{}", "{}1[{}]", "left/{}_{}"])
def test_two_arms_in_a_log_are_not_chosen_between(log, tmp_path, form):
    columns = {"time": log.t}
    for name in (form, form.replace("1", "2").replace("left", "right")):
        for group, rows in (("q", log.q), ("tau", log.tau)):
            columns |= {name.format(group, k): row for k, row in enumerate(rows, 1)}
    (tmp_path / "log.csv").write_text(csv_text(columns))
    with pytest.raises(ForeignError, match=r"Columns: .*, .*--map THEIRS="):
        Log.read(tmp_path / "log.csv", UR10)


def test_a_clock_that_was_set_back_is_named_where_positions_go_on_elsewhere(log):
    """Half a second of samples lies over another half, of which the first is kept."""
    keep = np.abs(np.arange(log.t.size) - 1025) > 25
    t = log.t[: keep.sum()]
    cut = Log(log.joints, t, log.q[:, keep], log.tau[:, keep], log.qd[:, keep])
    (doubt,) = [one for one in suspicions(UR10, cut) if "elbow_joint" in one.text]
    assert doubt.is_grave
    assert "rad at 10 s and continue from there: the clock was set" in doubt.text
    assert doubt.text.endswith("--to 9.99 or --from 10")
    assert suspicions(UR10, cut.between(0, 9.99)) == suspicions(UR10, cut.between(10, 20)) == ()


def test_torques_that_stand_still_for_long_are_noted(log):
    tau = log.tau.copy()
    tau[:, 500:801] = tau[:, [500]]
    (doubt,) = suspicions(UR10, Log(log.joints, log.t, log.q, tau, log.qd))
    assert "all torques are constant from 5 to 8 s while joints move" in doubt.text
    held = log.tau[:, np.arange(log.t.size) // 8 * 8]  # a sensor of an eighth of the rate
    assert suspicions(UR10, Log(log.joints, log.t, log.q, held, log.qd)) == ()
