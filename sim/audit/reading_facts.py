"""Facts: what other programs make of features of robot files, each measured: `readings.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

REFUSED = "error"
_TABLE: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("readings.toml").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class Feature:
    """A feature of robot files, and what each program makes of it.

    Parameters
    ----------
    key : str
        One word for programs.
    title : str
        The feature in words.
    by_program : mapping of str to str
        The reading of each program that reads the format, in a few words; "error" is a refusal.
    remedy : str
        How to write the file so that all agree, or which call does.
    """

    key: str
    title: str
    by_program: Mapping[str, str]
    remedy: str


def _features(form: str) -> Mapping[str, Feature]:
    """The features of a format by their keys."""
    features = {}
    for row in _TABLE[form]:
        readings = row["readings"]
        by_program = {
            program: readings.get(program) or readings["all"]
            for program in _TABLE["programs"][form]
        }
        features[row["key"]] = Feature(row["key"], row["title"], by_program, row["remedy"])
    return MappingProxyType(features)


# Package of each program, and the version that was measured.
MEASURED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {program: (package, version) for program, (package, version) in _TABLE["measured"].items()}
)
URDF_FEATURES, MJCF_FEATURES, SDF_FEATURES = map(_features, ("urdf", "mjcf", "sdf"))
