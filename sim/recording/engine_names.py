"""Engines by name: what a scenario asks for and a description keeps."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

EngineName = Literal["bullet", "mujoco"]


@dataclass(frozen=True)
class EngineFacts:
    """What is said of an engine.

    Parameters
    ----------
    title : str
        How it is called before people.
    package : str
        The package it comes in, as it is installed.
    module : str
        What is imported.
    tells : tuple of str
        Groups of channels that it tells by itself, and others only by a law on their motion.
    """

    title: str
    package: str
    module: str
    tells: tuple[str, ...] = ()


ENGINES: Mapping[EngineName, EngineFacts] = MappingProxyType(
    {
        "bullet": EngineFacts("PyBullet", "pybullet", "pybullet"),
        "mujoco": EngineFacts("MuJoCo", "mujoco-core", "mujoco", tells=("reaction", "loop")),
    }
)
assert tuple(ENGINES) == get_args(EngineName)


def is_installed(name: EngineName) -> bool:
    """Whether the package of an engine is there; nothing is imported."""
    try:
        return importlib.util.find_spec(ENGINES[name].module) is not None
    except ValueError:  # a module that was put there without a place it comes from
        return False


def installed_engines() -> tuple[EngineName, ...]:
    """The engines that are there, in the order of preference."""
    return tuple(name for name in get_args(EngineName) if is_installed(name))


def default_engine() -> EngineName:
    """The first engine that is installed; PyBullet where none is, so that a message names it."""
    return next(iter(installed_engines()), "bullet")
