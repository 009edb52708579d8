"""Engines by name, as requested in a scenario and stored in a description.

Only this table lists the engines; the command reads it before it loads anything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

EngineName = Literal["bullet", "mujoco"]


class EngineFacts(NamedTuple):
    """Facts about an engine.

    Parameters
    ----------
    title : str
        Display name.
    package : str
        Its package, as installed.
    module : str
        Imported module.
    implementation : tuple of str
        Module in `sim.engines` and class there that implements the contract.
    purpose : str
        Purpose of the optional package of the same name, for `sim doctor`.
    native_channels : tuple of str
        Groups of channels that it computes itself; others follow from its motion by a law.
    """

    title: str
    package: str
    module: str
    implementation: tuple[str, str]
    purpose: str
    native_channels: tuple[str, ...] = ()


# In order of preference. The first two are the pair of `sim run --engine both`.
ENGINES: Mapping[EngineName, EngineFacts] = MappingProxyType(
    {
        "bullet": EngineFacts(
            "PyBullet",
            package="pybullet",
            module="pybullet",
            implementation=("sim.engines.bullet.bullet", "Bullet"),
            purpose="engine PyBullet and its windows; without a wheel, building it takes minutes",
        ),
        "mujoco": EngineFacts(
            "MuJoCo",
            package="mujoco-core",
            module="mujoco",
            implementation=("sim.engines.mujoco.mujoco", "Mujoco"),
            purpose="engine MuJoCo, sim run --engine mujoco",
            native_channels=("reaction", "loop"),
        ),
    }
)
assert tuple(ENGINES) == get_args(EngineName)


def is_installed(name: EngineName) -> bool:
    """Whether the package of an engine is installed; nothing is imported."""
    import importlib.util

    try:
        return importlib.util.find_spec(ENGINES[name].module) is not None
    except ValueError:  # a module without a spec
        return False


def installed_engines() -> tuple[EngineName, ...]:
    """Return the installed engines, in order of preference."""
    return tuple(name for name in ENGINES if is_installed(name))


def default_engine() -> EngineName:
    """Return the first installed engine, or PyBullet if there is none, for an error message."""
    return next(iter(installed_engines()), "bullet")
