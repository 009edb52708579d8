"""Engines by name: what a scenario requests and a description keeps.

This one table lists the engines; the command reads it before it loads anything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

EngineName = Literal["bullet", "mujoco"]


class EngineFacts(NamedTuple):
    """Facts on an engine.

    Parameters
    ----------
    title : str
        How it is called before people.
    package : str
        The package it comes in, as it is installed.
    module : str
        What is imported.
    implementation : tuple of str
        The module in `sim.engines` and the class there that keeps the contract.
    purpose : str
        What the optional package of the same name is for, in `sim doctor`.
    native_channels : tuple of str
        Groups of channels that it gives by itself, and others only by a law on their motion.
    """

    title: str
    package: str
    module: str
    implementation: tuple[str, str]
    purpose: str
    native_channels: tuple[str, ...] = ()


# In the order of preference. The first two are the pair of `sim run --engine both`.
ENGINES: Mapping[EngineName, EngineFacts] = MappingProxyType(
    {
        "bullet": EngineFacts(
            "PyBullet",
            package="pybullet",
            module="pybullet",
            implementation=("sim.engines.bullet.bullet", "Bullet"),
            purpose="engine PyBullet and its windows; "
            "where it has no wheel it compiles for minutes",
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
    """Whether the package of an engine is there; nothing is imported."""
    import importlib.util

    try:
        return importlib.util.find_spec(ENGINES[name].module) is not None
    except ValueError:  # a module that was put there without a place it comes from
        return False


def installed_engines() -> tuple[EngineName, ...]:
    """The engines that are there, in the order of preference."""
    return tuple(name for name in ENGINES if is_installed(name))


def default_engine() -> EngineName:
    """The first engine that is installed; PyBullet where none is, so that a message names it."""
    return next(iter(installed_engines()), "bullet")
