"""Lines between the two markers of a force in the page's view."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from sim.maths.arrays import Array
from sim.recording.held_tables import recorded_of
from sim.recording.recording import Recording
from sim.recording.schema.description import Run
from sim.recording.schema.element_facts import class_of, value_of
from sim.reports.page.glb_scene import GlbScene
from sim.robots.marker import Marker
from sim.shapes.ground import samples_of


class EndFacts(msgspec.Struct, frozen=True):
    """A point of a link, or of the world without a link [m]."""

    link: str | None
    point: tuple[float, float, float]


class SpringMark(msgspec.Struct, frozen=True):
    """A spring, drawn as a coil, or a force along a line, drawn as a line."""

    name: str
    coil: bool
    i: EndFacts
    j: EndFacts


def spring_marks(run: Run, scene: GlbScene | None) -> list[SpringMark]:
    """Return the marks of the forces of a run; none without a scene."""
    if scene is None or not run.forces:
        return []
    from sim.dynamics.sforce import SForce
    from sim.dynamics.spring import Spring

    links = {facts.link for facts in scene.links.values()}

    def end(marker: Marker) -> EndFacts:
        x, y, z = marker.point.tolist()
        return EndFacts(marker.link if marker.link in links else None, (x, y, z))

    forces = (value_of(one) for one in run.forces if class_of(one) in (Spring, SForce))
    return [
        SpringMark(one.name, isinstance(one, Spring), end(one.i), end(one.j))
        for one in forces
        if isinstance(one, Spring) or (isinstance(one, SForce) and one.is_along_line)
    ]


def places_of(marks: Iterable[SpringMark], scene: GlbScene, recording: Recording) -> Array:
    """Return the positions of the ends of all marks over a run, shape (points, 3) [m]."""
    table = recorded_of(recording)
    poses = scene.poses(table, samples_of(len(table)))
    points = [np.zeros((0, 3))]
    for mark in marks:
        for one in (mark.i, mark.j):
            if one.link is None:
                points.append(np.array([one.point]))
            else:
                T = poses[one.link]
                points.append(np.einsum("abN,b->Na", T[:3, :3], one.point) + T[:3, 3].T)
    return np.concatenate(points)
