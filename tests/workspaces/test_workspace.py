"""Sections of workspaces against closed forms, Pinocchio, and the inverse of single poses."""

import numpy as np
import pinocchio as pin
import pytest

from sim.errors import ModelError, ScenarioError
from sim.kinematics import frame_pose
from sim.kinematics.inverse import inverse_kinematics
from sim.robots import load_robot, read_urdf
from sim.workspaces import workspace
from tests.helpers.coarse_workspaces import coarse_workspace
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.small_robots import joint, link, pendulum, robot

GRAVITY = (0.0, 0.0, -9.81)


@pytest.fixture(scope="module")
def kr210():
    return coarse_workspace("kr210")


def planar(lower=-2.0):
    """Links of 0.6 and 0.4 m in the x-z plane; the elbow bends from `lower` to 2 rad."""
    ends = f'<limit lower="{lower}" upper="2" effort="40" velocity="3"/>'
    arm = robot(
        link("upper", 2.0, "0.3 0 0"),
        joint("shoulder", "continuous", "ground", "upper", "0 -1 0"),
        link("fore", 1.0, "0.2 0 0"),
        joint("elbow", "revolute", "upper", "fore", "0 -1 0", '<origin xyz="0.6 0 0"/>'),
        link("tip", 0.0),
        joint("end", "fixed", "fore", "tip", "1 0 0", '<origin xyz="0.4 0 0"/>'),
    )
    limit = '<limit lower="-100" upper="100" effort="1000" velocity="100"/>'
    before, after = arm.text.split('name="elbow"')
    return read_urdf(before + 'name="elbow"' + after.replace(limit, ends, 1))


def test_two_planar_links_reach_an_annulus():
    found = workspace(planar(), "xz", step=0.04)
    radius = np.linalg.norm(found.points, axis=0).reshape(found.is_reached.shape)
    inner, outer = np.sqrt(0.6**2 + 0.4**2 + 2 * 0.6 * 0.4 * np.cos(2.0)), 1.0
    inside = (radius > inner) & (radius < outer)
    near = np.minimum(np.abs(radius - inner), np.abs(radius - outer)) < 1e-3
    np.testing.assert_array_equal(found.is_reached[~near], inside[~near])
    assert found.check.ok
    assert found.family == "numerical"


def test_the_least_singular_value_of_two_planar_links_is_the_closed_form():
    found = workspace(planar(), "xz", step=0.05)
    q1, q2 = (row[found.maps[0].is_reached] for row in found.maps[0].q)
    a, b = np.array([0.6, 0.4])  # metres are divided by 1 m, the length of the chain
    assert found.length == pytest.approx(1.0, abs=1e-15)
    # JᵀJ of the tip's velocity and of the turning of the tool, which both joints give
    one = a**2 + b**2 + 2 * a * b * np.cos(q2) + 1
    both, two = b**2 + a * b * np.cos(q2) + 1, b**2 + 1
    least = (one + two) / 2 - np.sqrt(((one - two) / 2) ** 2 + both**2)
    values = found.map("singular value").values
    np.testing.assert_allclose(values[~np.isnan(values)], np.sqrt(least), rtol=1e-9)
    assert np.ptp(q1) > 6  # all around


def test_gravity_of_two_planar_links_is_the_closed_form():
    found = workspace(planar(), "xz", step=0.05)
    one = found.map("gravity")
    q1, q2 = one.q[:, one.is_reached]
    elbow = 1.0 * 0.2 * np.cos(q1 + q2)
    shoulder = (2.0 * 0.3 + 1.0 * 0.6) * np.cos(q1) + elbow
    share = 9.81 * np.maximum(np.abs(shoulder) / 1000, np.abs(elbow) / 40)
    np.testing.assert_allclose(one.values[one.is_reached], share, rtol=1e-9)


def test_the_kr210_reaches_as_far_as_its_stretched_arm(kr210):
    """From axis 2, at (0.35, 0.675) m, over the wrist centre to the flange: 2.5657 m."""
    stretched = 1.15 + np.hypot(1.2, 0.041) + 0.215
    x, z = kr210.points[[0, 2]][:, kr210.is_reached.ravel()]
    near = np.minimum(np.hypot(x - 0.35, z - 0.675), np.hypot(x + 0.35, z - 0.675))
    assert near.max() <= stretched + 1e-12
    assert x.max() > 0.35 + stretched - 0.15  # 1.5 steps
    assert z.max() > 0.675 + stretched - 0.15
    assert x.min() == pytest.approx(-x.max(), abs=0.1)  # axis 1 turns by more than half a turn
    assert kr210.check.ok
    assert kr210.check.missed == 0
    assert kr210.check.high[0] == pytest.approx(0.35 + stretched, abs=0.02)


def test_every_direction_takes_the_ur10_as_far_up_as_its_stretched_arm():
    """Height of axis 2 ± (0.612 + 0.5723 + the hypotenuse of 0.1157 and 0.0922) m."""
    found = workspace(load_robot("ur10"), "xz", step=0.05, directions=64, sphere=True)
    stretched = 0.612 + 0.5723 + np.hypot(0.1157, 0.0922)
    z = found.points[2][found.is_reached.ravel()]
    for end, limit in ((z.max(), 0.1273 + stretched), (-z.min(), stretched - 0.1273)):
        assert limit - 0.1 < end <= limit  # 2 steps: near its end the arm has few directions
    assert found.check.high[1] == pytest.approx(0.1273 + stretched, abs=0.02)
    assert found.check.ok


def test_postures_bring_the_tool_to_their_points(kr210):
    for one in kr210.maps:
        at = one.is_reached
        T = frame_pose(kr210.robot, one.q[:, at])
        np.testing.assert_allclose(T[:3, 3], kr210.points[:, at], rtol=0, atol=1e-9)
        if one.name != "directions":
            np.testing.assert_allclose(T[:3, 2].T, [[0, 0, -1]] * at.sum(), atol=1e-9)
    lower, upper = np.array([(j.limits.lower, j.limits.upper) for j in kr210.robot.coordinates]).T
    q = np.concatenate([one.q[:, one.is_reached] for one in kr210.maps], axis=1).T
    assert (q >= lower - 1e-9).all()
    assert (q <= upper + 1e-9).all()


def test_each_map_takes_the_best_of_all_solutions_by_pinocchio(kr210):
    """Twelve points; solutions one pose at a time, Jacobian and gravity by Pinocchio."""
    arm, model = kr210.robot, PinocchioModel(kr210.robot, GRAVITY)
    frame = model.model.getFrameId(arm.tool, pin.FrameType.BODY)
    lengths = [np.linalg.norm(p.translation) for p in model.model.jointPlacements[2:]]
    length = sum(lengths) + np.linalg.norm(model.model.frames[frame].placement.translation)
    assert kr210.length == pytest.approx(length, rel=1e-14)
    rated = np.array([row.limits.effort for row in arm.coordinates])
    singular, gravity = kr210.map("singular value"), kr210.map("gravity")
    for point in np.random.default_rng(2).choice(np.flatnonzero(gravity.is_reached), 12):
        T = np.diag([-1.0, 1, -1, 1])  # the tool down
        T[:3, 3] = kr210.points[:, point]
        solutions = [s.q for s in inverse_kinematics(arm, T).solutions if s.inside_limits]
        least, share = [], []
        for q in [*solutions, singular.q[:, point], gravity.q[:, point]]:
            J = pin.computeFrameJacobian(
                model.model, model.data, q, frame, pin.LOCAL_WORLD_ALIGNED
            ) / np.array([[length]] * 3 + [[1.0]] * 3)
            least.append(np.linalg.svd(J, compute_uv=False)[-1])
            shares = np.abs(model.gravity_torque(q[:, None])[:, 0] / rated)
            share.append(shares.max())
        assert singular.values[point] == pytest.approx(max(least), abs=1e-12)
        assert least[-2] == pytest.approx(max(least), abs=1e-12)  # and it is that posture's
        assert gravity.values[point] == pytest.approx(min(share), rel=1e-9)
        assert share[-1] == pytest.approx(min(share), rel=1e-9)
        assert gravity.joint[point] == shares.argmax()


def test_the_share_of_directions_counts_those_that_have_a_solution(kr210):
    one, section = kr210.map("directions"), kr210.section
    for point in np.random.default_rng(3).choice(kr210.points.shape[1], 6):
        T = np.eye(4)
        T[:3, 3] = kr210.points[:, point]
        count = 0
        for pitch in np.radians(30 * np.arange(12)):
            T[:3, :3] = section.orientation([np.sin(pitch), 0, np.cos(pitch)])
            count += inverse_kinematics(kr210.robot, T).nearest is not None
        assert np.nan_to_num(one.values[point]) == pytest.approx(count / 12, abs=1e-12)


def test_a_posture_is_asked_for_by_its_point(kr210):
    q = kr210.posture("gravity", 1.5, 1.0)
    assert np.abs(frame_pose(kr210.robot, q)[[0, 2], 3] - [1.5, 1.0]).max() <= kr210.step / 2
    with pytest.raises(ScenarioError, match="not reached in map 'gravity'"):
        kr210.posture("gravity", 0.0, 3.0)
    with pytest.raises(ScenarioError, match="no map 'load'; available: 'directions', 'singular"):
        kr210.map("load")


def test_an_inverse_that_loses_branches_is_found_by_the_samples(monkeypatch):
    from sim.workspaces import postures

    def elbow_up_only(*arguments, real=postures.branches):
        found = real(*arguments)
        found.reached[2:4] = False
        return found

    monkeypatch.setattr(postures, "branches", elbow_up_only)
    found = workspace(load_robot("kr210"), "xz", step=0.2, directions=6)
    assert found.check.missed > 100
    assert not found.check.ok


def test_a_palletizer_has_no_map_of_directions_and_an_unrated_arm_none_of_gravity():
    found = coarse_workspace("irb460")
    assert [one.name for one in found.maps] == ["singular value"]
    assert found.tool == "up"
    assert "no map of directions" in found.notes[0]
    assert "gives no joint an effort" in found.notes[1]
    assert found.check.ok
    with pytest.raises(ScenarioError, match="cannot point down: its z axis always points up"):
        workspace(load_robot("irb460"), "xz", tool="down")


def test_a_level_section_of_five_axes_is_that_of_one_direction():
    found = workspace(load_robot("weld5"), "z=0.5", step=0.1)
    assert [one.name for one in found.maps] == ["singular value"]
    assert found.check.ok
    # axis 1 is upright and turns by almost a whole turn
    assert np.ptp(found.u[found.is_reached.any(axis=0)]) == pytest.approx(
        np.ptp(found.v[found.is_reached.any(axis=1)]), abs=0.11
    )


def test_where_the_tool_cannot_have_the_direction_is_told_from_where_it_does_not_come():
    arm = load_robot("weld5")
    with pytest.raises(ScenarioError, match="can neither lie in it nor point down"):
        workspace(arm, "z=1.35")
    with pytest.raises(ScenarioError, match=r"along a line of section z = 0.5 m.* points \+x"):
        workspace(arm, "z=0.5", tool="+x")


def test_samples_at_singularities_are_no_misses_and_axis_1_turns_the_workspace(kr210):
    """In x = 0 the arm's wrist centre may lie on axis 1, which may then be anywhere."""
    turned = workspace(load_robot("kr210"), "yz", step=0.1, directions=12)
    assert turned.check.ok
    assert turned.check.missed == 0
    area = np.count_nonzero(turned.is_reached) * turned.step**2
    same = np.count_nonzero(kr210.is_reached) * kr210.step**2
    assert area == pytest.approx(same, rel=0.02)  # two grids that lie differently


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"section": "y=9"}, "does not come into section y = 9 m: y goes from 0 to 0 m"),
        ({"section": "z=9"}, "z goes from -1 to 1 m"),
        ({"tool": "sideways"}, "allowed: down, up"),
        ({"directions": 3}, "allowed: 4 to 1000"),
        ({"directions": 2.5}, "allowed: 4 to 1000"),
        ({"step": "a"}, "step must be a number or None"),
        ({"step": 0.0}, "finite number above 0 m"),
        ({"step": float("nan")}, "finite number above 0 m"),
        ({"step": 1e-4}, "at most 1000000 are allowed, so take 0.00"),
        ({"step": 50.0}, "too long for a section"),
        ({"payload": float("nan")}, "mass"),
        ({"payload": -1.0}, "mass"),
    ],
)
def test_what_cannot_be_used_is_refused(options, says):
    with pytest.raises((ScenarioError, ModelError), match=says):
        workspace(planar(), **options)


def test_robots_without_an_end_or_a_tool_are_refused():
    fork = robot(
        link("a", 1.0),
        joint("turn", "revolute", "ground", "a", "0 0 1"),
        link("b", 1.0),
        joint("other", "revolute", "ground", "b", "0 0 1"),
    )
    with pytest.raises(ModelError, match="no tool frame"):
        workspace(fork)
    still = robot(link("a", 1.0), joint("weld", "fixed", "ground", "a", "0 0 1"))
    with pytest.raises(ModelError, match="no joint that moves"):
        workspace(still)
    with pytest.raises(ScenarioError, match=r"along a line of section y = 0 m, or not at all"):
        workspace(pendulum(1.0, 0.5))


def test_its_text_in_an_interpreter_is_one_line(kr210):
    assert repr(kr210).startswith("<Workspace of kr210, section y = 0 m: ")
    assert "\n" not in repr(kr210)
