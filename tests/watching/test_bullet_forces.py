"""External forces that a PyBullet loop applies are included; misplaced ones are named."""

import numpy as np
import pybullet as p
import pytest

from sim.watching.diagnose import diagnose
from tests.helpers.watched_loops import bullet_loop, velocities

FORCE, LINK = [0, 8, -5], 2
FORCE_UNSEEN = p.applyExternalForce  # as by "from pybullet import applyExternalForce"


def centre(body):
    return p.getLinkState(body, LINK)[0]


def origin(body):
    return [0, 0, 0]


def pushed(flags, point, apply=None):
    def command(body, k):
        (apply or p.applyExternalForce)(body, LINK, FORCE, point(body), flags)
        velocities(body, k)

    return command


def twisted(flags):
    def command(body, k):
        p.applyExternalTorque(objectUniqueId=body, linkIndex=LINK, torqueObj=FORCE, flags=flags)
        velocities(body, k)

    return command


def dragged(flags, *, sign=-1, power=1, is_in_link=False, apply=None):
    """A drag by the velocity that PyBullet gives, or by that along the axes of the link."""

    def command(body, k):
        place, turn, *_, v, _ = p.getLinkState(body, LINK, 1, 1)
        v = np.array(v)
        if is_in_link:
            v = np.reshape(p.getMatrixFromQuaternion(turn), (3, 3)).T @ v
        force = sign * 5 * v * np.linalg.norm(v) ** (power - 1)
        point = place if flags == p.WORLD_FRAME else [0, 0, 0]
        (apply or p.applyExternalForce)(body, LINK, force.tolist(), point, flags)
        velocities(body, k)

    return command


# Calls of a loop, and what the account of them has.
COUNTED_IN = {
    "in the world": (pushed(p.WORLD_FRAME, centre), "9.434 N along the world's axes: included"),
    "at a point": (pushed(p.WORLD_FRAME, lambda body: [0.4, 0.2, 1]), "300 of 300 steps"),
    "along the link": (pushed(p.LINK_FRAME, origin), "if it is meant along the world's axes"),
    "at a point of the link": (pushed(p.LINK_FRAME, lambda body: [0.1, 0.2, 0.3]), "LINK_FRAME"),
    "torque": (twisted(p.WORLD_FRAME), "applyExternalTorque on forearm_link"),
    "torque along the link": (twisted(p.LINK_FRAME), "N·m along its own axes"),
    "drag": (dragged(p.WORLD_FRAME), "-5 N·s/m v, a drag: included"),
    "drag along the link": (dragged(p.LINK_FRAME, is_in_link=True), "-5 N·s/m v, a drag"),
    "drag of the square": (dragged(p.WORLD_FRAME, power=2), "-5 N·s²/m² |v| v, a drag"),
}
MISPLACED = {
    "point of the world with the axes of the link": (
        pushed(p.LINK_FRAME, centre), "counted from the link: flags=p.WORLD_FRAME",
    ),
    "point of the link with the axes of the world": (
        pushed(p.WORLD_FRAME, origin), "the world's origin [0, 0, 0], 0.821 m beside the link",
    ),
    "drag of the world along the axes of the link": (
        dragged(p.LINK_FRAME), "-5 N·s/m v along the world's axes: flags=p.WORLD_FRAME",
    ),
    "drag of the link along the axes of the world": (
        dragged(p.WORLD_FRAME, is_in_link=True), "-5 N·s/m v along the link's axes",
    ),
    "drag that drives": (dragged(p.WORLD_FRAME, sign=0.1), "0.5 N·s/m v: no drag, a drive"),
}  # fmt: skip
UNSEEN = {
    "force": (pushed(p.WORLD_FRAME, centre, FORCE_UNSEEN), "a constant force (0 8 -5) N"),
    "force in link axes": (pushed(p.LINK_FRAME, origin, FORCE_UNSEEN), "its own axes"),
    "drag": (dragged(p.WORLD_FRAME, apply=FORCE_UNSEEN), "a drag of forearm_link: 5 ±"),
}


@pytest.mark.parametrize("name", COUNTED_IN)
def test_external_forces_of_a_right_loop_are_counted_in(name):
    command, text = COUNTED_IN[name]
    found = diagnose(bullet_loop(command=command).evidence())
    (note,) = found.causes
    assert note.kind == "external force" and not note.is_error
    assert text in note.facts(found.peaks).sentence
    assert found.left < 1e-9 < found.residual


@pytest.mark.parametrize("name", MISPLACED)
def test_external_forces_that_cannot_be_meant_are_named(name):
    command, text = MISPLACED[name]
    found = diagnose(bullet_loop(command=command).evidence())
    (error,) = found.causes
    assert error.kind == "external force" and error.is_error
    assert text in error.facts(found.peaks).sentence
    assert found.left < 1e-9


@pytest.mark.parametrize("kind", UNSEEN)
def test_external_forces_by_names_imported_before_are_found_by_their_law(kind):
    command, text = UNSEEN[kind]
    found = diagnose(bullet_loop(command=command).evidence())
    (error,) = found.causes
    assert error.kind == kind and error.is_error
    assert text in error.facts(found.peaks).sentence
    assert found.left < 1e-9


def test_other_mistakes_are_found_beside_external_forces(tmp_path):
    run = bullet_loop(command=pushed(p.WORLD_FRAME, centre)).save(tmp_path / "right")
    assert run.passed and "included" in " ".join(run.run.notes)
    wrong = bullet_loop(is_damped=True, command=pushed(p.WORLD_FRAME, centre)).evidence()
    found = diagnose(wrong)
    assert [cause.kind for cause in found.causes if cause.is_error] == ["link damping"]


def test_forces_of_another_body_are_no_business_of_the_watch():
    def command(body, k):
        p.applyExternalForce(body + 1, -1, FORCE, [0, 0, 0], p.LINK_FRAME)
        if k == 150:
            p.applyExternalForce(body, LINK, FORCE, centre(body), p.WORLD_FRAME)
        velocities(body, k)

    def ball(body):
        p.createMultiBody(1, p.createCollisionShape(p.GEOM_SPHERE, radius=0.1), -1, [9, 9, 9])

    found = diagnose(bullet_loop(prepare=ball, command=command).evidence())
    (note,) = found.causes
    assert "in 1 of 300 steps" in note.text and found.left < 1e-9
