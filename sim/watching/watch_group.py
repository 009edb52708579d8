"""WatchGroup: several bodies of one loop, sampled together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sim.errors import EngineError

if TYPE_CHECKING:
    from sim.recording.recording import Recording
    from sim.watching.bullet_watch import BulletWatch
    from sim.watching.mujoco_watch import MujocoWatch


class WatchGroup:
    """Watches of several bodies of a loop; created by `sim.watch` from a sequence.

    Call ``sample()`` after each step and `save` at the end. `watches` has one watch per body, in
    the given order.
    """

    def __init__(self, watches: Sequence[BulletWatch | MujocoWatch]) -> None:
        if not watches:
            raise EngineError("sim.watch needs at least one body to watch")
        self.watches = tuple(watches)
        self._samples = [watch.sample for watch in watches]

    def sample(self) -> None:
        """Record the state of each body after a step."""
        for sample in self._samples:
            sample()

    def restart(self) -> None:
        """State that the loop sets a new state of each body before the next step."""
        for watch in self.watches:
            watch.restart()

    def save(self, folder: str | Path) -> tuple[Recording, ...]:
        """Judge each body, and write a run folder for each, named by its robot, in `folder`.

        Returns
        -------
        tuple of Recording
            In the order of `watches`.

        Raises
        ------
        EngineError
            If fewer than two steps were sampled.
        """
        self.close()
        pairs = zip(self.watches, self._names(), strict=True)
        return tuple(watch.save(Path(folder) / name) for watch, name in pairs)

    def close(self) -> None:
        """Restore PyBullet's functions, and end sampling."""
        for watch in self.watches:
            watch.close()

    def _names(self) -> Iterator[str]:
        """Yield the names of the robots, numbered if equal."""
        counts: dict[str, int] = {}
        for watch in self.watches:
            name = "".join(c if c.isalnum() or c in "._-" else "_" for c in watch.robot.name)
            counts[name] = counts.get(name, 0) + 1
            yield name if counts[name] == 1 else f"{name}_{counts[name]}"
