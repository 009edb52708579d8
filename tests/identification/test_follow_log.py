"""A run that follows a log: Pinocchio's torques, friction by its formula, white noise."""

import json

import numpy as np
import pytest

from sim.checks import judge_recording
from sim.errors import ForeignError
from sim.identification import Log, follow_log
from sim.identification.beside_log import beside_log
from sim.recording import Recording
from sim.robots import load_robot
from sim.simulation import run
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.robot_logs import (
    clean_log,
    columns_of,
    csv_text,
    exciting_motion,
    friction_laws,
    noisy,
)

UR10 = load_robot("ur10")
LOG = noisy(clean_log(UR10), 0.5)


@pytest.fixture(scope="module")
def recording():
    return judge_recording(run(follow_log(UR10, LOG), name="followed"))


def failed(judged):
    """But for speed: the motion of the helper is faster than a UR10."""
    return [one for one in judged.run.checks if not one.ok and one.name != "rated speed"]


@pytest.fixture
def followed(recording, tmp_path):
    recording.write(tmp_path / "results/runs/followed/one")
    (tmp_path / "log.csv").write_text(csv_text(columns_of(LOG)))
    return recording


def test_engine_and_model_move_as_the_log_and_friction_is_that_of_the_formula(recording):
    assert failed(recording) == []
    for one in recording.run.measured:
        law = friction_laws(UR10)[one.joint]
        assert one.coulomb == pytest.approx(law["coulomb"], abs=0.2)
        assert one.viscous == pytest.approx(law["viscous"], abs=0.3)
        assert one.motion < 1e-5  # rad
        assert one.own == pytest.approx(one.fitted, abs=0.01)
    lift = recording.run.measured[1]
    assert abs(lift.slope - 1) < lift.slope_within < 0.01
    assert (lift.fitted, lift.sliding) < (0.01, 0.01)


def test_the_run_has_the_friction_of_the_log_and_its_offset_as_a_spring(recording):
    law = friction_laws(UR10)["elbow_joint"]
    spring = recording.recorded["spring.elbow_joint"].to_numpy()
    np.testing.assert_allclose(spring, -law["offset"], atol=0.1)
    qd = recording.recorded["qd.elbow_joint"].to_numpy()
    friction = recording.recorded["friction.elbow_joint"].to_numpy()
    formula = law["coulomb"] * np.sign(qd) + law["viscous"] * qd
    assert np.abs(friction - formula).max() < 0.3


def test_an_engine_that_moves_otherwise_than_the_log_fails(recording):
    elbow = recording.reference["q.elbow_joint"] + 0.002  # rad
    moved = recording.reference.assign(**{"q.elbow_joint": elbow})
    judged = judge_recording(recording.having(reference=moved))
    (only,) = failed(judged)
    assert (only.name, only.channel) == ("measured motion", "q.elbow_joint")
    assert only.worst == pytest.approx(0.002, rel=0.01)


def test_what_is_measured_stays_with_the_run(followed, tmp_path):
    again = Recording.read(tmp_path / "results/runs/followed/one")
    assert again.run.measured == followed.run.measured
    assert judge_recording(again).run.measured == followed.run.measured


def test_compare_shows_what_is_left_by_joint(followed, sim_command):
    done = sim_command("compare", "followed", "log.csv", columns=80)
    assert (done.status, done.err) == (0, "")
    assert "low-pass on log, model and friction" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    told = json.loads(sim_command("compare", "followed", "log.csv", "--measured", "--json").out)
    assert told["ok"]
    lift = next(one for one in told["joints"] if one["joint"] == "shoulder_lift_joint")
    assert lift["fitted"] == pytest.approx(followed.run.measured[1].fitted, rel=0.05)


def test_compare_says_where_a_run_moves_otherwise(followed, sim_command, tmp_path):
    other = clean_log(UR10, seed=3)
    (tmp_path / "other.csv").write_text(csv_text(columns_of(other)))
    done = sim_command("compare", "followed", "other.csv", "--measured")
    assert done.status == 1
    assert "belong to another motion" in " ".join(done.out.split())
    late = sim_command("compare", "followed", "log.csv", "--measured", "--start", "100")
    assert (late.status, late.out) == (2, "")
    assert "the run from 0 to 19.99 s" in late.err
    alone = sim_command("compare", "followed", "--cutoff", "1")
    assert (alone.status, alone.out) == (2, "")
    assert "sim compare RUN LOG --measured" in alone.err


def test_a_log_in_degrees_is_not_followed():
    degrees = Log(LOG.joints, LOG.t, np.degrees(LOG.q), LOG.tau, np.degrees(LOG.qd))
    with pytest.raises(ForeignError, match=r"positions are in degrees.*despite_doubts=True"):
        follow_log(UR10, degrees)


def test_of_a_log_with_a_gap_the_longest_piece_is_followed():
    keep = (LOG.t < 5) | (LOG.t > 7)
    gapped = Log(LOG.joints, LOG.t[keep], LOG.q[:, keep], LOG.tau[:, keep], LOG.qd[:, keep])
    scenario = follow_log(UR10, gapped)
    assert scenario.duration == pytest.approx(12.98)
    assert any("from 7.01 s of it on" in note for note in scenario.notes)


def test_a_run_follows_a_log_as_its_arm_hangs_and_an_upright_run_is_no_match_for_it(recording):
    """Torques by Pinocchio with gravity upwards in the base's frame."""
    q, qd, qdd = np.split(exciting_motion(6)[1:], 3)
    tau = LOG.tau + sum(
        sign * PinocchioModel(UR10, (0.0, 0.0, 9.81 * sign)).torque(q, qd, qdd) for sign in (1, -1)
    )
    log = Log(LOG.joints, LOG.t, LOG.q, tau, LOG.qd, LOG.source)
    scenario = follow_log(UR10, log)
    np.testing.assert_allclose(scenario.robot.T_0b[2, :3], (0, 0, -1), atol=1e-12)
    assert any("ceiling, estimated from the log" in note for note in scenario.notes)
    with pytest.raises(ForeignError, match=r"floor by the mounting that is stated, .* ceiling"):
        beside_log(recording, log, UR10)
    turned = Log(LOG.joints, LOG.t, LOG.q + 2 * np.pi, LOG.tau, LOG.qd, LOG.source)
    found = beside_log(recording, turned, UR10)
    assert max(one.motion for one in found.joints) < 1e-3  # rad; a whole turn is no difference
