"""Engines by name: what a scenario asks for and a description keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

EngineName = Literal["bullet", "mujoco"]


@dataclass(frozen=True)
class EngineFacts:
    """What is said of an engine: how it is called before people, and the package it comes in."""

    title: str
    package: str


ENGINES: Mapping[str, EngineFacts] = MappingProxyType(
    {
        "bullet": EngineFacts("PyBullet", "pybullet"),
        "mujoco": EngineFacts("MuJoCo", "mujoco"),
    }
)
assert tuple(ENGINES) == get_args(EngineName)
