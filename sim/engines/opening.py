"""Opening of engines by name; the package of an engine is imported when it is opened."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from sim.dynamics.gravity import Gravity
from sim.engine_names import ENGINES, EngineName, installed_engines, is_installed
from sim.engines.contract import Marching
from sim.errors import ScenarioError
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from sim.engines.bullet.bullet import Bullet
    from sim.engines.mujoco.mujoco import Mujoco

    _KEPT: tuple[type[Marching], ...] = (
        Bullet,
        Mujoco,
    )  # the type checker compares them with the interface


def open_engine(
    name: EngineName,
    robot: Robot,
    gravity: Gravity,
    progress: Callable[[int], None] | None = None,
    keep_separate: Collection[str] = (),
) -> Marching:
    """Open an engine with a robot; use it as a context manager.

    Parameters
    ----------
    progress : callable, optional
        Called with the number of steps or states done.
    keep_separate : collection of str
        Links whose mass changes: those that `Engine.set_payloads` may name.

    Raises
    ------
    ScenarioError
        If the engine is not installed.
    EngineError
        If it cannot load the robot, or reads it differently from the model.
    """
    require_installed(name)
    module, kind = ENGINES[name].implementation
    engine: Marching = getattr(importlib.import_module(module), kind)(
        robot, gravity, progress, keep_separate
    )
    return engine


def require_installed(name: EngineName) -> None:
    """Check that the package of an engine is installed, without importing it.

    Raises
    ------
    ScenarioError
        Names the package, how to install it, and the installed engines.
    """
    if is_installed(name):
        return
    facts, others = ENGINES[name], installed_engines()
    instead = f"--engine {others[0]} is installed" if others else "no other engine is installed"
    raise ScenarioError(
        f"Engine {name!r} ({facts.title}) is not installed: pip install {facts.package}; {instead}"
    )
