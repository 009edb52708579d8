"""Rotations are compared as rotations: by the angle between them, whichever vectors say so."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import sim
from sim.comparison import compare, compare_tables, compare_with_foreign
from sim.foreign import Naming, map_curves, read_foreign
from sim.reference import at_samples, foreign_reference
from sim.robots import read_urdf

NAMES = ["q.ball.x", "q.ball.y", "q.ball.z"]
OFF, AXIS = 2e-3, np.array([2.0, -1.0, 2.0]) / 3  # rad


def tumbling(t):
    """A body that turns through several half turns about axes that change."""
    turn = np.stack([5 * t, 2 + np.sin(4 * t), np.cos(3 * t)], axis=1)
    return Rotation.from_rotvec(turn)


def written(path, t, rotations, other=slice(0, 0)):
    """A table of rotation vectors, some of them the other way round."""
    q = rotations.as_rotvec()
    q[other] *= 1 - 2 * np.pi / np.linalg.norm(q[other], axis=1, keepdims=True)
    text = "\n".join(
        ",".join(map(repr, map(float, (*row, *q[k])))) for k, row in enumerate(t[:, None])
    )
    path.write_text(f"t,{','.join(f'{name} [rad]' for name in NAMES)}\n{text}\n")
    return path


def test_tables_at_other_times_differ_by_the_angle_alone(tmp_path):
    t, at = np.linspace(0, 2, 401), np.linspace(0, 2, 333)
    ours = written(tmp_path / "ours.csv", t, tumbling(t))
    assert np.abs(np.diff(tumbling(t).as_rotvec(), axis=0)).max() > 3  # past a half turn
    same = compare_tables(ours, written(tmp_path / "same.csv", at, tumbling(at)), ("rtol", "lag"))
    assert same.ok and max(d.worst for d in same.result.differences if d.unit == "rad") < 1e-5
    assert "q.ball.x, .y, .z are one rotation, compared by its angle" in same.result.notes
    turned = tumbling(at) * Rotation.from_rotvec(OFF * AXIS)
    away = compare_tables(ours, written(tmp_path / "away.csv", at, turned), rtol=1e-4)
    found = {d.channel: d.worst for d in away.result.differences}
    assert found == dict.fromkeys(NAMES, pytest.approx(OFF, abs=1e-5)) and not away.ok


def test_a_delay_of_a_rotation_is_that_of_what_turns(tmp_path):
    t = np.linspace(0, 2, 401)
    ours = written(tmp_path / "ours.csv", t, tumbling(t - 0.03))
    late = compare_tables(ours, written(tmp_path / "theirs.csv", t, tumbling(t)), ("lag",))
    assert [d.worst for d in late.result.differences] == pytest.approx([0.03] * 3, rel=0.1)


def test_columns_that_turn_farther_than_half_are_no_rotation(tmp_path):
    """Angles of three hinges: a whole turn is a difference there."""
    t = np.linspace(0, 2, 201)
    ours = written(tmp_path / "ours.csv", t, Rotation.from_rotvec(np.outer(t, [1.0, 0, 0])))
    other = written(
        tmp_path / "other.csv", t, Rotation.from_rotvec(np.outer(t, [1.0, 0, 0])), slice(9, None)
    )
    assert not compare_tables(ours, other).ok


@pytest.fixture(scope="module")
def tumbles():
    """A run of a body on a ball, through several half turns."""
    body = read_urdf(
        """<robot name="body"><link name="ground"/><link name="body"><inertial><mass value="1"/>
        <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="ball" type="spherical"><parent link="ground"/><child link="body"/></joint>
        </robot>"""
    )
    motion = sim.JointMotion({}, qd0={"ball": (9.0, 4.0, 0.5)})
    scenario = sim.Scenario(body, motion, duration=1.0, dt=0.01, engine="mujoco")
    return sim.run(scenario, method="adaptive")


def solved(t):
    """Euler's equations of the body by SciPy, as rotations at times."""
    moments = np.array([0.02, 0.03, 0.04])

    def rate(_, y):
        w, Q = y[:3], y[3:]
        turn = np.concatenate([Q[3] * w + np.cross(Q[:3], w), [-Q[:3] @ w]]) / 2
        return np.concatenate([-np.cross(w, moments * w) / moments, turn])

    start = np.concatenate([[9.0, 4.0, 0.5], [0, 0, 0, 1.0]])
    found = solve_ivp(rate, (0, 1), start, "DOP853", t, rtol=1e-12, atol=1e-12).y[3:]
    return Rotation.from_quat(found.T)


def moved(recording, q):
    """The same run with other vectors of the ball."""
    return replace(
        recording, recorded=recording.recorded.assign(**dict(zip(NAMES, q, strict=True)))
    )


def of_ball(comparison):
    return {d.channel: d for d in comparison.differences if d.channel in NAMES}


def test_runs_differ_by_the_angle_between_their_rotations(tumbles):
    q = tumbles.recorded[NAMES].to_numpy(copy=True)
    turns = np.linalg.norm(q, axis=1, keepdims=True)
    other = np.where(turns > 2, q * (1 - 2 * np.pi / np.maximum(turns, 1)), q)
    same = of_ball(compare(moved(tumbles, other.T), tumbles))
    assert all(d.ok and d.worst < 1e-14 for d in same.values()) and (turns > 2).any()
    turned = (Rotation.from_rotvec(q) * Rotation.from_rotvec(OFF * AXIS)).as_rotvec()
    away = of_ball(compare(moved(tumbles, turned.T), tumbles))
    assert [d.worst for d in away.values()] == pytest.approx([OFF] * 3, rel=1e-9)
    assert not any(d.ok for d in away.values())


@pytest.mark.parametrize("every", [1, 3])
def test_a_foreign_file_of_a_run_is_held_against_its_rotations(tumbles, tmp_path, every):
    """At the samples of the run, and between them."""
    own = tumbles.t[:-1:every] if every > 1 else tumbles.t
    t = own if every == 1 else own + 0.0037
    given = solved(t)
    for size, ok in ((0.0, True), (0.05, False)):
        file = written(tmp_path / "theirs.csv", t, given * Rotation.from_rotvec(size * AXIS))
        theirs = map_curves(read_foreign(file), Naming(), tumbles.units)
        result = compare_with_foreign(tumbles, theirs, rtol=5e-3)
        worst = [d.worst for d in of_ball(result).values()]
        assert result.ok is ok
        assert worst == pytest.approx([size] * 3, abs=3e-3)


def test_a_reference_at_other_times_is_read_at_the_samples_as_rotations(tumbles, tmp_path):
    """A file of every 4 ms for a run of every 10 ms; past half a turn no cubic of a vector fits."""
    t = np.arange(0.0, 1.0, 4e-3)
    q = tumbles.recorded[NAMES].to_numpy(copy=True).T
    exact = solved(t)
    file = written(tmp_path / "theirs.csv", t, exact)
    theirs = map_curves(read_foreign(file), Naming(), tumbles.units)
    reference = foreign_reference(tumbles, theirs, rtol=1e-3)
    table = reference.table
    rows = np.searchsorted(tumbles.t, table.index.to_numpy() - 1e-9)
    off = (
        Rotation.from_rotvec(table[NAMES].to_numpy(copy=True))
        * Rotation.from_rotvec(q.T[rows]).inv()
    )
    assert off.magnitude().max() < 1e-5
    curves = at_samples(tumbles.t, lambda c: tumbles.recorded[c].to_numpy(), table, 17, (), [NAMES])
    assert max(one.excess.max() for one in curves) < 1e-5
    for one in curves:  # the angle, at each of the three
        np.testing.assert_allclose(one.excess, curves[0].excess, rtol=1e-12)
