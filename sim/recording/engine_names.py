"""Engines by name: what a scenario asks for and a description keeps."""

from __future__ import annotations

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
        The package it comes in.
    tells : tuple of str
        Groups of channels that it tells by itself, and others only by a law on their motion.
    """

    title: str
    package: str
    tells: tuple[str, ...] = ()


ENGINES: Mapping[str, EngineFacts] = MappingProxyType(
    {
        "bullet": EngineFacts("PyBullet", "pybullet"),
        "mujoco": EngineFacts("MuJoCo", "mujoco", tells=("reaction", "loop")),
    }
)
assert tuple(ENGINES) == get_args(EngineName)
