"""What acts on the robot besides its drives: wrenches on links, and masses that come and go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sim.engine.bullet import Engine
from sim.spatial import Array

BESIDE = 1e-9  # [s]; a step that begins this near to a time begins at it


@dataclass(frozen=True, eq=False)
class Push:
    """A force at a point of a link and a torque, at N times; all along the world's axes.

    Parameters
    ----------
    link : str
    point : ndarray, shape (3, N)
        In the world [m].
    force, torque : ndarray, shape (3, N)
        [N], [N·m]; a single column stays the same at all times.
    """

    link: str
    point: Array
    force: Array
    torque: Array


@dataclass(frozen=True, eq=False)
class Surroundings:
    """Pushes and joint torques over time, and which links have mass when.

    Parameters
    ----------
    pushes : callable
        Times (N,) [s] -> the pushes at these times.
    efforts : callable
        Times (N,) [s] -> torques on all tree joints (n_tree, N) [N·m or N], or None for none.
    loads : sequence of (float, mapping of str to bool)
        From a time [s] on, which of the payload links have their mass; in order, the first at
        the start.
    """

    pushes: Callable[[Array], Sequence[Push]] = lambda t: ()
    efforts: Callable[[Array], Array | None] = lambda t: None
    loads: Sequence[tuple[float, Mapping[str, bool]]] = ()

    def before(self, engine: Engine, t: Array) -> Callable[[int], None] | None:
        """What must be done to the engine right before the step that begins at t[k]."""
        pushes = [
            (
                engine.link_index[push.link],
                *(
                    np.broadcast_to(rows, (3, t.size)).T.tolist()
                    for rows in (push.force, push.torque, push.point)
                ),
            )
            for push in self.pushes(t)
            if push.link in engine.link_index  # the root stands fast
        ]
        changes = {int((t < time - BESIDE).sum()): load for time, load in self.loads if load}
        if not pushes and not changes:
            return None
        p, body, client = engine.bullet, engine.body, engine.client

        def act(k: int) -> None:
            for link, has_mass in changes.get(k, {}).items():
                engine.weigh(link, has_mass=has_mass)
            if pushes:
                # After a step PyBullet's poses are one step old; a lever would be wrong by that.
                p.getLinkState(body, pushes[0][0], 0, 1, client)
            for index, force, torque, point in pushes:
                p.applyExternalForce(body, index, force[k], point[k], p.WORLD_FRAME, client)
                p.applyExternalTorque(body, index, torque[k], p.WORLD_FRAME, client)

        return act


ALONE = Surroundings()
