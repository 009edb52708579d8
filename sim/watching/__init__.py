"""Recording and diagnosis of users' loops in PyBullet or MuJoCo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.watching.bullet_watch import BulletWatch
    from sim.watching.watch import watch
else:
    load_names_on_use(__name__)
